"""GPU code of wheels: found by what it was compiled from, on the GPUs that can run it."""

import numpy as np
import pytest

import build_cuda
import separatrix as sx
from separatrix.kernels import prebuilt, source

FIELD = np.random.default_rng(0).normal(size=(9, 10, 11)).astype(np.float32)
BRIEF = ("common/probe", "homology/merge_rounds")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(prebuilt, "FOLDER", tmp_path)
    prebuilt._pack.cache_clear()
    return tmp_path


@pytest.mark.unsanitized
def test_a_pack_contains_the_code_of_exactly_this_text(folder, monkeypatch, tmp_path_factory):
    modules = {name: source.modules()[name] for name in BRIEF}
    monkeypatch.setattr(source, "modules", lambda: modules)
    build_cuda.build(("sm_80", "compute_80"), folder, tmp_path_factory.mktemp("objects"))
    text, options = modules[BRIEF[0]]
    cubin = prebuilt.find("common", prebuilt.key_of(text, options), (8, 6))
    assert cubin is not None
    assert cubin.startswith(b"\x7fELF")
    assert b"probe_device" in cubin
    assert b".target sm_80" in prebuilt.find("common", prebuilt.key_of(text, options), (9, 0))
    for other in ((text + "\n", options), (text, (*options, "-lineinfo"))):
        assert prebuilt.find("common", prebuilt.key_of(*other), (8, 6)) is None


@pytest.mark.parametrize(
    ("capability", "expected"),
    [
        ((7, 0), []),
        ((7, 5), ["sm_75"]),
        ((8, 0), ["sm_80"]),
        ((8, 7), ["sm_86", "sm_80"]),
        ((9, 0), ["sm_90"]),
        ((10, 3), ["sm_100"]),
        ((11, 0), []),
        ((12, 1), ["sm_120", "compute_120"]),
        ((13, 0), ["compute_120"]),
    ],
)
def test_code_runs_on_later_gpus_of_the_same_generation(folder, capability, expected):
    for name in ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"):
        (folder / f"{name}-common.xz").write_bytes(b"")
    assert prebuilt.fitting(capability) == expected


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b"", lambda b: b"no pack" + b])
def test_a_damaged_pack_counts_as_missing(folder, damage):
    path = folder / "sm_90-common.xz"
    path.write_bytes(prebuilt.pack({"a": b"one", "b": b"two"}))
    assert prebuilt.find("common", "b", (9, 0)) == b"two"
    prebuilt._pack.cache_clear()
    path.write_bytes(damage(path.read_bytes()))
    assert prebuilt.find("common", "b", (9, 0)) is None


@pytest.mark.gpu
def test_code_that_nvrtc_compiles_gives_the_same_bits_as_prebuilt_code(monkeypatch):
    from separatrix.device import cuda

    def answers():
        cuda._module.cache_clear()
        monkeypatch.setattr(cuda, "_functions", {})
        arcs = sx.morse_smale(FIELD, device="cuda").arcs
        return [sx.to_host(column).tobytes() for column in (arcs.upper, arcs.multiplicity)]

    prebuilt_answers = answers()
    monkeypatch.setattr(prebuilt, "find", lambda *anything: None)
    assert answers() == prebuilt_answers
