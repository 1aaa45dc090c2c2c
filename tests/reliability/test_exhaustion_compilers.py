"""Compilers that are missing or broken, interrupted builds, and concurrent builds.

They concern formulas, which are compiled when they are used, and the library of kernels.
"""

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from reliability.footprint import files_of_at_most
from repository.test_build_kernels import LIBRARY_CPP, Tree
from separatrix.device import local_compiler

pytestmark = pytest.mark.long
POINTS = np.arange(6.0).reshape(2, 3)
SAYS_MACROS = 'case "$*" in *-dM*) echo "#define __VERSION__ 1"; exit 0;; esac\n'
OUT = 'while [ "$1" != -o ]; do shift; done\n'
BROKEN = {
    "fails": ("exit 1", "does not work|failed"),
    "says nothing": ("exit 0", "does not work|did not write a file"),
    "is no program": (None, "cannot be started: Exec format error"),
    "is killed": (SAYS_MACROS + "kill -9 $$", r"terminated by signal 9|failed \(-9\)"),
    "makes nothing": (SAYS_MACROS, "did not write a file"),
    "makes garbage": (
        SAYS_MACROS + OUT + 'echo garbage > "$2"',
        "cannot be loaded|not a library",
    ),
    "says garbage": (r'printf "\377\376\n" >&2; printf "\377\376"; exit 1', "does not work|failed"),
}


def broken_compiler(folder: Path, text: str | None) -> str:
    """Write a command that is called like a compiler."""
    command = folder / "broken-c++"
    command.write_text("no program" if text is None else f"#!/bin/sh\n{text}\n")
    command.chmod(0o755)
    return shlex.quote(str(command))  # CXX is split as a shell does


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A separate cache of compiled formulas."""
    monkeypatch.setenv("SEPARATRIX_CACHE", str(tmp_path / "cache"))
    local_compiler.load_compiled.cache_clear()
    yield tmp_path / "cache"
    local_compiler.load_compiled.cache_clear()


def formula(number: float = 1.5) -> list[float]:
    """Call a formula that must be compiled; returns 27 times the number, twice."""
    found: list[float] = sx.reduce(f"d2 * {number}", POINTS, POINTS, device="cpu").tolist()
    return found


@pytest.mark.parametrize("how", BROKEN)
def test_a_formula_with_a_broken_compiler_is_a_one_line_error(
    how, own_cache, tmp_path, monkeypatch
):
    text, words = BROKEN[how]
    monkeypatch.setenv("CXX", broken_compiler(tmp_path, text))
    with pytest.raises(sx.KernelError, match=words) as caught:
        formula()
    assert "\n" not in str(caught.value)
    assert "require no compiler" in str(caught.value)
    monkeypatch.delenv("CXX")
    assert formula() == [40.5, 40.5]
    assert [path.suffix for path in own_cache.iterdir()] == [".so"]


def test_a_compiler_command_with_an_open_quote_is_a_one_line_error(own_cache, tree, monkeypatch):
    monkeypatch.setenv("CXX", 'g++ "')
    with pytest.raises(sx.KernelError, match="CXX cannot be parsed: No closing quot"):
        formula()
    for variable in ("CXX", "CXXFLAGS"):
        done = tree.build(**{"CXX": "", variable: 'g++ "'})
        assert done.returncode == 1
        assert done.stderr == (
            f"build_kernels: {variable} cannot be parsed: No closing quotation in 'g++ \"'.\n"
        )
    monkeypatch.delenv("CXX")
    assert formula() == [40.5, 40.5]


def test_a_formula_without_a_compiler_names_the_package_to_install(
    own_cache, tmp_path, monkeypatch
):
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(sx.KernelError, match=r"No C\+\+ compiler was found. Install one"):
        formula()
    monkeypatch.setenv("PATH", path)
    assert formula() == [40.5, 40.5]


def test_a_truncated_cached_formula_is_compiled_again(own_cache):
    formula()
    (kept,) = own_cache.iterdir()
    for torn in (b"", b"garbage", kept.read_bytes()[:100]):
        kept.unlink()
        kept.write_bytes(torn)
        local_compiler.load_compiled.cache_clear()
        assert formula() == [40.5, 40.5]


@pytest.mark.parametrize("where", ["a file", "full", "below a file"])
def test_a_cache_that_cannot_be_written_to_is_a_one_line_error(
    where, own_cache, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)  # a long path would replace the end of the message
    place = {"a file": "file", "below a file": "file/in"}.get(where)
    monkeypatch.setenv("SEPARATRIX_CACHE", str(place or own_cache))
    limit = files_of_at_most(1000) if place is None else nullcontext()
    with limit, pytest.raises(sx.KernelError, match="SEPARATRIX_CACHE") as caught:
        formula()
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("SEPARATRIX_CACHE", str(own_cache))
    assert formula() == [40.5, 40.5]


# === the library of kernels
@pytest.fixture
def tree(tmp_path):
    """A small source tree, built once."""
    made = Tree(tmp_path / "tree")
    made.compiled()
    return made


@pytest.mark.parametrize("how", BROKEN)
def test_a_build_whose_compiler_is_broken_leaves_the_old_library(how, tree, tmp_path):
    text, words = BROKEN[how]
    tree.source.write_text(LIBRARY_CPP.replace("42", "43"))
    before = tree.library.read_bytes()
    done = tree.build(CXX=broken_compiler(tmp_path, text))
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.startswith("build_kernels: ")
    assert "Traceback" not in done.stderr
    assert any(word in last for word in words.replace("\\", "").split("|"))
    assert tree.library.read_bytes() == before
    assert tree.compiled()
    assert ctypes.CDLL(str(tree.library)).answer() == 43


@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_a_canceled_build_leaves_the_old_library(name, tree, tmp_path):
    tree.source.write_text(LIBRARY_CPP.replace("42", "43"))
    before = tree.library.read_bytes()
    begun = tmp_path / "begun"
    compiler = broken_compiler(
        tmp_path, f"{SAYS_MACROS}touch {shlex.quote(str(begun))}; exec sleep 60"
    )
    running = subprocess.Popen(
        [sys.executable, str(tree.engine / "build_kernels.py")],
        env={**os.environ, "CXX": compiler},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(begun.exists)
    os.killpg(running.pid, getattr(signal, name))
    _, said = running.communicate(timeout=60)
    assert running.returncode == (130 if name == "SIGINT" else -signal.SIGKILL)
    assert "Traceback" not in said
    assert tree.library.read_bytes() == before
    assert tree.compiled()
    assert ctypes.CDLL(str(tree.library)).answer() == 43
    assert {path.name for path in tree.library.parent.iterdir()} == {
        "key", "libseparatrix.so", "lock", "objects",
    }  # fmt: skip


def test_two_concurrent_builds_compile_once(tree):
    tree.source.write_text(LIBRARY_CPP.replace("42", "43"))
    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(lambda _: tree.compiled(), range(3))) == [False, False, True]
    assert ctypes.CDLL(str(tree.library)).answer() == 43


def wait_for(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)
