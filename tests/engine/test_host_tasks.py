"""A canceled call ends only its own tasks of the host library."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix.device.host import HostDevice
from separatrix.device.session import Session
from separatrix.device.side_threads import submit

N = 30_000  # points of a task that takes seconds: n^2


def task_of(n: int = N) -> tuple[Any, ...]:
    points = np.random.default_rng(5).random((1, n))
    return ("greedy_points", points, n, 1, 0, np.empty(n, np.int32), np.empty(n))


@pytest.mark.parametrize("error", [sx.Canceled, KeyboardInterrupt, ZeroDivisionError])
def test_a_long_task_ends_soon_after_its_caller_has_had_enough(error):
    when = []

    def enough(_):
        when.append((time.perf_counter(), time.process_time()))
        raise error("enough")

    n_threads = threading.active_count()
    with pytest.raises(error, match="enough"):
        HostDevice(1, lambda: enough).run(*task_of())
    wall, process = time.perf_counter() - when[0][0], time.process_time() - when[0][1]
    assert min(wall, process) < 0.1
    assert threading.active_count() == n_threads


def test_a_task_that_nobody_listens_to_runs_in_the_thread_of_its_caller():
    task = task_of(300)
    assert HostDevice(1).run(*task) == 300
    assert sorted(task[5]) == list(range(300))


def test_of_two_tasks_only_the_one_that_was_stopped_ends_early():
    def enough(_):
        raise sx.Canceled("enough")

    whole, stopped = task_of(6000), task_of()
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(HostDevice(1, lambda: lambda part: None).run, *whole)
        other = pool.submit(HostDevice(1, lambda: enough).run, *stopped)
        with pytest.raises(sx.Canceled):
            other.result()
        assert one.result() == 6000
    alone = task_of(6000)
    HostDevice(1).run(*alone)
    np.testing.assert_array_equal(whole[5], alone[5])


def test_results_of_a_task_are_released_if_it_ends_before_it_can_be_canceled():
    undone = []
    n = 4000
    while not undone and n < 40_000:
        task = task_of(n)
        task[5][:] = -1

        def slow(_, order=task[5]):
            end = time.monotonic() + 60
            while order[-1] == -1 and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(0.1)  # the task has ended meanwhile
            raise sx.Canceled("enough")

        with contextlib.suppress(sx.Canceled):
            HostDevice(1, lambda slow=slow: slow).run(*task, undo=undone.append)
        n = n * 3 // 2
    assert undone
    assert undone[0] > 0


def test_a_call_without_stages_is_part_of_the_one_around_it():
    reported = []
    session = Session(np.zeros(1), "cpu", 1)
    with (
        session.call(lambda part, stage: reported.append(part), {"one": 1.0}),
        session.stage("one"),
    ):
        n_told = len(reported)
        with session.call(None, {}):
            session.progressed(0.5)
        assert reported[n_told:] == [0.5]
        with session.call(None, {"inner": 1.0}):
            session.progressed(0.7)
        assert reported[n_told:] == [0.5]


def test_work_without_a_thread_runs_once_in_the_caller(monkeypatch):
    done = []
    first_goes_on = threading.Event()

    def session(number):
        if number == 0:
            first_goes_on.wait(10)
        done.append(number)
        return number

    def refused(self):
        raise RuntimeError("can't start new thread")

    with ThreadPoolExecutor(2) as pool:
        first = submit(pool, session, 0)
        with monkeypatch.context() as system:
            system.setattr(threading.Thread, "start", refused)
            second = submit(pool, session, 1)
        assert second.done()
        first_goes_on.set()
        assert (first.result(), second.result()) == (0, 1)
    assert done == [1, 0]


def test_threads_copy_every_entry_of_large_arrays(monkeypatch):
    monkeypatch.setattr("separatrix.device.host.COPIED_BY_ONE", 0)
    for shape in ((1000,), (2, 50, 7), (0, 3), (1,)):
        given = np.random.default_rng(4).random(shape)
        copy = HostDevice(5).copied(given)
        np.testing.assert_array_equal(copy, given)
        assert not np.shares_memory(copy, given)
        parts = [given, given[:0], given[::2]]
        np.testing.assert_array_equal(HostDevice(5).joined(parts), np.concatenate(parts))
