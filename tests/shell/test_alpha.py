"""`separatrix alpha`: files, printed output, and errors."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix_vtk.cli.app import with_lists
from shell.command import files_in, read, refused, rows_in, separatrix

CRAMBIN = Path(__file__).resolve().parents[2] / "sample_data" / "1crn.pdb"
BALLS = np.random.default_rng(6).random((40, 4)).round(3) * [6, 6, 6, 0.5] + [0, 0, 0, 0.8]


@pytest.fixture
def folder(tmp_path):
    with (tmp_path / "balls.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "z", "radius"])
        writer.writerows(BALLS.round(3).tolist())
    return tmp_path


def expected(alpha: float, **options: Any) -> sx.AlphaComplex:
    places = BALLS.round(3)
    return sx.alpha_complex(places[:, :3], places[:, 3], alpha, device="cpu", **options)


def test_numbers_after_alpha_become_one_argument():
    line = ["alpha", "f.pdb", "--alpha", "0", "-1.5", "2e1", "--probe", "1.4"]
    assert with_lists(line) == ["alpha", "f.pdb", "--alpha=0,-1.5,2e1", "--probe", "1.4"]
    line = ["alpha", "--alpha", "3", "f.pdb", "4"]
    assert with_lists(line) == ["alpha", "--alpha=3", "f.pdb", "4"]
    assert with_lists(["alpha", "--alpha", "x"]) == ["alpha", "--alpha", "x"]
    assert with_lists(["density", "--alpha", "0", "1"]) == ["density", "--alpha", "0", "1"]
    assert with_lists([]) == []


def test_the_command_of_the_docs_prints_one_column_per_alpha():
    line = f"alpha {CRAMBIN} --alpha 0 1.4 --probe 1.4 --measures"
    done = separatrix(*line.split(), folder=CRAMBIN.parent)
    assert (done.returncode, done.stderr) == (0, "")
    rows = {line[:20].strip(): line[20:].split() for line in done.stdout.splitlines()}
    assert rows["atoms"][0] == "327"
    assert rows["alpha"] == ["0", "1.4"]
    assert rows["tetrahedra"] == ["1426", "1473"]
    assert rows["Euler characteristic"] == ["2", "1"]
    assert rows["volume"] == ["8357.322", "9024.276"]
    assert rows["area"] == ["2971.323", "3017.153"]
    assert rows["voids"] == ["1", "0"]


def test_json_has_the_numbers_of_each_alpha_in_the_order_given(folder):
    done = separatrix(
        "alpha", "balls.csv", "--alpha", "1", "-0.2", "0", "-m", "--json", folder=folder
    )
    reported = json.loads(done.stdout)
    assert [report["alpha"] for report in reported["complexes"]] == [1.0, -0.2, 0.0]
    for report in reported["complexes"]:
        complex = expected(report["alpha"])
        assert report["triangles"] == len(complex.triangles)
        assert report["total_volume"] == complex.volume()
        assert [report[f"betti_{d}"] for d in range(3)] == list(complex.betti)
    assert reported["device"] == "cpu" or reported["device"].startswith("cuda")


def test_a_vtm_file_contains_every_port_and_other_files_one(folder):
    wished = ("--pockets", "--diagram")
    assert separatrix("alpha", CRAMBIN, "all.vtm", *wished, folder=folder).returncode == 0
    assert files_in(folder) == [
        "all.vtm", "all/all_0.vtu", "all/all_1.vtp", "all/all_2.vtp", "all/all_3.vtp",
        "all/all_4.vtp", "all/all_5.vtu", "all/all_6.vtu", "balls.csv",
    ]  # fmt: skip
    done = separatrix("alpha", CRAMBIN, "p.vtp", "--pockets", "-q", folder=folder)
    assert (done.returncode, done.stdout) == (0, "")
    pockets = read(folder / "p.vtp")
    assert pockets.GetCellData().HasArray("IsMouth")
    done = separatrix("alpha", CRAMBIN, "b.vtp", "--port", "boundary", folder=folder)
    assert read(folder / "b.vtp").GetCellData().HasArray("VoidId")
    regions = ("--pockets", "--protrusion-radius", "3")
    for name, port, more in (("atoms.csv", "atoms", regions), ("d.csv", "diagram", ())):
        done = separatrix("alpha", "balls.csv", name, "-p", port, *more, folder=folder)
        assert (done.returncode, done.stderr) == (0, "")
    with (folder / "atoms.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["Area"]) for row in rows] == expected(0.0).per_ball().area.tolist()
    assert rows[0].keys() >= {"VoidId", "PocketId", "ProtrusionId"}
    with (folder / "d.csv").open() as file:
        assert {row["PairType"] for row in csv.DictReader(file)} >= {"0", "1"}


def test_sizes_are_constant_or_arrays_or_those_of_elements(folder):
    lines = {
        ("--constant-radius", "1.1"): 1.1,
        ("--radii", "radius"): BALLS.round(3)[:, 3],
        (): BALLS.round(3)[:, 3],
    }
    for options, radii in lines.items():
        done = separatrix("alpha", "balls.csv", "--json", *options, folder=folder)
        whole = sx.alpha_complex(BALLS.round(3)[:, :3], radii, device="cpu")
        (reported,) = json.loads(done.stdout)["complexes"]
        assert reported["tetrahedra"] == len(whole.tets)
    done = separatrix("alpha", "balls.csv", "--json", "--weights", "radius", folder=folder)
    weights = BALLS.round(3)[:, 3]
    whole = sx.alpha_complex(BALLS.round(3)[:, :3], weights=weights, device="cpu")
    assert json.loads(done.stdout)["complexes"][0]["tetrahedra"] == len(whole.tets)
    bare = separatrix("alpha", CRAMBIN, "-m", "--json", folder=folder)
    larger = separatrix("alpha", CRAMBIN, "-m", "--json", "--atoms", "C=1.9", folder=folder)
    volumes = [json.loads(d.stdout)["complexes"][0]["total_volume"] for d in (bare, larger)]
    assert volumes[1] > volumes[0] == pytest.approx(3571.703, abs=1e-3)


def test_omitted_atoms_and_models_are_reported(folder):
    atom = "{:6s}{:5d}  O   {} A   1    {:8.3f}   0.000   0.000  1.00  0.00           O\n"
    model = atom.format("ATOM", 1, "GLY", 0.0) + atom.format("HETATM", 2, "HOH", 5.0)
    lines = [f"MODEL     {k:4d}\n{model}ENDMDL\n" for k in (3, 4)]
    (folder / "two.pdb").write_text("".join(lines) + "END\n")
    done = separatrix("alpha", "two.pdb", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    rows = rows_in(done.stdout)
    assert rows["atoms"] == "1 of two.pdb"
    assert rows["omitted"].startswith("1 atoms: HETATM, water")
    assert rows["model"].startswith("3, one of 2;")
    done = separatrix("density", "two.pdb", "--sigma", "1", folder=folder)
    reported = rows_in(done.stdout)
    assert (reported["omitted"], reported["model"]) == (rows["omitted"], rows["model"])
    done = separatrix("alpha", "two.pdb", "--atoms", "model=all", folder=folder)
    assert (done.returncode, done.stderr.count("models overlap")) == (0, 0)
    assert "2 of two.pdb" in done.stdout
    done = separatrix("alpha", "balls.csv", folder=folder)
    assert "omitted" not in done.stdout
    assert "model" not in done.stdout


def test_the_boundary_and_voids_of_a_box_are_written_in_one_piece(folder):
    line = "alpha balls.csv {} --alpha 0.8 --box 6,6,6 -m"
    complex = expected(0.8, box=(6.0, 6.0, 6.0))
    voids, surface = complex.voids(), complex.boundary_surface()
    for name, n_triangles in (("voids.vtp", len(voids.facets)), ("boundary.vtp", len(surface))):
        done = separatrix(*line.format(name).split(), "--port", name[:-4], folder=folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert read(folder / name).GetNumberOfPolys() == n_triangles > 0
    rows = {line[:20].strip(): line[20:].split() for line in done.stdout.splitlines()}
    assert float(rows["volume of voids"][0]) == pytest.approx(float(voids.volume.sum()), abs=6e-4)


@pytest.mark.parametrize("box", ["6,6", "6,6,0", "6,6,6,90,90", "6,6,6,90,90,180", "6,6,inf", "a"])
def test_a_box_that_is_not_lengths_and_angles_is_rejected(folder, box):
    assert refused(separatrix("alpha", "balls.csv", "--box", box, folder=folder)) == (
        "--box must be three positive lengths, or three lengths and three angles below 180; got "
        f"{box!r}."
    )
