"""Exhaustion and lost devices: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "exhaustion",
        "more threads than the system gives, by ulimit -u or for want of room for their "
        "stacks, ended the process (libgomp)",
        "tests/reliability/test_exhaustion_memory.py::"
        "test_threads_that_find_no_room_for_their_stacks_are_done_without",
    ),
    Mended(
        "exhaustion",
        "memory that ran out in a thread which had thrown nothing yet ended the process: "
        "glibc found none for the exception's own data",
        "tests/reliability/test_exhaustion_memory.py::"
        "test_threads_that_find_no_room_for_their_stacks_are_done_without",
    ),
    Mended(
        "exhaustion",
        "no thread for a long task of the host, a stream of a mesh or its machine was "
        "Python's error and a traceback",
        "tests/reliability/test_exhaustion_memory.py::"
        "test_threads_that_the_system_refuses_are_done_without",
    ),
    Mended(
        "exhaustion",
        "forecasts of memory knew neither the limit of the process (ulimit -v) nor that "
        "of its control group, as of a container; most were made for GPUs only",
        "tests/reliability/test_exhaustion_limits.py::"
        "test_what_is_free_is_the_least_of_machine_process_and_groups",
    ),
    Mended(
        "exhaustion",
        "a CuPy that is torn or too old was told as an error of a library in its own words",
        "tests/reliability/test_exhaustion_lost_gpus.py::"
        "test_cuda_that_does_not_work_is_told_and_the_cpu_computes",
    ),
    Mended(
        "exhaustion",
        "a GPU lost in a call was taken again by each later one; some of those ended with"
        " CuPy's own errors",
        "tests/reliability/test_exhaustion_lost_gpus.py::"
        "test_after_a_gpu_was_lost_the_cpu_computes_and_says_why",
    ),
    Mended(
        "exhaustion",
        "a sort on a GPU without room for its working memory, and pinned memory that the system "
        "refuses, ended with errors of Thrust's and CUDA's",
        "tests/engine/test_device_errors.py::"
        "test_a_sort_without_room_says_how_much_is_free_and_what_to_do",
    ),
    Mended(
        "exhaustion",
        "a compiler of formulas that can't be started, makes nothing or garbage, and a "
        "cache that is full, were tracebacks",
        "tests/reliability/test_exhaustion_compilers.py::"
        "test_a_formula_whose_compiler_is_broken_is_one_sentence",
    ),
    Mended(
        "exhaustion",
        "a build whose compiler makes garbage without a word put that in the place of the library",
        "tests/reliability/test_exhaustion_compilers.py::"
        "test_a_build_whose_compiler_is_broken_leaves_the_old_library",
    ),
    Mended(
        "exhaustion",
        "builds at once compiled all twice, and could remove each other's objects",
        "tests/reliability/test_exhaustion_compilers.py::test_two_builds_at_once_compile_once",
    ),
    Mended(
        "exhaustion",
        "a .vtm whose pieces could not all be moved had new pieces and old ones",
        "tests/reliability/test_exhaustion_disk.py::"
        "test_a_vtm_whose_pieces_can_not_all_be_moved_has_the_old_ones",
    ),
    Mended(
        "exhaustion",
        "--json with standard output on a full disk told the sentence twice",
        "tests/reliability/test_exhaustion_disk.py::"
        "test_standard_output_on_a_full_disk_is_one_sentence",
    ),
    Mended(
        "exhaustion",
        "a picture of the demonstration that found no room was half a file",
        "tests/reliability/test_exhaustion_disk.py::"
        "test_a_picture_that_finds_no_room_leaves_the_old_one",
    ),
    Mended(
        "exhaustion",
        "rows of a mesh in pieces were wrong after a packet of it had found no memory",
        "tests/engine/test_mesh_machine.py::"
        "test_a_packet_that_found_no_memory_leaves_nothing_to_the_next",
    ),
    Mended(
        "exhaustion",
        "work that a pool was refused a thread for was done twice",
        "tests/engine/test_host_tasks.py::test_work_for_which_no_thread_is_started_is_done_once",
    ),
    Mended(
        "exhaustion",
        "threads with stacks of 2 MiB (ulimit -s unlimited) took all room there was: the next call"
        " found none, or the loader none for their data, and ended the process",
        "tests/reliability/test_exhaustion_memory.py::"
        "test_threads_that_find_no_room_for_their_stacks_are_done_without",
    ),
    Mended(
        "exhaustion",
        "old pieces of a .vtm that could not be put back were removed, with all that came after",
        "tests/reliability/test_exhaustion_disk.py::"
        "test_old_pieces_that_can_not_be_put_back_are_kept_and_named",
    ),
    Mended(
        "exhaustion",
        "a name of an output that left no room for that of its temporary folder failed after "
        "the work",
        "tests/reliability/test_exhaustion_disk.py::"
        "test_a_name_as_long_as_the_disk_has_them_is_written_and_a_longer_one_refused",
    ),
    Mended(
        "exhaustion",
        "with stderr closed every file of VTK was damaged and other ones were tracebacks, and "
        "errors went to stdout before the JSON",
        "tests/shell/test_streams.py::test_a_closed_stderr_changes_nothing",
    ),
    Mended(
        "exhaustion",
        "with stdout closed a command that had written its file ended with a traceback",
        "tests/shell/test_streams.py::test_what_is_to_be_written_is_written_without_a_stdout",
    ),
    Mended(
        "exhaustion",
        "a caller that ignores SIGCHLD was told that standard output has no child processes",
        "tests/shell/test_streams.py::test_a_caller_that_ignores_sigchld_gets_its_results",
    ),
    Mended(
        "exhaustion",
        "a CXX whose quotes do not close was Python's ValueError",
        "tests/reliability/test_exhaustion_compilers.py::"
        "test_a_compiler_whose_quotes_do_not_close_is_one_sentence",
    ),
    Mended(
        "exhaustion",
        "a stderr that takes no words, on a full disk or a closed terminal, changed the exit "
        "status",
        "tests/shell/test_signals.py::test_a_closed_terminal_that_takes_no_words_changes_no_status",
    ),
]

OPEN: list[Open] = [
    Open(
        "exhaustion",
        "no room for some kilobytes that NumPy's iterators, VTK's arrays, OpenBLAS at its"
        " import or a library's thread-local data want ends the process, or is a "
        "SystemError",
        "they do not look at what malloc answers, or throw through C: only large requests"
        " are looked at before they are made",
    ),
    Open(
        "exhaustion",
        "threads that other programs of the user take between our look and OpenMP's start of them",
        "libgomp ends the process where a thread is refused; half of what was free is left over",
    ),
    Open(
        "exhaustion",
        "a GPU after an error that stays (a wrong address, a lost bus) is not taken up again",
        "CUDA gives a process no second context; the CPU computes until the program is restarted",
    ),
    Open(
        "exhaustion",
        "with CuPy before 14.1, a sort for which a full GPU has no working memory sorts nothing "
        "and says nothing",
        "these versions ignore that the allocation failed; take CuPy 14.1 or newer, with NumPy 2",
    ),
    Open(
        "exhaustion",
        "where memory is overcommitted the system may end a process that a forecast let through",
        "Linux gives out memory before there is any; forecasts are of the large arrays alone",
    ),
]
