"""Concurrency: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "concurrency",
        "arrays on another GPU than the current one were looked at from the current one, which is "
        "slow, or refused where the two have no access to each other",
        "tests/engine/test_several_gpus.py::"
        "test_whatever_is_given_or_asked_for_is_computed_where_it_is",
    ),
    Mended(
        "concurrency",
        "a process forked from one that had computed with threads waited for these for "
        "ever; it computes on one thread now",
        "tests/reliability/test_concurrency_processes.py::"
        "test_a_forked_process_computes_and_gives_the_same_bits",
    ),
    Mended(
        "concurrency",
        "a forked process thought its parent's GPU and the workers of a mesh's machine usable",
        "tests/reliability/test_concurrency_processes.py::"
        "test_a_process_forked_from_one_that_uses_a_gpu_says_so",
    ),
    Mended(
        "concurrency",
        "a progress callback and another thread that asked for the same part of a mesh "
        "waited for each other for ever (before Python 3.12; with machines always)",
        "tests/reliability/test_concurrency_threads.py::"
        "test_a_callback_and_another_thread_may_ask_a_mesh_for_the_same",
    ),
    Mended(
        "concurrency",
        "parts computed on demand waited for those of all other objects of their class",
        "tests/reliability/test_concurrency_threads.py::"
        "test_what_is_computed_on_demand_holds_no_lock_of_its_class",
    ),
    Mended(
        "concurrency",
        "timings read while another thread ended a stage raised RuntimeError",
        "tests/reliability/test_concurrency_threads.py::"
        "test_timings_may_be_read_while_a_stage_ends",
    ),
    Mended(
        "concurrency",
        "a setting changed by an observer late in a run was not in the outputs, which VTK"
        " took for up to date",
        "tests/reliability/test_concurrency_filters.py::"
        "test_a_setting_changed_by_an_observer_counts",
    ),
    Mended(
        "concurrency",
        "a filter run within its own run failed in both, with a sentence about something else",
        "tests/reliability/test_concurrency_filters.py::"
        "test_a_filter_says_so_when_it_is_run_within_its_own_run",
    ),
    Mended(
        "concurrency",
        "Ctrl-C in one consumer of a mesh's machine ended it for all, now and later",
        "tests/engine/test_mesh_machine_stress.py::"
        "test_one_who_is_interrupted_leaves_what_was_asked_for_to_the_workers",
    ),
    Mended(
        "concurrency",
        "a machine of a mesh that the collector of garbage came upon in one of its own workers"
        " waited for itself for ever, and no garbage was collected from then on",
        "tests/engine/test_mesh_machine_ends.py::"
        "test_a_machine_may_be_collected_by_a_worker_that_holds_the_lock",
    ),
    Mended(
        "concurrency",
        "a stream of a mesh collected in a thread of its own printed an error nobody could catch",
        "tests/engine/test_mesh_machine_ends.py::"
        "test_a_stream_may_be_collected_by_a_lane_of_its_own",
    ),
]

OPEN: list[Open] = [
    Open(
        "concurrency",
        "a process forked while another thread computes may wait for ever if it asks the "
        "very object that thread was at",
        "what a thread has locked at a fork stays locked in the child; start processes by spawn",
    ),
    Open(
        "concurrency",
        "a filter updated within its own run, by an observer, is refused by VTK with VTK's words",
        "VTK's executive forbids it; the outer run ends well",
    ),
    Open(
        "concurrency",
        "settings of AlphaTimeSeries changed while it gathers time steps do not count for"
        " those gathered before",
        "the steps are let go as they are computed, and VTK takes the filter for up to date",
    ),
    Open(
        "concurrency",
        "settings changed in a run shared by several MPI processes count from the next change on",
        "a run again would have to be agreed upon by all processes",
    ),
]
