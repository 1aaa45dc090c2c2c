"""Memory safety: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "memory_safety",
        "a data race: a flag that threads raise was read plainly by others (plateaus of images)",
        "tests/reliability/test_memory_safety.py::test_threads_that_raise_one_flag_do_not_race",
    ),
    Mended(
        "memory_safety",
        "no memory in a thread of Rips' edge collapse or enumeration ended the process",
        "tests/reliability/test_memory_safety.py::"
        "test_memory_that_runs_out_in_a_thread_does_not_end_the_process",
    ),
    Mended(
        "memory_safety",
        "arrays at addresses that are no multiple of their numbers' size were read as they lay",
        "tests/engine/test_dtypes.py::test_an_unaligned_array_is_copied_before_a_kernel_reads_it",
    ),
    Mended(
        "memory_safety",
        "VTK 9.2, that of ParaView 5.11, crashed on arrays of ours over the memory of arrays of its"
        " own: pieces of polydata between processes",
        "tests/paraview_app/test_array_lifetimes.py::"
        "test_an_array_over_another_arrays_memory_does_not_crash_vtk",
    ),
    Mended(
        "memory_safety",
        "what a reduction of Rips kept leaked if there was no room for it as arrays",
        "tests/engine/test_rips_representatives.py::"
        "test_chains_that_find_no_room_as_arrays_are_given_back",
    ),
]

OPEN: list[Open] = [
    Open(
        "memory_safety",
        "OpenMP's own sharing out of a loop is not watched by the thread sanitizer",
        "libgomp is not instrumented, so each loop would seem a race: the same bodies are"
        " run by std::thread",
    ),
    Open(
        "memory_safety",
        "reads of memory that nobody has written are looked for on a GPU alone (initcheck)",
        "GCC has no memory sanitizer, and Clang's needs a Python and a NumPy built with it",
    ),
]
