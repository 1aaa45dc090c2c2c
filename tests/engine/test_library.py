"""Loading the compiled kernels: the file, and errors if it is missing, damaged, or outdated."""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix as sx
from separatrix.device import host
from separatrix.kernels import source

THREAD_LOCAL = 7  # PT_TLS, the kind of an ELF file's program header
STUB = """
extern "C" const char* separatrix_source_hash() { return "%s"; }
"""


@pytest.fixture(autouse=True)
def no_library_is_kept():
    """Each test here loads for itself, and the next test file loads the real one again."""
    host.load_library.cache_clear()
    yield
    host.load_library.cache_clear()


def stub(folder: Path, source_hash: str) -> Path:
    """A library that has nothing but a hash."""
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
    assert compiler, "a C++ compiler is needed: the engine was built with one"
    (folder / "stub.cpp").write_text(STUB % source_hash)
    library = folder / "libstub.so"
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(folder / "stub.cpp")]
    subprocess.run(command, check=True)
    return library


def refusal(library: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the error that this file raises as the library."""
    monkeypatch.setenv("SEPARATRIX_LIBRARY", str(library))
    with pytest.raises(sx.KernelError) as raised:
        sx.morse_smale([1.0, 2.0], device="cpu")
    text = str(raised.value)
    assert str(library) in text
    assert "\n" not in text
    return text


def test_a_missing_library_is_reported_with_the_searched_places(tmp_path, monkeypatch):
    text = refusal(tmp_path / "nowhere.so", monkeypatch)
    assert "were not found in" in text
    assert "build_kernels.py" in text


def test_without_the_variable_the_package_searches_its_own_folder(monkeypatch):
    monkeypatch.delenv("SEPARATRIX_LIBRARY", raising=False)
    assert host.library_path() == Path(sx.__file__).parent / "_lib" / "libseparatrix.so"


def test_a_file_that_is_not_a_library_is_reported(tmp_path, monkeypatch):
    (tmp_path / "text.so").write_text("not a library")
    assert "cannot be loaded" in refusal(tmp_path / "text.so", monkeypatch)


def test_a_library_of_other_sources_is_reported(tmp_path, monkeypatch):
    text = refusal(stub(tmp_path, "0123456789abcdef"), monkeypatch)
    assert "other sources" in text
    assert source.source_hash() in text


def test_a_library_without_our_symbols_is_reported(tmp_path, monkeypatch):
    library = stub(tmp_path, "").with_name("libother.so")
    (tmp_path / "other.cpp").write_text("int nothing;")
    subprocess.run(["c++", "-shared", "-fPIC", "-o", library, tmp_path / "other.cpp"], check=True)
    assert "cannot be loaded" in refusal(library, monkeypatch)


def test_a_copy_of_the_library_elsewhere_works(tmp_path, monkeypatch):
    monkeypatch.delenv("SEPARATRIX_LIBRARY", raising=False)
    copy = tmp_path / "elsewhere.so"
    shutil.copy(host.library_path(), copy)
    monkeypatch.setenv("SEPARATRIX_LIBRARY", str(copy))
    assert sx.morse_smale([1.0, 2.0], device="cpu").critical.counts == (1, 0, 0, 0)


def test_the_devices_are_listed_even_when_the_library_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("SEPARATRIX_LIBRARY", str(tmp_path / "nowhere.so"))
    cpu = sx.devices()[0]
    assert not cpu.usable
    assert "nowhere.so" in cpu.reason


def test_importing_loads_neither_the_library_nor_vtk_nor_cupy():
    code = (
        "import sys, separatrix\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "assert not loaded & {'vtk', 'vtkmodules', 'cupy', 'paraview'}, loaded\n"
        "assert 'libseparatrix' not in open('/proc/self/maps').read()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)


def test_threads_that_call_the_library_get_little_memory(monkeypatch):
    monkeypatch.delenv("SEPARATRIX_LIBRARY", raising=False)
    elf = Path(host.load_library()._name).read_bytes()
    (first,), (n_headers,) = struct.unpack_from("<Q", elf, 32), struct.unpack_from("<H", elf, 56)
    headers = [struct.unpack_from("<II6Q", elf, first + 56 * k) for k in range(n_headers)]
    sizes = [header[6] for header in headers if header[0] == THREAD_LOCAL]
    assert 0 < sum(sizes) <= 4096  # cleared for each new thread, kept with its stack


def test_every_kernel_has_its_symbol_in_the_library(monkeypatch):
    monkeypatch.delenv("SEPARATRIX_LIBRARY", raising=False)
    library = host.load_library()
    for kernel in source.kernels().values():
        names = [kernel.name]
        if kernel.of_values:
            names = [f"{kernel.name}_{dtype}" for dtype in source.VALUE_TYPES]
        assert all(hasattr(library, name) for name in names), kernel.name
    for name in [*source.host_loops(), *(f"fill_{formula}" for formula in source.formulas())]:
        assert all(hasattr(library, f"{name}_{dtype}") for dtype in source.FLOAT_TYPES), name
