"""Each command on a GPU writes, byte for byte, the files that it writes on the CPU."""

import json

import pytest

from shell.command import files_in, separatrix

COMMANDS = {
    "alpha": ("1crn.pdb", "out.vtm", "--probe", 1.4, "--pockets"),
    "critical-points": ("ring.vtu", "out.csv", "--method", "gradient"),
    "density": ("1crn.pdb", "out.vti", "--sigma", 1.2),
    "simplify": ("noisy_field.vti", "out.vti", "--persistence", "5%"),
    "discrete-gradient": ("terrain.vti", "out.vtm"),
    "morse-smale": ("noisy_field.vti", "out.vtm", "--surfaces", "--persistence", "5%"),
    "neighbors": ("1crn.pdb", "out.vtp", "-k", 12, "--radius", 4.5),
    "persistence-diagram": ("noisy_field.vti", "out.vtu"),
    "relations": ("ring.vtu", "out.npz", "--relation", "VV,FT"),
    "rips": ("torus.csv", "out.csv", "--max-dimension", 2),
}


@pytest.mark.gpu
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_on_a_gpu_writes_the_files_of_the_cpu(command, cuda, sample_data, tmp_path):
    sample, *options = COMMANDS[command]
    written = []
    for device in ("cpu", cuda):
        folder = tmp_path / device
        folder.mkdir()
        given = (sample_data / sample, *options, "--device", device, "--json")
        # In a new process: forked ones limit the address space, and CUDA reserves much of it.
        done = separatrix(command, *given, folder=folder, CUDA_VISIBLE_DEVICES="0")
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["device"].startswith(device)
        written.append({name: (folder / name).read_bytes() for name in files_in(folder)})
    assert written[0] == written[1]
