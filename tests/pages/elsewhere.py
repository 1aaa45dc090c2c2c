"""Blocks of pages that tests of their own run, because they look further than that they run."""

PVPYTHON = {
    "docs/block_sparse.md": (
        "tests/paraview_app/test_molecule.py::test_the_script_for_pvpython_runs_as_it_stands"
    ),
    "docs/molecules.md": (
        "tests/paraview_app/test_molecule_reader.py::test_the_script_of_the_page_runs_in_pvpython"
    ),
    "docs/rips.md": (
        "tests/paraview_app/test_rips.py"
        "::test_the_script_for_pvpython_shows_two_loops_that_go_round_the_right_ways"
    ),
}
"""Scripts for pvpython, by page; tests/paraview_app/test_pages.py has those of all others."""

WORKED_EXAMPLES = {
    "docs/contributing/new_filter.md": (
        "tests/pages/test_new_filter.py::test_the_worked_example_passes_its_own_tests"
    ),
}
"""Pages that hold the files of a worked example."""
