"""Every CUDA module compiles for every architecture that we name, by NVRTC, without a GPU.

Only one kernel asks for its architecture: for the others, the oldest and the newest suffice. The
first tier compiles without optimization, which reads the same source in a tenth of the time.
"""

import re

import pytest

from build_cuda import compiled
from separatrix.kernels import source

pytestmark = pytest.mark.unsanitized  # NVRTC's work: nothing of the library runs
MODULES = source.modules()


def is_brief(name: str, architecture: str) -> bool:
    """Whether a module belongs to the first tier: each header once, for the oldest architecture."""
    return architecture == "sm_75" and ("[" not in name or "[float32]" in name)


CASES = [
    pytest.param(name, architecture, marks=() if is_brief(name, architecture) else pytest.mark.long)
    for architecture in ("sm_75", "sm_80", "sm_90")
    for name in MODULES
]


@pytest.mark.parametrize(("name", "architecture"), CASES)
def test_the_module_compiles_without_a_warning(name, architecture):
    text, options = MODULES[name]
    options += ("-diag-suppress=177",)  # a header offers more functions than each module uses
    if is_brief(name, architecture):
        options += ("--Ofast-compile=max",)
    status, log, cubin = compiled(text, options, architecture)
    assert status == 0, log
    assert "warning" not in log, log
    kernels = [k for k in all_kernels() if name in names_of(k)]
    assert kernels
    for kernel in kernels:
        assert kernel.name.encode() in cubin


def all_kernels() -> list[source.Kernel]:
    return [*source.kernels().values(), *source.block_kernels().values()]


OF_MACROS = ("common/types.h", "common/team_kernel.h")
"""Headers that define the macros of kernels."""


def names_of(kernel: source.Kernel) -> list[str]:
    return [source.module_name(kernel, dtype) for dtype in kernel.dtypes]


def test_one_kernel_asks_for_its_architecture():
    asking = [name for name, text in source.headers().items() if "__CUDA_ARCH__" in text]
    assert asking == ["sums/tensor_tiles.h"]  # whose kernel is empty before tensor cores had TF32


def test_every_header_with_a_kernel_has_a_module():
    with_kernels = {kernel.header for kernel in all_kernels()}
    declared = {
        header
        for header, text in source.headers().items()
        if re.search(r"KERNEL\(|__global__", text) and header not in OF_MACROS
    }
    assert with_kernels == declared
    assert {name.split("[")[0] + ".h" for name in MODULES} == declared


def test_no_two_headers_name_a_kernel_alike():
    """The library has one symbol of a name, whichever header it comes from."""
    headers = {}
    for header, text in source.headers().items():
        for name in re.findall(r"^(?:\w+_)?(?:KERNEL|TASK|LOOPS)\(\s*(\w+),", text, re.M):
            if header not in OF_MACROS:
                headers.setdefault(name, set()).add(header)
    assert len(headers) > 100
    assert {name: found for name, found in headers.items() if len(found) > 1} == {}


def test_every_form_of_blocks_is_found():
    written = {
        name
        for header, text in source.headers().items()
        for name in re.findall(r"(?:__global__ void[^;{]*?|^TEAM_KERNEL\()(\w+)[(,]\n", text, re.M)
        if header not in OF_MACROS
    }
    assert written
    assert set(source.block_kernels()) == written


def test_every_value_dtype_has_a_module_of_every_kernel_that_reads_values():
    for kernel in all_kernels():
        assert set(names_of(kernel)) <= set(MODULES)


def test_contraction_is_off_in_every_module():
    assert all("-fmad=false" in options for _, options in MODULES.values())


def test_a_module_includes_only_what_the_kernel_cache_tracks():
    assert all('#include "' not in text for text, _ in MODULES.values())


def test_a_broken_kernel_does_not_compile_and_the_log_locates_the_error():
    status, log, _ = compiled("void f() { undeclared = 1; }", (), "sm_90")
    assert status != 0
    assert "undeclared" in log
