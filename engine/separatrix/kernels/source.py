"""The kernels' sources as Python sees them: inlined text, its hash, every kernel's parameters.

A header is the only place where a kernel is declared. From its ``KERNEL(name, (parameters), body)``
line this module reads the signature that each launch is checked against, and the header's inlined
text is what NVRTC gets, so that CuPy's kernel cache sees every edit of every included header.

Standard library only: the build hook loads this file by its path.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

HEADERS = Path(__file__).resolve().parent
ABI = 3

VALUE_TYPES = {
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}
"""dtypes that a value kernel has an instance for, with their C++ types."""

SCALAR_TYPES = {
    "Int8": "int8",
    "Byte": "uint8",
    "Half": "uint16",
    "Int32": "int32",
    "Word": "uint32",
    "Index": "int64",
    "Wide": "uint64",
    "Real": "float64",
}
"""The kernels' scalar types, with their dtypes."""

FLOAT_TYPES = ("float32", "float64")
"""dtypes that a kernel over reals, ``Float`` in its header, has an instance for."""

_INCLUDE = re.compile(r'^\s*#include "([^"]+)"\s*$', re.MULTILINE)
_KERNEL = re.compile(
    r"^(?P<macro>(?:COARSE_|ROW_)?(?:VALUE_)?KERNEL)\(\s*(?P<name>\w+)\s*,\s*\((?P<parameters>[^)]*)\)",
    re.MULTILINE,
)
_HOST_TASK = re.compile(
    r"^HOST_TASK\(\s*(?P<name>\w+)\s*,\s*\((?P<parameters>[^)]*)\)", re.MULTILINE
)
_HOST_LOOPS = re.compile(
    r"^HOST_LOOPS\(\s*(?P<name>\w+)\s*,\s*\((?P<parameters>[^)]*)\)", re.MULTILINE
)
_FORMULA = re.compile(r"^FORMULA\((?P<name>\w+),\s*(?P<expression>.+)\)$", re.MULTILINE)
_BLOCK_KERNEL = re.compile(
    r'^extern "C" __global__ void __launch_bounds__\([^)]*\)\s+(?P<name>\w+)\(\s*'
    r"(?P<parameters>[^)]*)\)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: ``type`` without const and pointer, e.g. ``Grid`` or ``Value``."""

    name: str
    type: str
    is_array: bool
    is_written: bool


@dataclass(frozen=True)
class Kernel:
    """A kernel as its header declares it. ``of_values``: one instance a dtype of the scalars.

    ``header`` is a path below HEADERS, as `#include` names it.
    """

    name: str
    header: str
    of_values: bool
    parameters: tuple[Parameter, ...]

    @cached_property
    def dtypes(self) -> tuple[str | None, ...]:
        """The dtypes that it has an instance for; None alone if it reads no values."""
        if any(parameter.type == "Float" for parameter in self.parameters):
            return FLOAT_TYPES
        return tuple(VALUE_TYPES) if self.of_values else (None,)


WRITTEN = "sums/written.h"
"""The header that a text made at run time takes the place of: a caller's formula."""


@cache
def inlined(file: str, written: str | None = None) -> str:
    """Text of a header or a translation unit with each of our headers put in once, in order.

    `written`, if given, stands where ``sums/written.h`` is included.
    """
    seen: set[str] = set()

    def text_of(name: str) -> str:
        if name in seen:
            return ""
        seen.add(name)
        if name == WRITTEN and written is not None:
            text = written
        else:
            text = (HEADERS / name).read_text(encoding="utf-8").replace("#pragma once\n", "")
        return _INCLUDE.sub(lambda include: text_of(include[1]), text)

    return text_of(file)


@cache
def unit_hashes() -> dict[str, str]:
    """The host library's translation units, as paths below HEADERS, with a hash of each's text."""
    families = (
        f"translation_units/{path.name}" for path in HEADERS.glob("translation_units/*.cpp")
    )
    units = ["library.cpp", *sorted(families)]
    return {unit: _hash_of(inlined(unit)) for unit in units}


@cache
def source_hash() -> str:
    """Hash of all that the host library is compiled from, the compiler's flags apart."""
    return _hash_of("".join(unit_hashes().values()))


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def headers() -> dict[str, str]:
    """Text of every header, by its path below HEADERS."""
    paths = sorted(HEADERS.glob("*/*.h"))
    return {
        path.relative_to(HEADERS).as_posix(): path.read_text(encoding="utf-8") for path in paths
    }


def _declared(pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str]]]:
    """(header, match) of every declaration; common/types.h defines the macros themselves."""
    for header, text in headers().items():
        if header != "common/types.h":
            yield from ((header, match) for match in pattern.finditer(text))


def _parameters(text: str) -> tuple[Parameter, ...]:
    found = []
    for declaration in filter(None, (part.strip() for part in text.split(","))):
        type_name, name = declaration.replace("const ", "").rsplit(None, 1)
        found.append(
            Parameter(
                name=name,
                type=type_name.rstrip("*").replace("SEPARATRIX_VALUE", "Value"),
                is_array=type_name.endswith("*"),
                is_written=type_name.endswith("*") and not declaration.startswith("const "),
            )
        )
    return tuple(found)


@cache
def kernels() -> dict[str, Kernel]:
    """Every kernel that has a host form, by name."""
    return {
        match["name"]: Kernel(
            match["name"], header, "VALUE" in match["macro"], _parameters(match["parameters"])
        )
        for header, match in _declared(_KERNEL)
    }


@cache
def block_kernels() -> dict[str, Kernel]:
    """The GPU-only forms whose threads share an item, by name."""
    found = {}
    for header, match in _declared(_BLOCK_KERNEL):
        parameters = _parameters(match["parameters"])
        of_values = any(parameter.type in ("Value", "Float") for parameter in parameters)
        found[match["name"]] = Kernel(match["name"], header, of_values, parameters)
    return found


@cache
def host_tasks() -> dict[str, Kernel]:
    """The serial algorithms of the host library, by name."""
    return {
        match["name"]: Kernel(match["name"], header, False, _parameters(match["parameters"]))
        for header, match in _declared(_HOST_TASK)
    }


@cache
def host_loops() -> dict[str, Kernel]:
    """Loops of the host library over reals, whose form on a GPU is another, by name."""
    return {
        match["name"]: Kernel(match["name"], header, True, _parameters(match["parameters"]))
        for header, match in _declared(_HOST_LOOPS)
    }


@cache
def formulas() -> dict[str, str]:
    """The built-in formulas of sums/pairs.h: name -> expression."""
    text = headers()["sums/pairs.h"]
    return {match["name"]: match["expression"] for match in _FORMULA.finditer(text)}


@cache
def constant(name: str) -> int:
    """Value of an enum constant of the headers, which are the only place that states it."""
    for text in headers().values():
        if f"{name} = " in text and (match := re.search(rf"\b{name} = (\d+)", text)):
            return int(match[1])
    raise KeyError(name)


def cuda_options(text: str, dtype: str | None) -> tuple[str, ...]:
    """NVRTC options; no fused multiply-add, since results are compared bit for bit."""
    options: tuple[str, ...] = ("-std=c++17", "-fmad=false")
    options += ("--device-int128",) if "__int128" in text else ()
    return options + ((f"-DSEPARATRIX_VALUE={VALUE_TYPES[dtype]}",) if dtype else ())


@cache
def structs() -> dict[str, tuple[tuple[str, str], ...]]:
    """Structs that kernels take by value: name -> ((field, dtype), ...)."""
    tables = (kernels(), block_kernels(), host_tasks(), host_loops())
    declared = [kernel for table in tables for kernel in table.values()]
    wanted = {p.type for k in declared for p in k.parameters if not p.is_array}
    found = {}
    for name in wanted - {*SCALAR_TYPES}:
        for text in headers().values():
            match = re.search(rf"struct {name} {{\n  (\w+) ([\w, ]+);\n}};", text)
            if match:
                fields = [field.strip() for field in match[2].split(",")]
                found[name] = tuple((field, SCALAR_TYPES[match[1]]) for field in fields)
    return found


def module_name(kernel: Kernel, dtype: str | None) -> str:
    """Name of the CUDA module of a header's kernels, for one dtype if they read values."""
    stem = kernel.header.removesuffix(".h")
    return f"{stem}[{dtype}]" if kernel.of_values else stem


def module_text(name: str, written: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Source text and NVRTC options of a module, with `written` in the place of WRITTEN."""
    text, options = modules()[name]
    return (text if written is None else inlined(f"{name.partition('[')[0]}.h", written)), options


@cache
def modules() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every CUDA module that can be asked for: name -> (source text, NVRTC options)."""
    found = {}
    for kernel in [*kernels().values(), *block_kernels().values()]:
        for dtype in kernel.dtypes:
            text = inlined(kernel.header)
            found[module_name(kernel, dtype)] = (text, cuda_options(text, dtype))
    return found
