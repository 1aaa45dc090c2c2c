"""What cannot be done is one sentence and status 2; Ctrl-C is 130; nothing is half-written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from shell.command import assert_refused, files_in, noise, refused, separatrix


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "field.npy", noise(5, 6, 7))
    return tmp_path


REFUSED = {
    "nothing.npy": "nothing.npy: file not found.",
    "field.npy out.stl": "out.stl: cannot write '.stl' files; expected one of .csv, .npz, ",
    "field.npy .vtp": ".vtp: has no suffix; expected one of .csv, .npz, .vti, ",
    "field.npy out.vtm --port segmentation": "--port and .vtm files cannot be combined",
    "field.npy out.vtp --port segmentation": "--port must be one of separatrices-1, "
    "critical-points, separatrices-2, graph for a .vtp file; got 'segmentation'.",
    "field.npy out.vtp --port labels": "--port must be one of separatrices-1, critical-points, ",
    "field.npy --port segmentation": "--port segmentation requires an output file.",
    "field.npy no/where/out.vtm": "the folder {folder}/no/where does not exist",
    "field.npy --spacing 1": "--spacing must be three finite numbers, or two for an image of two",
    "field.npy --origin 1,2": "field.npy: --origin must be three numbers for a volume; got",
    "field.npy --spacing 1,0,1": "spacing must be positive",
    "field.npy --dims 1,2,x": "--dims must be two or three positive integers, as 64,64,64 or "
    "512x512; got '1,2,x'.",
    "field.npy --dims 1,2,0": "--dims must be two or three positive integers",
    "field.npy --dims 7": "--dims must be two or three positive integers",
    "field.npy --persistence much": "--persistence must be a non-negative number or a percentage; "
    "got 'much'.",
    "field.npy --persistence=-1": "--persistence must be a non-negative number or a percentage",
    "field.npy --persistence 5 %": "Write 5% without a space",
    "field.npy out.vtm --persistence 5 %": "Write 5% without a space",
    "field.npy --persistence nan": "--persistence must be a non-negative number",
    "field.npy --persistence 120%": "--persistence must be a fraction from 0 to 1 if --relative; "
    "got 1.2. For a difference in value, set --no-relative.",
    "field.npy --persistence 5 --relative": "--persistence must be a fraction from 0 to 1 if",
    "field.npy --device gpu": "--device must be 'auto', 'cpu', 'cuda', or 'cuda:N'; got 'gpu'.",
    "field.npy out.vti --device gpu": "--device must be 'auto', 'cpu', 'cuda', or 'cuda:N'; got",
    "field.npy --threads -3": "--threads must be an integer from 1 to 1,024; got '-3'.",
    "field.npy --threads many": "--threads must be an integer from 1 to 1,024; got 'many'.",
    "field.npy --threads 2.5": "--threads must be an integer from 1 to 1,024; got '2.5'.",
    "field.npy --order plateaux": "--order must be 'index' or 'plateau'; got 'plateaux'. Did you "
    "mean 'plateau'?",
    "field.npy --memory-limit": "--memory-limit requires a value. See separatrix morse-smale --he",
    "field.npy --quiet=1": "--quiet does not take a value. See separatrix morse-smale --help.",
    "field.npy o.vtm more.vtm": "Unexpected argument 'more.vtm'. See separatrix morse-smale --hel",
    "": "INPUT is missing. See separatrix morse-smale --help.",
    "field.npy --devise cpu": "There is no option --devise. Did you mean --device?",
    "field.npy -z": "There is no option -z. separatrix morse-smale --help lists all options.",
    "field.npy --array x": "field.npy: .npy files contain one array without a name. Omit --array.",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_done_is_one_sentence(folder: Path, arguments: str):
    assert_refused(f"morse-smale {arguments}", REFUSED[arguments], folder)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("morse-small", "There is no command 'morse-small'. Did you mean morse-smale?"),
        ("ripser", "There is no command 'ripser'. Did you mean rips?"),
        ("field.npy", "There is no command 'field.npy'. Commands: morse-smale, persistence-"),
        ("--verison", "There is no option --verison. Did you mean --version?"),
        ("help rip", "There is no command 'rip'. Did you mean rips?"),
    ],
)
def test_a_command_that_is_not_there_is_told_with_the_one_that_may_be_meant(
    folder: Path, command: str, sentence: str
):
    assert_refused(command, sentence, folder)


def test_values_that_are_not_finite_are_refused_for_every_kind_of_output(folder: Path):
    values = noise(5, 6, 7)
    values[1, 2, 3] = np.nan
    np.save(folder / "nan.npy", values)
    with pytest.raises(sx.InputError) as told:
        sx.morse_smale(values)
    for output in ((), ("out.vtm",), ("out.npz",)):
        done = separatrix("morse-smale", "nan.npy", *output, folder=folder)
        assert refused(done) == str(told.value)
    assert files_in(folder) == ["field.npy", "nan.npy"]


def test_an_array_that_is_not_there_is_told_with_those_that_are(folder: Path):
    assert separatrix("morse-smale", "field.npy", "a.vti", folder=folder).returncode == 0
    sentence = (
        "The point or cell array 'density' was not found; available: point arrays Scalars, "
        "DescendingManifold, AscendingManifold, MorseSmaleManifold; cell arrays none."
    )
    for output in ((), ("b.vtm",)):
        done = separatrix("morse-smale", "a.vti", *output, "-a", "density", folder=folder)
        assert refused(done) == sentence
    assert separatrix("morse-smale", "a.vti", "-a", "Scalars", folder=folder).returncode == 0


def test_a_truncated_file_is_refused_without_vtks_own_noise(folder: Path):
    separatrix("morse-smale", "field.npy", "a.vti", folder=folder)
    content = (folder / "a.vti").read_bytes()
    (folder / "a.vti").write_bytes(content[:-200])
    told = refused(separatrix("morse-smale", "a.vti", "b.vtm", folder=folder))
    assert told.startswith("a.vti: truncated or damaged (")
    assert files_in(folder) == ["a.vti", "field.npy"]


def test_a_gpu_that_is_not_there_is_refused_with_the_reason(folder: Path):
    gpu = next((d for d in sx.devices() if d.name.startswith("cuda")), None)
    if gpu is None or gpu.usable:
        pytest.skip("there is a GPU")
    for output in ((), ("out.vtm",)):
        done = separatrix("morse-smale", "field.npy", *output, "--device", "cuda", folder=folder)
        assert refused(done, 3) == f"cuda:0 cannot be used: {gpu.reason}"


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_without_the_command_line_extra_a_sentence_says_how_to_get_it(folder: Path, module: str):
    done = separatrix("morse-smale", "field.npy", folder=folder, without=module)
    if module == "rich" and done.returncode == 0:
        return  # rich is for the bar on a terminal alone
    assert refused(done, 3) == (
        f"{module} is not installed; the command line requires it. Run pip install "
        "'separatrix[cli]'."
    )


def test_without_vtk_commands_that_compute_say_how_to_get_it(folder: Path):
    for arguments in (("field.npy",), ("field.npy", "out.vtm"), ("field.npy", "out.npz")):
        done = separatrix("morse-smale", *arguments, folder=folder, without="vtkmodules")
        assert refused(done, 3) == (
            "VTK is not installed, and every command that computes needs it. Run pip install "
            "'separatrix[vtk]' in an environment that is not ParaView's."
        )
    assert separatrix("devices", folder=folder, without="vtkmodules").returncode == 0
    assert separatrix("cite", "rips", folder=folder, without="vtkmodules").returncode == 0


def test_a_folder_that_cannot_be_written_to_is_told_before_the_work(folder: Path):
    locked = folder / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    try:
        (locked / "probe").write_text("")
    except OSError:
        done = separatrix("morse-smale", "field.npy", "locked/out.vtm", folder=folder)
        assert "is not writable" in refused(done)
    else:
        pytest.skip("this user may write everywhere")
    finally:
        locked.chmod(0o700)


def test_an_output_that_is_a_folder_is_told(folder: Path):
    (folder / "out.vti").mkdir()
    done = separatrix("morse-smale", "field.npy", "out.vti", folder=folder)
    assert refused(done) == "out.vti: is a folder."


def test_a_file_where_the_pieces_of_blocks_go_is_told_before_the_work(folder: Path):
    (folder / "blocks").write_text("mine")
    done = separatrix("morse-smale", "field.npy", "blocks.vtm", folder=folder)
    assert (
        refused(done)
        == "blocks: is a file; expected a folder for the pieces of blocks.vtm. Remove it."
    )
    assert (folder / "blocks").read_text() == "mine"


def test_a_standard_output_that_is_full_is_one_sentence(folder: Path):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    code = "import sys; from separatrix_vtk.cli import main; sys.exit(main(sys.argv[1:]))"
    for arguments in (("critical-points", "field.npy"), ("devices",), ("--version",)):
        with full.open("w") as out:
            done = subprocess.run(
                [sys.executable, "-c", code, *arguments],
                cwd=folder,
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                timeout=100,
            )
        assert done.returncode == 3
        assert done.stderr == "separatrix: standard output: No space left on device\n"


@pytest.mark.parametrize("dimensions", ["3", "0;2", "all", "", "0,,1"])
def test_dimensions_that_there_are_not_are_refused(folder: Path, dimensions: str):
    done = separatrix("persistence-diagram", "field.npy", "--dimensions", dimensions, folder=folder)
    assert refused(done) == (
        f"--dimensions must be one or several of 0, 1 and 2, as 0,2; got {dimensions!r}."
    )


def test_two_wishes_for_one_diagram_file_are_refused(folder: Path):
    done = separatrix(
        "persistence-diagram", "field.npy", "o.csv", "--curves", "-p", "diagram", folder=folder
    )
    assert refused(done) == "--curves and --port diagram cannot be combined. Omit one of them."
    done = separatrix("persistence-diagram", "field.npy", "o.vtu", "--curves", folder=folder)
    assert refused(done) == "--port must be one of diagram for a .vtu file; got 'curves'."
    assert files_in(folder) == ["field.npy"]


@pytest.mark.parametrize("name", ["data.vti", "link.vti"])
def test_the_input_is_never_the_output(folder: Path, name: str):
    assert separatrix("morse-smale", "field.npy", "data.vti", folder=folder).returncode == 0
    (folder / "link.vti").symlink_to("data.vti")
    before = (folder / "data.vti").read_bytes()
    told = refused(separatrix("morse-smale", "data.vti", name, folder=folder))
    assert told == f"{name}: is the input. Choose another name for the output."
    assert (folder / "data.vti").read_bytes() == before


def test_a_port_that_is_switched_off_is_not_written_empty(folder: Path):
    for output, port in (
        ("s.vtp --port separatrices-2 --no-surfaces", "separatrices-2"),
        ("s.vtp --no-separatrices", "separatrices-1"),
        ("s.vti --no-segmentation", "segmentation"),
        ("s.vtp --port graph --no-graph", "graph"),
    ):
        told = refused(separatrix("morse-smale", "field.npy", *output.split(), folder=folder))
        assert told == f"{output.split()[0]} would be empty, because {port} is turned off."
    assert files_in(folder) == ["field.npy"]


@pytest.mark.parametrize(
    ("arguments", "option", "wish"),
    [
        ("o.csv --simplified-field --persistence 5%", "--simplified-field", "segmentation"),
        ("o.csv --surfaces", "--surfaces", "separatrices-2"),
        ("o.vtp -p graph --smooth 3", "--smooth", "separatrices-1"),
        ("o.csv --regions morse_smale --surfaces", "--surfaces", "separatrices-2"),
        ("o.vtp --top-cell-labels", "--top-cell-labels", "segmentation"),
    ],
)
def test_a_file_that_cannot_hold_what_is_asked_for_is_refused(
    folder: Path, arguments: str, option: str, wish: str
):
    told = refused(separatrix("morse-smale", "field.npy", *arguments.split(), folder=folder))
    assert f", but {option} applies to {wish}. Write that to a file of its own (" in told
    assert files_in(folder) == ["field.npy"]


def test_what_is_for_a_file_needs_one(folder: Path):
    told = refused(separatrix("morse-smale", "field.npy", "--surfaces", folder=folder))
    assert told == "--surfaces requires an output file."


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ("o.vtp -p separatrices-2", "--port separatrices-2"),
        ("o.vtm --surfaces", "--surfaces"),
        ("o.npz --surfaces", "--surfaces"),
    ],
)
def test_an_image_of_two_dimensions_has_no_surfaces(folder: Path, arguments: str, option: str):
    np.save(folder / "slice.npy", noise(6, 7))
    told = refused(separatrix("morse-smale", "slice.npy", *arguments.split(), folder=folder))
    assert told == (
        f"{option} requires a volume, but the input is an image of 7 x 6 x 1 points. Omit it."
    )
    assert files_in(folder) == ["field.npy", "slice.npy"]


def test_missing_kernels_are_told_with_the_command_that_builds_them(folder: Path):
    nowhere = {"SEPARATRIX_LIBRARY": "/nonexistent.so"}
    told = refused(separatrix("morse-smale", "field.npy", folder=folder, **nowhere), 3)
    assert "/nonexistent.so" in told
    assert "engine/build_kernels.py" in told
