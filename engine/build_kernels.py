"""Compile the kernels into the one shared library that every Python loads through ctypes.

It is used by hatchling, as the build hook of the wheel, and from the command line:

    python3 engine/build_kernels.py [--force] [--sanitize address,undefined | --sanitize thread]

The library engine/separatrix/_lib/libseparatrix.so is compiled, in parallel, from library.cpp and
translation_units/*.cpp of engine/separatrix/kernels. A key next to it is a hash of everything that
it depends on: sources, compiler, flags, and the instruction set of this machine. If the key is
unchanged, nothing is compiled. Objects have such keys, too, so an edit compiles only the units that
include it. Wheels have libraries of their own, in build/wheel.

With --sanitize, the library is built with sanitizers in build/sanitizers, for
tests/reliability/sanitizers.py.

Environment: CXX (see kernels/compiler.py), CXXFLAGS (appended to the flags), SEPARATRIX_PORTABLE=1
(a library for any machine of this architecture instead of -march=native; the default for wheels),
SEPARATRIX_PLATFORM (the platform of a wheel that CXX compiles for another machine, as in its name).
Most stages run equally fast; the edge collapse of a dense graph, which combines long rows of bits,
takes 2 to 6 times as long with portable instructions.

Only the standard library is imported, because nothing is installed yet.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shlex
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

try:
    import fcntl
except ImportError:  # not a Unix
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    HookBase = object
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface as HookBase
    except ImportError:  # run by hand
        HookBase = object

REPOSITORY = Path(__file__).resolve().parent.parent
SANITIZERS = {
    "address": ("-fsanitize=address",),
    # GCC's -fsanitize=undefined includes alignment and bounds, but not these. Unsigned overflow,
    # as in hashes, is intended.
    "undefined": ("-fsanitize=undefined,float-cast-overflow,bounds-strict",),
    # Other orders of the crew's threads are hidden by its lock. See host_threads.h.
    "thread": ("-fsanitize=thread", "-DSEPARATRIX_STD_THREADS"),
}
"""Flags of each sanitizer."""
WATCHED = (
    "-O1",
    "-g1",
    "-fno-omit-frame-pointer",
    "-fno-sanitize-recover=all",
    "-D_GLIBCXX_ASSERTIONS",
)
"""Flags of all libraries with sanitizers."""


def load_module(path: Path) -> ModuleType:
    """Return a file of the package as a module, without importing the package."""
    spec = importlib.util.spec_from_file_location(f"separatrix_kernels_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses require it
    spec.loader.exec_module(module)
    return module


compiler = load_module(REPOSITORY / "engine" / "separatrix" / "kernels" / "compiler.py")


def compile_command(sanitizers: Sequence[str] = ()) -> list[str]:
    """Return the compiler and its flags, without the hash of the sources, input, and output."""
    portable = os.environ.get("SEPARATRIX_PORTABLE", "0") not in ("", "0")
    target = "-DSEPARATRIX_PORTABLE" if portable else "-march=native"
    extra = compiler.words_of("CXXFLAGS")
    watching = [flag for name in sanitizers for flag in SANITIZERS[name]]
    if watching:
        watching += WATCHED
    return [*compiler.find_compiler(), *compiler.FLAGS, target, *watching, *extra]


def build(
    root: Path = REPOSITORY,
    *,
    force: bool = False,
    folder: Path | None = None,
    sanitizers: Sequence[str] = (),
) -> Path:
    """Build the library of the source tree `root` if it is out of date, and return its path.

    By default `folder` is in the package, or in build/sanitizers if there are sanitizers.
    """
    package = root / "engine" / "separatrix"
    if folder is None and sanitizers:
        folder = root / "build" / "sanitizers" / "-".join(sanitizers)
    library = (folder or package / "_lib") / "libseparatrix.so"
    key_file = library.with_name("key")

    command = compile_command(sanitizers=sanitizers)
    sources = load_module(package / "kernels" / "source.py")
    base_key = hash_of(shlex.join(command), compiler.macros(*command))
    key = hash_of(base_key, sources.source_hash())
    if not force and library.is_file() and key_file.is_file() and key_file.read_text() == key:
        return library

    library.parent.mkdir(parents=True, exist_ok=True)
    with locked(library.parent):
        if force or not library.is_file() or not key_file.is_file() or key_file.read_text() != key:
            print(f"compiling {library.relative_to(root)}", file=sys.stderr, flush=True)
            _compile(library, key, base_key, command, sources, package / "kernels", force)
    return library


def _compile(
    library: Path,
    key: str,
    base_key: str,
    command: list[str],
    sources: ModuleType,
    kernels: Path,
    force: bool,
) -> None:
    key_file = library.with_name("key")
    defined = f'-DSEPARATRIX_SOURCE_HASH="{sources.source_hash()}"'
    objects = library.parent / "objects"
    objects.mkdir(exist_ok=True)
    # A running process keeps its mapping of the old file, and the new one is never incomplete.
    with tempfile.TemporaryDirectory(dir=library.parent, prefix="build-") as scratch:

        def compiled(unit: str, unit_hash: str) -> Path:
            own = [defined] if unit == "library.cpp" else []
            unit_key = hash_of(base_key, unit_hash, *own)[:24]
            found = objects / f"{Path(unit).stem}-{unit_key}.o"
            if force or not found.is_file():
                fresh = Path(scratch, found.name)
                includes = [f"-I{kernels}", *own, "-c", "-o", str(fresh), str(kernels / unit)]
                run_compiler([*command, *includes])
                compiler.move_made(fresh, found, command)
            return found

        units = sources.unit_hashes()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(compiled, units.keys(), units.values()))
        fresh = Path(scratch, library.name)
        is_for_users = "-DSEPARATRIX_PORTABLE" in command and sys.platform != "darwin"
        stripped = ["-s"] if is_for_users else []  # Zig adds debugging information of 27 MB
        run_compiler([*command, "-shared", *stripped, "-o", str(fresh), *map(str, parts)])
        key_file.unlink(missing_ok=True)
        compiler.move_made(fresh, library, command, compiler.LIBRARIES)
        fresh_key = Path(scratch, key_file.name)
        fresh_key.write_text(key)
        os.replace(fresh_key, key_file)
        for old in set(objects.iterdir()) - set(parts):
            old.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait for other builds in a folder; the lock of a killed build is released."""
    with (folder / "lock").open("w") as held:
        if fcntl is not None:
            fcntl.flock(held, fcntl.LOCK_EX)
        for left_over in folder.glob("build-*") if fcntl is not None else ():
            shutil.rmtree(left_over, ignore_errors=True)
        yield


def hash_of(*texts: str) -> str:
    """Return one hash of several texts."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def run_compiler(command: list[str]) -> None:
    """Run a compiler, which shows its messages."""
    done = compiler.run(command, shows=True)
    if done.returncode != 0:
        raise compiler.CompilerError(
            f"The compiler failed ({done.returncode}): {shlex.join(command)}"
        )


def platform() -> str:
    """Return the platform of a wheel, as in its name."""
    own = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return os.environ.get("SEPARATRIX_PLATFORM") or own


class KernelBuildHook(HookBase):
    """Hatchling's build hook: compiles, and adds files outside of the packages to the wheel."""

    PLUGIN_NAME = "custom"
    root: str  # of the source tree, set by hatchling

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Prepare a wheel; an editable install (`version`) uses the files of the tree."""
        root, folder = Path(self.root), None
        if version != "editable":  # a wheel may be installed on a machine with fewer instructions
            os.environ.setdefault("SEPARATRIX_PORTABLE", "1")
            folder = root / "build" / "wheel" / platform()
        try:
            library = build(root, folder=folder)
        except compiler.CompilerError as error:
            raise SystemExit(f"separatrix: {error}") from None
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform()}"  # any Python 3
        if version == "editable":
            return
        packs = root.glob("engine/separatrix/_lib/cuda/*.xz")  # of build_cuda.py, if it was run
        build_data["force_include"].update(
            {
                str(library): f"separatrix/_lib/{library.name}",
                **{str(pack): f"separatrix/_lib/cuda/{pack.name}" for pack in packs},
                str(root / "xml"): "separatrix_vtk/xml",
                str(root / "plugins" / "SeparatrixPlugin.py"): (
                    "separatrix_vtk/plugin/SeparatrixPlugin.py"
                ),
            }
        )


def sanitizers_of(text: str) -> tuple[str, ...]:
    """Return the sanitizers in a comma-separated list, in the order of SANITIZERS."""
    named = {name.strip() for name in text.split(",")}
    if unknown := named - SANITIZERS.keys():
        raise argparse.ArgumentTypeError(
            f"sanitizers must be {', '.join(SANITIZERS)}; got {min(unknown)!r}"
        )
    if named >= {"address", "thread"}:
        raise argparse.ArgumentTypeError("address and thread cannot be combined")
    return tuple(name for name in SANITIZERS if name in named)


def main() -> None:
    """Build from the command line."""
    parser = argparse.ArgumentParser(description="Compile the kernels into the shared library.")
    parser.add_argument("--force", action="store_true", help="compile even if nothing changed")
    parser.add_argument(
        "--sanitize",
        type=sanitizers_of,
        default=(),
        metavar="NAMES",
        help=f"build with sanitizers: a comma-separated list of {', '.join(SANITIZERS)}",
    )
    arguments = parser.parse_args()
    try:
        print(build(force=arguments.force, sanitizers=arguments.sanitize))
    except compiler.CompilerError as error:
        sys.exit(f"build_kernels: {error}")
    except OSError as error:  # a full disk, or missing permissions
        sys.exit(f"build_kernels: {error.filename or 'the library'}: {error.strerror or error}")
    except KeyboardInterrupt:
        print("build_kernels: interrupted; the old library was kept", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
