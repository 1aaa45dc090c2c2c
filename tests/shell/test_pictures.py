"""`--picture` draws what a command has computed, in the colors of the palette."""

import numpy as np
import pytest

from paraview_app.pictures import pixels_of, shows
from separatrix.plotting import palette
from separatrix_vtk.cli import main
from shell.command import separatrix

MINIMUM, SADDLE, MAXIMUM = (kind.color for kind in palette.critical_categories(2))
COMPONENTS, LOOPS, VOIDS = (kind.color for kind in palette.bar_categories(3))
SURFACE = palette.tint(palette.SKY_BLUE)
SEEN = {
    "morse-smale terrain.vti --persistence 10%": (MINIMUM, SADDLE, MAXIMUM),
    "morse-smale two_centers.vti --surfaces --no-connectors": (palette.ORANGE, palette.SKY_BLUE),
    "critical-points ring.vtu --array temperature --method link": (MINIMUM, SADDLE, MAXIMUM),
    "discrete-gradient terrain.vti --stride 16": (MINIMUM, SADDLE, MAXIMUM, palette.GRAY),
    "persistence-diagram noisy_field.vti --dimensions 0,1": (COMPONENTS, LOOPS),
    "rips torus.csv --max-dimension 2 --threshold 1": (COMPONENTS, LOOPS, VOIDS),
    "alpha 1crn.pdb --probe 1.4 --pockets": (palette.YELLOW,),
    "relations ring.vtu": (SURFACE,),
}


@pytest.mark.parametrize("command", SEEN, ids=lambda command: command.split()[0])
def test_a_picture_shows_each_kind_in_its_color(command, tmp_path, sample_data, capfd):
    name, file, *options = command.split()
    picture = tmp_path / "out.png"
    arguments = [name, str(sample_data / file), *options, "--picture", str(picture), "--quiet"]
    assert main(arguments) == 0
    assert capfd.readouterr() == ("", "")
    pixels = pixels_of(picture)
    assert all(shows(pixels, color, 20) for color in SEEN[command])


def test_the_regions_of_an_image_match_their_labels(tmp_path):
    wells, picture = str(tmp_path / "wells.npy"), tmp_path / "out.png"
    np.save(wells, -np.abs(np.arange(21.0) - 10.0) + np.zeros((21, 1)))
    assert main(["morse-smale", wells, "--picture", str(picture), "--order", "plateau"]) == 0
    pixels = pixels_of(picture)
    middle = pixels[len(pixels) // 2]
    left, right = (middle[int(part * len(middle))] for part in (0.42, 0.58))
    colors = palette.label_colors(2)
    assert np.abs(left - colors[0]).max() < 0.02
    assert np.abs(right - colors[1]).max() < 0.02


@pytest.mark.parametrize(
    "command",
    [
        "simplify noisy_field.vti field.vti --persistence 20%",
        "neighbors 1crn.pdb points.csv",
    ],
)
def test_fields_are_drawn_in_a_range_of_colors(command, tmp_path, sample_data):
    name, file, output, *options = command.split()
    written, picture = tmp_path / output, tmp_path / "out.png"
    arguments = [name, str(sample_data / file), str(written), *options, "--picture", str(picture)]
    assert main(arguments) == 0
    assert written.is_file()
    pixels = (255 * pixels_of(picture)).round().reshape(-1, 3)
    assert len(np.unique(pixels // 8, axis=0)) > 100


def test_a_chart_can_be_a_vector_graphic(folder):
    arguments = ("persistence-diagram", "field.npy", "--picture", "out.svg")
    assert separatrix(*arguments, folder=folder).returncode == 0
    text = (folder / "out.svg").read_text()
    assert all("#{:02x}{:02x}{:02x}".format(*(round(255 * c) for c in color)) in text
               for color in (COMPONENTS, LOOPS, VOIDS))  # fmt: skip


def test_a_picture_that_cannot_be_written_is_rejected_before_the_computation(folder):
    done = separatrix("morse-smale", "field.npy", "--picture", "out.bmp", folder=folder)
    assert done.returncode == 2
    assert "cannot write '.bmp' files; expected one of .png, .svg, .pdf" in done.stderr
    arguments = ("morse-smale", "field.npy", "--picture", "out.png")
    done = separatrix(*arguments, folder=folder, without="pyvista")
    assert done.returncode == 3
    assert "require pyvista, which is not installed" in done.stderr
    assert "pip install 'separatrix[plot]'" in done.stderr
