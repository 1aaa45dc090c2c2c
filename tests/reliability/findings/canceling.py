"""Canceling and aborting: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "canceling",
        "Simplification could not be canceled while its hierarchy was made, nor merge "
        "trees and column reduction: seconds each",
        "tests/engine/test_host_tasks.py::"
        "test_a_long_task_ends_soon_after_its_caller_has_had_enough",
    ),
    Mended(
        "canceling",
        "Measures, voids, pockets and diagrams of unions of balls told no progress: an "
        "abort of the filter came after them",
        "tests/reliability/test_canceling_engine.py::"
        "test_a_stopped_call_keeps_no_thread_and_its_repeat_gives_the_same_bits",
    ),
    Mended(
        "canceling",
        "The first critical points, and the first stream, of a mesh told nothing while "
        "its neighbors were found: 2 seconds for a million cells",
        "tests/reliability/test_canceling_engine.py::"
        "test_no_call_goes_half_a_second_without_asking_whether_to_stop",
    ),
    Mended(
        "canceling",
        "Surfaces of a mesh and critical cells of a noisy image were sorted in one step "
        "of 1 to 2 seconds",
        "tests/engine/test_keys.py::test_a_user_may_stop_the_numbering_of_keys",
    ),
    Mended(
        "canceling",
        "Work on a second device told the progress of the stage that it was made in",
        "tests/engine/test_slabs.py::test_progress_rises_and_slabs_are_told_one_by_one",
    ),
    Mended(
        "canceling",
        "Ctrl-C in a pipeline left empty outputs without a word",
        "tests/filters/test_pipeline.py::"
        "test_a_keyboard_interrupt_in_an_observer_stops_as_an_abort_does",
    ),
    Mended(
        "canceling",
        "Ctrl-C or SIGTERM while a file was written wrote the rest of it, replaced the old one "
        'and then said "stopped"',
        "tests/shell/test_signals.py::test_a_signal_while_a_file_is_written_keeps_the_old_one",
    ),
    Mended(
        "canceling",
        'a signal while a whole file was renamed into place said "stopped" of an output that '
        "was there",
        "tests/shell/test_signals.py::test_a_signal_while_the_file_is_renamed_comes_too_late",
    ),
    Mended(
        "canceling",
        "VTK's writers went on to the end of a file after Ctrl-C: they look at no AbortExecute",
        "tests/shell/test_signals.py::"
        "test_ctrl_c_while_vtk_writes_stops_it_in_the_midst_of_an_array",
    ),
    Mended(
        "canceling",
        "`separatrix alpha` that was stopped at its second alpha had replaced the old file",
        "tests/shell/test_signals.py::test_several_alphas_that_are_stopped_have_written_none",
    ),
    Mended(
        "canceling",
        "SIGHUP, as of a closed terminal, left the hidden folder of a file that was being written",
        "tests/shell/test_signals.py::test_a_signal_while_a_file_is_written_keeps_the_old_one",
    ),
    Mended(
        "canceling",
        "a second Ctrl-C while old pieces of a .vtm were put back lost the others",
        "tests/reliability/test_exhaustion_disk.py::"
        "test_old_pieces_that_can_not_be_put_back_are_kept_and_named",
    ),
]

OPEN: list[Open] = [
    Open(
        "canceling",
        "A kernel that a GPU runs is not interrupted: calls stop between two launches",
        "CUDA has no way to end a kernel but to end the process",
    ),
    Open(
        "canceling",
        "Steps of NumPy over more than 10,000,000 edges or cells take up to 1.5 seconds each",
        "NumPy cannot be stopped inside a step; the longest ones are made in parts",
    ),
    Open(
        "canceling",
        "Relations of a mesh as one array, `AlphaComplex.betti`, `at`, `smooth`: no `progress`",
        "they are read off what is there, in passes that take less than half a second "
        "each at a million cells",
    ),
    Open(
        "canceling",
        "ParaView 5.11's own abort button does nothing",
        "it is connected to nothing there; SetAbortExecute from a script works",
    ),
    Open(
        "canceling",
        "SIGQUIT and SIGKILL while a file is written leave a hidden folder `.separatrix-...` "
        "beside it",
        "the one is there to end a program that does nothing else, the other can't be handled",
    ),
]
