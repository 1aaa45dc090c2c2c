"""Compile the kernels into the one shared library that every Python loads through ctypes.

Two callers: hatchling, as the wheel's build hook, and a person:

    python3 engine/build_kernels.py [--force] [--sanitize address,undefined | --sanitize thread]

The library is engine/separatrix/_lib/libseparatrix.so, made of library.cpp and
translation_units/*.cpp of engine/separatrix/kernels, which are compiled side by side. Beside it
stands a key, a hash of all that the library depends on: sources, compiler, flags and the
instruction set of this machine. An equal key means that nothing need be done; edited sources,
another compiler and a tree that was copied to another machine are all seen. The objects are kept
under such keys too: an edit compiles the units that include it.

With --sanitize the library is one that watches itself, and lies in build/sanitizers; what runs it
is tests/reliability/sanitizers.py.

Environment: CXX (the compiler, default c++, then g++ and clang++), CXXFLAGS (appended to our flags,
so they win), SEPARATRIX_PORTABLE=1 (a library for any machine of this architecture, which wheels
take unless it is 0; otherwise -march=native). Most stages run equally fast; the collapse of edges
of a dense graph, which ANDs long rows of bits, takes 2 to 6 times as long without wide ones.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
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
INSTALL_COMPILER = "apt-get install g++"
FLAGS = (
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-fopenmp",
    "-fvisibility=hidden",
    # Topology is decided by comparisons: a fused multiply-add would round differently per machine.
    "-ffp-contract=off",
    # Nobody reads floating-point exception flags or errno here. With them in mind g++ 12 neither
    # vectorizes the clamp of the exponential nor a square root; no result depends on them.
    "-fno-trapping-math",
    "-fno-math-errno",
)

SANITIZERS = {
    "address": ("-fsanitize=address",),
    # GCC's -fsanitize=undefined holds alignment and bounds, but not these. What wraps around here
    # are unsigned hashes, on purpose.
    "undefined": ("-fsanitize=undefined,float-cast-overflow,bounds-strict",),
    # libgomp is not instrumented: each of its loops would seem a race. See host_threads.h.
    "thread": ("-fsanitize=thread", "-fno-openmp", "-fopenmp-simd", "-DSEPARATRIX_STD_THREADS"),
}
"""Flags of each sanitizer, by its name."""
WATCHED = (
    "-O1",
    "-g1",
    "-fno-omit-frame-pointer",
    "-fno-sanitize-recover=all",
    "-D_GLIBCXX_ASSERTIONS",
)
"""Flags of every library that watches itself."""


class BuildError(RuntimeError):
    """The library could not be built; the text is one sentence for the person at the keyboard."""


def words_of(variable: str, environment: Mapping[str, str]) -> list[str]:
    """Return the words of a variable, which are quoted as in a shell."""
    text = environment.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BuildError(f"{variable} can't be split into words: {error} in {text!r}") from None


def find_compiler(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the C++ compiler's command: $CXX if that is set, else the first of the usual names."""
    chosen = words_of("CXX", environment)
    names = [chosen[0]] if chosen else ["c++", "g++", "clang++"]
    for name in names:
        path = shutil.which(name, path=environment.get("PATH"))
        if path is not None:
            return [path, *chosen[1:]]
    missing = f"CXX names {names[0]}, which is not there" if chosen else "no C++ compiler was found"
    raise BuildError(f"{missing}; install one with: {INSTALL_COMPILER}")


def compile_command(
    environment: Mapping[str, str] = os.environ, sanitizers: Sequence[str] = ()
) -> list[str]:
    """Return compiler and flags, without the sources' hash, the input and the output."""
    portable = environment.get("SEPARATRIX_PORTABLE", "0") not in ("", "0")
    target = "-DSEPARATRIX_PORTABLE" if portable else "-march=native"
    extra = words_of("CXXFLAGS", environment)
    watching = [flag for name in sanitizers for flag in SANITIZERS[name]]
    if watching:
        watching += WATCHED
    return [*find_compiler(environment), *FLAGS, target, *watching, *extra]


def build(
    root: Path = REPOSITORY,
    *,
    force: bool = False,
    folder: Path | None = None,
    sanitizers: Sequence[str] = (),
) -> Path:
    """Bring the library of the source tree `root` up to date and return its path.

    It lies in `folder`, by default in the package, or below build/sanitizers if it has any.
    """
    package = root / "engine" / "separatrix"
    if folder is None and sanitizers:
        folder = root / "build" / "sanitizers" / "-".join(sanitizers)
    library = (folder or package / "_lib") / "libseparatrix.so"
    key_file = library.with_name("key")

    command = compile_command(sanitizers=sanitizers)
    sources = load_sources(package)
    base_key = build_key(command)
    key = hash_of(base_key, sources.source_hash())
    if not force and library.is_file() and key_file.is_file() and key_file.read_text() == key:
        return library

    library.parent.mkdir(parents=True, exist_ok=True)
    with alone(library.parent):
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
    # A running process keeps its mapping of the old file, and nobody ever sees half of the new one.
    with tempfile.TemporaryDirectory(dir=library.parent, prefix="build-") as scratch:

        def compiled(unit: str, unit_hash: str) -> Path:
            own = [defined] if unit == "library.cpp" else []
            unit_key = hash_of(base_key, unit_hash, *own)[:24]
            found = objects / f"{Path(unit).stem}-{unit_key}.o"
            if force or not found.is_file():
                fresh = Path(scratch, found.name)
                includes = [f"-I{kernels}", *own, "-c", "-o", str(fresh), str(kernels / unit)]
                run_compiler([*command, *includes])
                check_made(fresh, command, b"")
                os.replace(fresh, found)
            return found

        units = sources.unit_hashes()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(compiled, units.keys(), units.values()))
        fresh = Path(scratch, library.name)
        run_compiler([*command, "-shared", "-o", str(fresh), *map(str, parts)])
        check_made(fresh, command, b"\x7fELF" if sys.platform == "linux" else b"")
        key_file.unlink(missing_ok=True)
        os.replace(fresh, library)
        fresh_key = Path(scratch, key_file.name)
        fresh_key.write_text(key)
        os.replace(fresh_key, key_file)
        for old in set(objects.iterdir()) - set(parts):
            old.unlink(missing_ok=True)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other build works in a folder. A build that was killed holds nothing."""
    with (folder / "lock").open("w") as held:
        if fcntl is not None:
            fcntl.flock(held, fcntl.LOCK_EX)
        for left_over in folder.glob("build-*") if fcntl is not None else ():
            shutil.rmtree(left_over, ignore_errors=True)
        yield


def check_made(file: Path, command: list[str], begins: bytes) -> None:
    """Raise BuildError without the file: a compiler that is broken may say that all is well."""
    begin = file.read_bytes()[:4] if file.is_file() else b""
    if not begin or not begin.startswith(begins):
        made = "a file that is none of this system's" if begin else "no file"
        raise BuildError(f"the compiler {command[0]} has made {made}; name another in CXX")


def load_sources(package: Path) -> ModuleType:
    """Return kernels/source.py as a module, without importing the package that it is part of."""
    path = package / "kernels" / "source.py"
    spec = importlib.util.spec_from_file_location("separatrix_kernel_source", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BuildError(f"{path} is missing: this is not a complete source tree of Separatrix")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def build_key(command: list[str]) -> str:
    """Hash what an object is made of beside its source: this script, the command, the machine."""
    # The predefined macros name the compiler's version and each instruction set that it may use.
    macros = run_compiler([*command, "-dM", "-E", "-x", "c++", os.devnull])
    return hash_of(Path(__file__).read_text(), shlex.join(command), macros)


def hash_of(*texts: str) -> str:
    """One hash of several texts."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def run_compiler(command: list[str]) -> str:
    """Run a compiler, let its messages through, and return what it wrote to its standard output."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, errors="replace", check=False
        )
    except OSError as error:
        reason = error.strerror or error
        raise BuildError(f"the compiler {command[0]} can't be started: {reason}") from None
    if done.returncode != 0:
        raise BuildError(f"the compiler failed ({done.returncode}): {shlex.join(command)}")
    return done.stdout


def platform_tag() -> str:
    """Return the wheel's tag: any Python 3, no ABI of its, this platform."""
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


class KernelBuildHook(HookBase):
    """Hatchling's hook: compiles, and puts into a wheel what lies outside the two packages."""

    PLUGIN_NAME = "custom"
    root: str  # of the source tree; hatchling's

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Prepare a wheel; an editable install (`version`) takes everything from the tree."""
        root, folder = Path(self.root), None
        if version != "editable":  # a wheel may travel to a machine with fewer instructions
            os.environ.setdefault("SEPARATRIX_PORTABLE", "1")
            folder = root / "build" / "wheel"  # the tree's own library stays as it is
        try:
            library = build(root, folder=folder)
        except BuildError as error:
            raise SystemExit(f"separatrix: {error}") from None
        build_data["pure_python"] = False
        build_data["tag"] = platform_tag()
        if version == "editable":
            return
        build_data["force_include"].update(
            {
                str(library): f"separatrix/_lib/{library.name}",
                str(root / "xml"): "separatrix_vtk/xml",
                str(root / "plugins" / "SeparatrixPlugin.py"): (
                    "separatrix_vtk/plugin/SeparatrixPlugin.py"
                ),
            }
        )


def sanitizers_of(text: str) -> tuple[str, ...]:
    """The sanitizers that a person names, in our order."""
    named = {name.strip() for name in text.split(",")}
    if unknown := named - SANITIZERS.keys():
        raise argparse.ArgumentTypeError(
            f"there is no sanitizer {min(unknown)!r}; there are {', '.join(SANITIZERS)}"
        )
    if named >= {"address", "thread"}:
        raise argparse.ArgumentTypeError("address and thread can't watch the same library")
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
        help=f"build one that watches itself: of {', '.join(SANITIZERS)}, with commas between",
    )
    arguments = parser.parse_args()
    try:
        print(build(force=arguments.force, sanitizers=arguments.sanitize))
    except BuildError as error:
        sys.exit(f"build_kernels: {error}")
    except OSError as error:  # a full disk, or a folder that may not be written to
        sys.exit(f"build_kernels: {error.filename or 'the library'}: {error.strerror or error}")
    except KeyboardInterrupt:
        print("build_kernels: stopped; the library is the one from before", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
