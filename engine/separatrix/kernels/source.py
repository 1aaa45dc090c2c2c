"""Sources of the kernels: inlined text, its hash, and the parameters of each kernel.

Kernels are declared only in headers. This module parses their ``KERNEL(name, (parameters), body)``
lines, so that the arguments of each launch can be checked. NVRTC compiles the inlined text of a
header, so CuPy's kernel cache depends on all included headers.

Only the standard library is imported, because the build hook loads this file by its path.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

HEADERS = Path(__file__).resolve().parent

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
"""C++ types by dtype, for the instances of value kernels."""

SCALAR_TYPES = {
    "Int8": "int8",
    "Byte": "uint8",
    "HalfWord": "uint16",
    "Int32": "int32",
    "Anchor": "int32",  # int64 in kernels for large images
    "Word": "uint32",
    "Index": "int64",
    "Wide": "uint64",
    "Real": "float64",
}
"""Dtypes by scalar type of kernels."""

FLOAT_TYPES = ("float32", "float64")
"""Dtypes of the instances of kernels over reals, ``Float`` in their headers."""

_INCLUDE = re.compile(r'^\s*#include "([^"]+)"\s*$', re.MULTILINE)
_FORMULA = re.compile(r"^FORMULA\((?P<name>\w+),\s*(?P<expression>.+)\)$", re.MULTILINE)
_BLOCK_KERNEL = re.compile(
    r'^extern "C" __global__ void __launch_bounds__\([^)]*\)\s+(?P<name>\w+)\(\s*'
    r"(?P<parameters>[^)]*)\)",
    re.MULTILINE,
)
WRITTEN = "sums/written.h"
"""Header that a text made at run time replaces: a caller's formula."""


def _by_macro(macro: str) -> re.Pattern[str]:
    """Return the pattern of declarations ``MACRO(name, (parameters)``."""
    return re.compile(rf"^{macro}\(\s*(?P<name>\w+)\s*,\s*\((?P<parameters>[^)]*)\)", re.MULTILINE)


@dataclass(frozen=True)
class Parameter:
    """Parameter of a kernel; ``type`` omits const and pointers, such as ``Grid`` or ``Value``."""

    name: str
    type: str
    is_array: bool
    is_written: bool


@dataclass(frozen=True, eq=False)  # so that hashing is fast
class Kernel:
    """Kernel as its header declares it; ``header`` is a path below HEADERS, as in `#include`."""

    name: str
    header: str
    parameters: tuple[Parameter, ...]

    @cached_property
    def of_values(self) -> bool:
        """Whether there is one instance per dtype."""
        return any(parameter.type in ("Value", "Float") for parameter in self.parameters)

    @cached_property
    def dtypes(self) -> tuple[str | None, ...]:
        """Dtypes with an instance; (None,) for a kernel that reads no values."""
        if any(parameter.type == "Float" for parameter in self.parameters):
            return FLOAT_TYPES
        return tuple(VALUE_TYPES) if self.of_values else (None,)


@cache
def inlined(file: str, written: str | None = None) -> str:
    """Return the text of a header or a translation unit with each header of ours inlined once.

    `written`, if given, replaces ``sums/written.h``.
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
    """Return hashes of the host library's translation units by path below HEADERS."""
    families = (
        f"translation_units/{path.name}" for path in HEADERS.glob("translation_units/*.cpp")
    )
    units = ["library.cpp", *sorted(families)]
    return {unit: _hash_of(inlined(unit)) for unit in units}


@cache
def source_hash() -> str:
    """Return the hash of all sources of the host library."""
    return _hash_of("".join(unit_hashes().values()))


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def headers() -> dict[str, str]:
    """Return the text of each header by its path below HEADERS."""
    paths = sorted(HEADERS.glob("*/*.h"))
    return {
        path.relative_to(HEADERS).as_posix(): path.read_text(encoding="utf-8") for path in paths
    }


def _declared(pattern: re.Pattern[str]) -> dict[str, Kernel]:
    """Return all declarations by name, except in common/types.h, which defines the macros."""
    return {
        match["name"]: Kernel(match["name"], header, _parameters(match["parameters"]))
        for header, text in headers().items()
        for match in pattern.finditer(text)
        if header != "common/types.h"
    }


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
    """Return the kernels with a host form by name."""
    return _declared(_by_macro(r"(?:COARSE_|ROW_|TEAM_)?(?:VALUE_)?KERNEL"))


@cache
def block_kernels() -> dict[str, Kernel]:
    """Return the kernels whose threads share an item on a GPU, by name."""
    return {**_declared(_BLOCK_KERNEL), **_declared(_by_macro("TEAM_KERNEL"))}


@cache
def host_tasks() -> dict[str, Kernel]:
    """Return the serial algorithms of the host library by name."""
    return _declared(_by_macro("HOST_TASK"))


@cache
def host_loops() -> dict[str, Kernel]:
    """Return the loops over reals of the host library, with other forms on GPUs, by name."""
    return _declared(_by_macro("HOST_LOOPS"))


@cache
def of_large_images() -> dict[str, Kernel]:
    """Return the forms of kernels and tasks for images of 2^31 voxels or more by plain name."""
    text = inlined("translation_units/morse_large.cpp")
    patterns = (_by_macro(r"(?:COARSE_|ROW_)?KERNEL"), _by_macro("HOST_TASK"))
    names = [match["name"] for pattern in patterns for match in pattern.finditer(text)]
    return {name: _of_large_images({**kernels(), **host_tasks()}[name]) for name in names}


def _of_large_images(kernel: Kernel) -> Kernel:
    parameters = (
        replace(parameter, type="Index") if parameter.type == "Anchor" else parameter
        for parameter in kernel.parameters
    )
    return replace(kernel, name=f"{kernel.name}_large", parameters=tuple(parameters))


@cache
def formulas() -> dict[str, str]:
    """Return the expressions of the built-in formulas of sums/pairs.h by name."""
    text = headers()["sums/pairs.h"]
    return {match["name"]: match["expression"] for match in _FORMULA.finditer(text)}


@cache
def constant(name: str) -> int:
    """Return the value of an enum constant of the headers."""
    for text in headers().values():
        if f"{name} = " in text and (match := re.search(rf"\b{name} = (\d+)", text)):
            return int(match[1])
    raise KeyError(name)


@cache
def enumerators(name: str) -> tuple[str, ...]:
    """Return the names of an enum of the headers, which are numbered from 0."""
    for text in headers().values():
        if match := re.search(rf"enum {name} {{([^}}]*)}}", text):
            return tuple(re.findall(r"\w+", re.sub(r"//.*", "", match[1])))
    raise KeyError(name)


OPTIONS_OF_CUPY = ("-ftz=true",)
"""Options that CuPy appends to those of each module."""


def cuda_options(text: str, dtype: str | None) -> tuple[str, ...]:
    """Return the options of NVRTC, without fused multiply-add for bit-identical results."""
    options: tuple[str, ...] = ("-std=c++17", "-fmad=false")
    options += ("--device-int128",) if "__int128" in text else ()
    return options + ((f"-DSEPARATRIX_VALUE={VALUE_TYPES[dtype]}",) if dtype else ())


@cache
def structs() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the structs that kernels take by value, as ((field, dtype), ...) by name."""
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
    """Return the name of the CUDA module of a header, for one dtype if it reads values."""
    stem = kernel.header.removesuffix(".h")
    return f"{stem}[{dtype}]" if kernel.of_values else stem


def module_text(name: str, written: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return the text and NVRTC options of a module; `written` replaces WRITTEN."""
    text, options = modules()[name]
    return (text if written is None else inlined(f"{name.partition('[')[0]}.h", written)), options


@cache
def modules() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the text and NVRTC options of each CUDA module by name."""
    found = {}
    for kernel in [*kernels().values(), *block_kernels().values()]:
        for dtype in kernel.dtypes:
            text = inlined(kernel.header)
            found[module_name(kernel, dtype)] = (text, cuda_options(text, dtype))
    return found
