"""Long use: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "long_use",
        "filters that ParaView 5.11 made and deleted left all their outputs behind",
        "tests/reliability/test_long_use_programs.py::"
        "test_a_session_makes_changes_and_deletes_filters",
    ),
    Mended(
        "long_use",
        "each run of a filter on a mesh left a cell of VTK's behind, 12 kB",
        "tests/reliability/test_long_use_filters.py::test_a_filter_leaves_nothing_behind",
    ),
    Mended(
        "long_use",
        "who wrote to an output of a filter that keeps its complex changed its later runs",
        "tests/filters/test_kept_complex.py::"
        "test_who_writes_to_an_output_does_not_write_to_what_is_kept",
    ),
]

OPEN: list[Open] = [
    Open(
        "long_use",
        "on a GPU a mesh's machine and its stream leave 1 to 2 kB a run in malloc",
        "each run has threads of its own, and no object of ours stays; where in CUDA's driver or "
        "CuPy they lie was not traced",
    ),
    Open(
        "long_use",
        "a filter that was shown and deleted in ParaView 5.11 leaves 20 to 45 kB behind",
        "filter and outputs are gone, and without a display 1 kB stays, as of ParaView's "
        "own; what the proxies of a display keep is ParaView's",
    ),
    Open(
        "long_use",
        "every formula of a text of its own stays in the process, and in the folder of the cache",
        "code that a thread may be running cannot be let go of; the folder may be emptied at any"
        " time, and numbers that change belong into the arrays of a formula, not into its text",
    ),
]
