"""Outputs of each filter on a GPU are bit for bit those on the CPU."""

import pytest

from filters.images import image_with, noise
from reliability.filter_runs import FILTERS, bits_of, make, update


@pytest.mark.gpu
@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_on_a_gpu_returns_the_same_bits_as_on_the_cpu(name, k, cuda, monkeypatch):
    monkeypatch.setattr("separatrix.rips.forecast.Forecast.suits_host", lambda *_: False)
    monkeypatch.setattr("separatrix.rips.forecast.FEW_POINTS", 0)
    of_cpu, of_gpu = (update(make(name, device), k) for device in ("cpu", cuda))
    if "device" in of_cpu.report:  # a reader computes nothing
        assert (of_cpu.report["device"], of_gpu.report["device"]) == ("cpu", "cuda:0")
    assert bits_of(of_gpu) == bits_of(of_cpu)


@pytest.mark.gpu
def test_every_output_of_a_complex_on_a_gpu_has_the_bits_of_the_cpu(cuda):
    of_cpu, of_gpu = make("MorseSmaleComplex"), make("MorseSmaleComplex", cuda)
    for filter in (of_cpu, of_gpu):
        filter.compute_ascending_separatrices_2 = filter.compute_top_cell_labels = True
        filter.compute_simplified_field, filter.region_table = True, "morse_smale"
        filter.persistence, filter.smoothing_iterations = 5.0, 2
        filter.SetInputData(image_with(noise(4, 5, 6)))
        filter.Update()
        assert filter.last_error == ""
    assert bits_of(of_gpu) == bits_of(of_cpu)
