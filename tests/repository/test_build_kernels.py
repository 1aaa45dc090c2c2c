"""engine/build_kernels.py, run by hand in a separate small source tree."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).resolve().parents[2] / "engine" / "build_kernels.py"
SOURCE_PY = """
from pathlib import Path
UNITS = ["library.cpp", "translation_units/more.cpp"]
def unit_hashes():
    here = Path(__file__).parent
    return {unit: format(sum((here / unit).read_bytes()), "x") for unit in UNITS}
def source_hash():
    return "+".join(unit_hashes().values())
"""
UNIT_CPP = """
#include "common/number.h"
extern "C" __attribute__((visibility("default"))) int more() { return NUMBER; }
"""
LIBRARY_CPP = """
extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
extern "C" __attribute__((visibility("default"))) const char* source_hash() {
  return SEPARATRIX_SOURCE_HASH;
}
extern "C" __attribute__((visibility("default"))) int portable() {
#ifdef SEPARATRIX_PORTABLE
  return 1;
#else
  return 0;
#endif
}
"""


class Tree:
    """A source tree with the script, one kernel source, and nothing built."""

    def __init__(self, root: Path) -> None:
        self.engine = root / "engine"
        kernels = self.engine / "separatrix" / "kernels"
        kernels.mkdir(parents=True)
        shutil.copy(SCRIPT, self.engine)
        shutil.copy(SCRIPT.parent / "separatrix" / "kernels" / "compiler.py", kernels)
        self.source = kernels / "library.cpp"
        self.source.write_text(LIBRARY_CPP)
        (kernels / "translation_units").mkdir()
        self.unit = kernels / "translation_units" / "more.cpp"
        self.unit.write_text(UNIT_CPP)
        (kernels / "common").mkdir()
        (kernels / "common" / "number.h").write_text("enum { NUMBER = 7 };")
        (kernels / "source.py").write_text(SOURCE_PY)
        self.library = self.engine / "separatrix" / "_lib" / "libseparatrix.so"

    def build(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the script as a person would."""
        inherited = {k: v for k, v in os.environ.items() if k not in ("CXX", "CXXFLAGS")}
        inherited.pop("SEPARATRIX_PORTABLE", None)
        return subprocess.run(
            [sys.executable, str(self.engine / SCRIPT.name), *arguments],
            env=inherited | environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
        )

    def compiled(self, *arguments: str, **environment: str) -> bool:
        """Whether the script, which must succeed, found that there was something to compile."""
        done = self.build(*arguments, **environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == str(self.library)
        return "compiling" in done.stderr


@pytest.fixture
def tree(tmp_path):
    """A fresh source tree."""
    return Tree(tmp_path)


def test_the_library_is_compiled_again_only_for_other_flags_or_if_it_is_missing(tree):
    assert tree.compiled()
    assert not tree.compiled()
    assert tree.compiled("--force")
    names = sorted(path.name for path in tree.library.parent.iterdir())
    assert names == ["key", "libseparatrix.so", "lock", "objects"]
    assert tree.compiled(CXXFLAGS="-DOTHER")
    assert not tree.compiled(CXXFLAGS="-DOTHER")
    tree.library.unlink()
    assert tree.compiled(CXXFLAGS="-DOTHER")


def test_an_edit_compiles_the_affected_units_and_deletes_old_objects(tree):
    tree.compiled()
    objects = tree.library.parent / "objects"
    before = {path.name for path in objects.iterdir()}
    assert {name.split("-")[0] for name in before} == {"library", "more"}
    tree.unit.write_text(UNIT_CPP.replace("NUMBER;", "NUMBER + 1;"))
    assert tree.compiled()
    after = {path.name for path in objects.iterdir()}
    # The library carries the hash of all sources, so its own unit is always compiled.
    assert len(after) == 2
    assert not before & after
    library = ctypes.CDLL(str(tree.library))
    assert (library.answer(), library.more()) == (42, 8)


def test_the_library_carries_the_hash_of_its_sources(tree):
    tree.compiled()
    library = ctypes.CDLL(str(tree.library))
    library.source_hash.restype = ctypes.c_char_p
    totals = [format(sum(text.encode()), "x") for text in (LIBRARY_CPP, UNIT_CPP)]
    assert library.source_hash().decode() == "+".join(totals)
    assert library.answer() == 42


def test_an_environment_variable_requests_a_portable_library(tree):
    assert tree.compiled(SEPARATRIX_PORTABLE="1")
    assert ctypes.CDLL(str(tree.library)).portable() == 1


def test_a_library_with_sanitizers_has_its_own_folder(tree):
    tree.compiled()
    before = tree.library.read_bytes()
    done = tree.build("--sanitize", "undefined,address")
    assert done.returncode == 0, done.stderr
    watched = tree.engine.parent / "build" / "sanitizers" / "address-undefined" / tree.library.name
    assert done.stdout.strip() == str(watched)
    assert b"__asan_init" in watched.read_bytes()
    assert tree.library.read_bytes() == before


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("memory", "sanitizers must be address, undefined, thread; got 'memory'"),
        ("thread,address", "address and thread cannot be combined"),
    ],
)
def test_unknown_sanitizers_are_rejected(tree, names, said):
    done = tree.build("--sanitize", names)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_compile_that_fails_leaves_the_old_library(tree):
    tree.compiled()
    tree.source.write_text("this is no C++")
    done = tree.build()
    assert done.returncode == 1
    assert "error" in done.stderr
    assert ctypes.CDLL(str(tree.library)).answer() == 42
    tree.source.write_text(LIBRARY_CPP)
    assert not tree.compiled()


def test_a_missing_compiler_is_one_line_with_the_command_to_type(tree, tmp_path):
    done = tree.build(PATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == (
        "build_kernels: No C++ compiler was found. Install one, for example with: "
        "apt-get install g++\n"
    )
    done = tree.build(CXX="no-such-compiler -O1")
    assert done.stderr == (
        "build_kernels: CXX=no-such-compiler was not found. "
        "Install one, for example with: apt-get install g++\n"
    )
