"""Thresholds, connectors, tables and the persistence diagram in the shell."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from shell.command import files_in, noise, read, rows_in, separatrix

VALUES = noise(5, 6, 7)


def rows_of(path: Path) -> list[dict[str, float]]:
    with path.open(newline="") as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def run(folder: Path, *arguments: object) -> str:
    done = separatrix(*arguments, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_json_of_a_run_reports_simplification(folder):
    reported = json.loads(run(folder, "morse-smale", "field.npy", "--persistence", "10%", "--json"))
    raw = sx.morse_smale(VALUES)
    expected = raw.simplify(0.1, relative=True)
    assert reported["persistence"] == pytest.approx(expected.persistence)
    assert reported["critical_cells"] == list(expected.critical.counts)
    assert reported["canceled_pairs"] == (len(raw.critical) - len(expected.critical)) // 2
    assert reported["skipped_pairs"] == expected.skipped.counts


def test_the_table_reports_simplification_and_the_written_port(folder):
    np.save(folder / "tied.npy", (VALUES / 10).astype(np.uint8))
    port = ("--port", "critical-points")
    rows = rows_in(run(folder, "morse-smale", "tied.npy", "out.vtp", "--persistence", "3", *port))
    complex = sx.morse_smale(np.load(folder / "tied.npy"))
    pairs, left = complex.persistence_pairs, complex.simplify(3).persistence_pairs
    n_left = [len(left.nonzero().of_dimension(d)) for d in range(3)]
    assert n_left[0] == complex.simplify(3).critical.counts[0]
    assert rows["persistence threshold"] == "3"
    assert int(rows["pairs canceled"]) > 0
    assert rows["pairs skipped"].split()[0] == str(len(complex.simplify(3).skipped))
    assert [int(rows[f"pairs of dimension {d} left"]) for d in range(3)] == n_left
    reported = f"{pairs.n_artifacts} critical points of zero persistence"
    assert rows["artifacts of equal values"] == reported
    assert rows["written"] == "out.vtp (critical-points)"
    assert rows_in(run(folder, "morse-smale", "tied.npy", "out.vtp"))["written"] == (
        "out.vtp (separatrices-1)"
    )
    assert "persistence threshold" not in run(folder, "morse-smale", "tied.npy")


def test_skipped_saddles_are_omitted_and_counted_unless_kept(folder):
    np.save(folder / "noise.npy", noise(12, 12, 12))
    level = sx.morse_smale(np.load(folder / "noise.npy"), persistence=12)
    n_skipped = len(level.critical) - int(level.is_persistent.sum())
    assert n_skipped > 0
    for n_omitted, kept in ((n_skipped, ()), (0, ("--keep-skipped-saddles",))):
        command = ("morse-smale", "noise.npy", "p.csv", "--persistence", "12", *kept)
        assert rows_in(run(folder, *command))["saddles omitted"] == str(n_omitted)
        assert len(rows_of(folder / "p.csv")) == len(level.critical) - n_omitted
        assert json.loads(run(folder, *command, "--json"))["omitted_saddles"] == n_omitted


def test_a_table_of_regions_is_written_next_to_the_blocks(folder):
    run(folder, "morse-smale", "field.npy", "o.vtm", "--regions", "descending")
    assert "o/o_5.csv" in files_in(folder)
    n_minima = sx.morse_smale(VALUES).critical.counts[0]
    assert len(rows_of(folder / "o" / "o_5.csv")) == n_minima
    assert read(folder / "o.vtm").GetNumberOfBlocks() == 5
    run(folder, "morse-smale", "field.npy", "o.vtm")
    assert "o/o_5.csv" not in files_in(folder)


@pytest.mark.parametrize("dimensions", [(0, 1, 2), (2,)])
def test_the_table_counts_the_pairs_of_the_requested_dimensions(folder, dimensions):
    command = ["persistence-diagram", "field.npy", "--dimensions", ",".join(map(str, dimensions))]
    rows = rows_in(run(folder, *command, "d.vtu"))
    pairs = sx.persistence_diagram(VALUES)
    expected = {f"pairs of dimension {d}": str(len(pairs.of_dimension(d))) for d in dimensions}
    assert {name: n for name, n in rows.items() if name.startswith("pairs")} == expected
    assert rows["written"] == "d.vtu (diagram)"
    reported = json.loads(run(folder, *command, "--json"))
    assert reported["pairs"] == [
        len(pairs.of_dimension(d)) if d in dimensions else None for d in range(3)
    ]


def test_positions_of_a_diagram_are_in_the_image(folder):
    np.save(folder / "slice.npy", VALUES[0])
    place = ("--spacing", "2,3,4", "--origin", "10,20,30")
    run(folder, "persistence-diagram", "slice.npy", "d.npz", "--dimensions", "0,1", *place)
    expected = sx.morse_smale(VALUES[0], spacing=(2, 3, 4), origin=(10, 20, 30))
    pairs = sx.persistence_diagram(VALUES[0])
    with np.load(folder / "d.npz") as arrays:
        found = arrays["diagram.Coordinates"][:-2:2]
    np.testing.assert_array_equal(found, expected.critical.position[pairs.birth_row])


@pytest.mark.parametrize("options", [("0,2",), ("0", "--dimensions", "2"), ("2,0",)])
def test_several_dimensions_are_written_in_one_or_in_several_options(folder, options):
    text = run(folder, "persistence-diagram", "field.npy", "--dimensions", *options)
    reported = [name for name in rows_in(text) if name.startswith("pairs")]
    assert reported == ["pairs of dimension 0", "pairs of dimension 2"]
