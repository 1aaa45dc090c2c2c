"""The job scripts of docs/parallel.md run with a stand-in for srun; no cluster is available."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pages.blocks import BLOCKS, REPOSITORY

CPUS = "3"
PVSERVER = f"""#!/bin/sh -e
{sys.executable} -c "import separatrix, separatrix_vtk"
ls $PV_PLUGIN_PATH/*.xml > /dev/null
echo "$@" $SEPARATRIX_NUM_THREADS
"""


def block_with(words: str, language: str) -> str:
    (found,) = (
        block.text
        for block in BLOCKS
        if block.page.name == "parallel.md" and block.language == language and words in block.text
    )
    return found


@pytest.fixture
def submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run a job script in a folder; `srun` runs its command twice, in the way given."""
    (tmp_path / "separatrix").symlink_to(REPOSITORY)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", CPUS)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def run(script: str, srun: str) -> str:
        for name, text in (("job.sh", script), ("srun", f"#!/bin/sh\n{srun}\n")):
            (tmp_path / name).write_text(text, encoding="utf-8")
            (tmp_path / name).chmod(0o755)
        assert script.startswith("#!/bin/")
        done = subprocess.run(
            [tmp_path / "job.sh"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_job_starts_servers_that_find_the_packages(submit, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    (tmp_path / "pvserver").write_text(PVSERVER, encoding="utf-8")
    (tmp_path / "pvserver").chmod(0o755)
    found = submit(block_with("srun pvserver", "sh"), '"$@" && exec "$@"')
    assert found.splitlines() == [f"--server-port=11111 {CPUS}"] * 2


def test_a_job_starts_ranks_that_compute_one_complex(submit, tmp_path, monkeypatch):
    if find_spec("mpi4py") is None or shutil.which("mpiexec") is None:
        pytest.skip("mpi4py or mpiexec was not found")
    for name in ("", "_CONFIRM"):  # containers are run by root
        monkeypatch.setenv(f"OMPI_ALLOW_RUN_AS_ROOT{name}", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    np.save(tmp_path / "image.npy", np.random.default_rng(3).random((9, 8, 7)))
    program = block_with("sx.morse_smale_piece(image, MPI.COMM_WORLD)", "python")
    kept = "open(f'rank {MPI.COMM_WORLD.rank}', 'w').write(f'{piece.layers} {labels.shape}')\n"
    (tmp_path / "pieces.py").write_text(program + kept, encoding="utf-8")
    srun = 'exec mpiexec --oversubscribe --mca mpi_yield_when_idle 1 -n 2 "$@"'
    submit(block_with("srun python pieces.py", "sh"), srun)
    found = [(tmp_path / f"rank {rank}").read_text(encoding="utf-8") for rank in range(2)]
    assert found == ["(0, 5) (5, 8, 7)", "(5, 9) (4, 8, 7)"]
