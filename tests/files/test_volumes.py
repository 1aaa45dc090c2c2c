"""Every readable format yields the same field; other files raise a one-line error."""

import bz2
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkMetaImageWriter
from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

from separatrix import InputError
from separatrix_vtk.base.input_array import find_input_array
from separatrix_vtk.filters.scalar_field.image import ImageField, image_field, require_image
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.formats import OF_FIELDS
from separatrix_vtk.io.labeled_images import image_of
from separatrix_vtk.io.volumes import read_volume
from shell.command import noise

VALUES = noise(4, 5, 6)
SPACING, ORIGIN = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)
NRRD = """NRRD0004
# a comment
type: float
dimension: 3
space: left-posterior-superior
sizes: 6 5 4
space directions: (1,0,0) (0,2,0) (0,0,3)
kinds: domain domain domain
endian: little
encoding: {encoding}
space origin: (4,5,6)
{more}
"""


def write(folder: Path, name: str) -> Path:
    """The test volume in the format that the name says."""
    path, image = folder / name, image_of(VALUES, "density", SPACING, ORIGIN)
    data = VALUES.tobytes()
    if path.suffix == ".vti":
        writer = vtkXMLImageDataWriter()
        if "ascii" in name:
            writer.SetDataModeToAscii()
    elif path.suffix in (".mhd", ".mha"):
        writer = vtkMetaImageWriter()
        writer.SetCompression("compressed" in name)
    elif path.suffix == ".npy":
        np.save(path, VALUES)
        return path
    elif path.suffix == ".raw":
        path.write_bytes(data)
        return path
    else:
        encoding = next((e for e in ("gzip", "bzip2", "ascii") if e in name), "raw")
        encoded = {
            "raw": data,
            "gzip": gzip.compress(data),
            "bzip2": bz2.compress(data),
            "ascii": " ".join(map(repr, VALUES.reshape(-1).tolist())).encode(),
        }[encoding]
        more = ""
        if path.suffix == ".nhdr":
            (folder / "beside.bin").write_bytes(encoded)
            more, encoded = "data file: beside.bin\n", b""
        path.write_bytes(NRRD.format(encoding=encoding, more=more).encode() + encoded)
        return path
    writer.SetInputData(image)
    writer.SetFileName(str(path))
    writer.Write()
    return path


def field_of(dataset: Any) -> ImageField:
    """The field that a filter finds in a dataset."""
    image = require_image(dataset)
    return image_field(image, find_input_array(image, "", None))


def check(image: Any) -> None:
    field = field_of(image)
    np.testing.assert_array_equal(field.values, VALUES)
    assert field.values.dtype == np.float32
    assert tuple(field.spacing) == SPACING
    assert tuple(field.origin) == ORIGIN
    np.testing.assert_array_equal(field.direction, np.eye(3))
    assert image.GetDimensions() == (6, 5, 4)
    assert image.GetSpacing() == SPACING
    assert image.GetOrigin() == ORIGIN
    stored = vtk_to_numpy(image.GetPointData().GetScalars())
    np.testing.assert_array_equal(stored, VALUES.reshape(-1))


@pytest.mark.parametrize(
    "name",
    [
        "a.vti", "ascii.vti", "a.mhd", "compressed.mhd", "a.mha", "compressed.mha",
        "a.nrrd", "gzip.nrrd", "bzip2.nrrd", "ascii.nrrd", "a.nhdr", "gzip.nhdr",
    ],
)  # fmt: skip
def test_a_file_with_a_frame_returns_values_and_frame(tmp_path, name):
    check(read_volume(write(tmp_path, name)))


def test_array_files_get_their_place_from_options(tmp_path):
    raw, place = write(tmp_path, "a.raw"), {"spacing": SPACING, "origin": ORIGIN}
    check(read_volume(raw, dimensions=(6, 5, 4), dtype="float32", **place))
    check(read_volume(write(tmp_path, "a.npy"), **place))


def test_the_name_of_a_raw_file_may_contain_its_size(tmp_path):
    path = tmp_path / "fuel_6x5x4_float32.raw"
    path.write_bytes(VALUES.tobytes())
    check(read_volume(path, spacing=SPACING, origin=ORIGIN))


def test_a_raw_file_may_be_of_the_other_byte_order(tmp_path):
    (tmp_path / "a.raw").write_bytes(VALUES.astype(">f4").tobytes())
    layout = {"dimensions": (6, 5, 4), "dtype": "float32", "byte_order": "big"}
    check(read_volume(tmp_path / "a.raw", **layout, spacing=SPACING, origin=ORIGIN))


def test_an_image_needs_no_third_number(tmp_path):
    np.save(tmp_path / "a.npy", VALUES[0])
    image = read_volume(tmp_path / "a.npy", spacing=(2.0, 3.0), origin=(4.0, 5.0))
    assert (image.GetSpacing(), image.GetOrigin()) == ((2.0, 3.0, 1.0), (4.0, 5.0, 0.0))


def test_a_rotated_nrrd_keeps_its_direction(tmp_path):
    text = NRRD.replace("(1,0,0) (0,2,0)", "(0,2,0) (-3,0,0)").format(encoding="raw", more="")
    (tmp_path / "a.nrrd").write_bytes(text.encode() + VALUES.tobytes())
    field = field_of(read_volume(tmp_path / "a.nrrd"))
    assert tuple(field.spacing) == (2.0, 3.0, 3.0)
    np.testing.assert_array_equal(field.direction, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("ends", "spacing", "origin"),
    [
        ("spacings: 1 2 nan\naxis mins: 3 nan 5", (1, 2, 1), (3, 0, 5)),
        ("axis mins: 0 1 2\naxis maxs: 10 5 5", (2, 1, 1), (0, 1, 2)),
        ("axis mins: 0 0 0\naxis maxs: 12 5 2\ncenters: cell cell cell", (2, 1, 0.5),
         (1, 0.5, 0.25)),
        ("centers: cell node ???", (1, 1, 1), (0, 0, 0)),
        ("axis mins: 1 1 1\naxis maxs: 9 9 9\nspace origin: (7,8,9)", (1.6, 2, 8 / 3), (7, 8, 9)),
    ],
)  # fmt: skip
def test_the_ends_of_nrrd_axes_place_them(tmp_path, ends, spacing, origin):
    head = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 6 5 4\nencoding: raw\n"
    (tmp_path / "a.nrrd").write_bytes(f"{head}{ends}\n\n".encode() + bytes(120))
    field = field_of(read_volume(tmp_path / "a.nrrd"))
    np.testing.assert_allclose(field.spacing, spacing)
    np.testing.assert_array_equal(field.origin, origin)


@pytest.mark.parametrize(
    ("shape", "expected"), [((5, 6), (1, 5, 6)), ((6,), (1, 1, 6)), ((4, 5, 6), (4, 5, 6))]
)
def test_npy_files_have_one_to_three_axes(tmp_path, shape, expected):
    np.save(tmp_path / "a.npy", noise(*shape))
    assert field_of(read_volume(tmp_path / "a.npy")).values.shape == expected


@pytest.mark.parametrize(("dtype", "stored"), [("?", "uint8"), ("f2", "float32"), (">i4", "int32")])
def test_types_missing_in_vtk_are_converted_without_loss(tmp_path, dtype, stored):
    values = (noise(3, 3, 3) > 50).astype(dtype)
    np.save(tmp_path / "a.npy", np.asfortranarray(values))
    found = field_of(read_volume(tmp_path / "a.npy")).values
    np.testing.assert_array_equal(found, values)
    assert found.dtype == stored
    assert found.flags.c_contiguous


def problem(path: Path, **how: object) -> str:
    """The sentence about a file that cannot be read, without the path at its beginning."""
    with pytest.raises(FileError) as reported:
        read_volume(path, **how)
    text = str(reported.value)
    assert "\n" not in text
    assert text.startswith(f"{path}: ")
    return text[len(f"{path}: ") :]


@pytest.mark.parametrize(
    ("name", "kept", "sentence"),
    [
        ("a.vti", 0.9, "truncated or damaged ("),
        ("ascii.vti", 0.6, "truncated or damaged (Error parsing XML"),
        ("a.mha", 0.7, "truncated or damaged (MetaImage"),
        ("compressed.mha", 0.8, "truncated or damaged"),
        ("a.nrrd", 0.7, "bytes of data; expected 480 for its sizes)."),
        ("gzip.nrrd", 0.8, "truncated or damaged (it"),
        ("a.npy", 0.6, "not a readable .npy file ("),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_truncated_file_is_reported(tmp_path, name, kept, sentence):
    path = write(tmp_path, name)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    assert sentence in problem(path)


@pytest.mark.parametrize("suffix", ["vti", "mhd", "mha", "nrrd", "nhdr", "npy"])
@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x00\x01\x02" * 50])
def test_a_file_of_another_type_is_reported(tmp_path, suffix, content):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(content)
    reported = problem(path)
    assert "damaged" in reported or "not a readable .npy file" in reported


def test_a_header_without_its_data_is_reported(tmp_path):
    mhd = write(tmp_path, "a.mhd")
    next(tmp_path.glob("a.*raw")).unlink()
    assert "was not found" in problem(mhd)
    nhdr = write(tmp_path, "a.nhdr")
    (tmp_path / "beside.bin").unlink()
    assert "its data file beside.bin was not found" in problem(nhdr)


def test_a_raw_file_of_the_wrong_size_is_reported_with_both_sizes(tmp_path):
    path = write(tmp_path, "a.raw")
    assert problem(path, dimensions=(6, 5, 5), dtype="float32") == (
        "file size is 480 bytes; expected 600 for 6 x 5 x 5 float32 values. Check dimensions and "
        "dtype."
    )


def test_a_raw_file_without_a_layout_asks_for_it(tmp_path):
    path = write(tmp_path, "a.raw")
    assert problem(path) == ".raw files do not store their layout. Specify dimensions."
    assert problem(path, dimensions=(6, 5, 4)) == (
        ".raw files do not store their layout. Specify dtype, such as float32."
    )


@pytest.mark.parametrize("dtype", ["(99999999999,)f4", "f4,,f4", "(1,", "floot", "f4,f4"])
def test_an_invalid_dtype_is_rejected_with_one_sentence(tmp_path, dtype):
    path = write(tmp_path, "a.raw")
    with pytest.raises(InputError) as reported:
        read_volume(path, dimensions=(6, 5, 4), dtype=dtype)
    assert str(reported.value) == (
        f"dtype must be an integer or floating-point type, such as float32 or uint8; got {dtype!r}."
    )


@pytest.mark.parametrize(
    "step", ["1e300,0,0", "1e308,1e308,1e308", "1e999,0,0", "nan,0,0", "0,0,0", "1e-320,0,0"]
)
def test_an_invalid_axis_length_is_reported_in_one_sentence(tmp_path, step):
    path = write(tmp_path, "a.nrrd")
    path.write_bytes(path.read_bytes().replace(b"(0,2,0)", f"({step})".encode()))
    assert "an axis in its space directions has length " in problem(path)


def test_text_in_an_npy_file_is_rejected(tmp_path):
    np.save(tmp_path / "a.npy", np.array(["a", "b"]))
    assert problem(tmp_path / "a.npy") == "contains <U1; expected real numbers."
    np.save(tmp_path / "b.npy", np.zeros((2, 2, 2, 2)))
    assert problem(tmp_path / "b.npy") == (
        "contains shape (2, 2, 2, 2); expected (nz, ny, nx), (ny, nx), or (nx,)."
    )


def test_options_that_do_not_apply_to_the_format_are_rejected(tmp_path):
    vti, npy = write(tmp_path, "a.vti"), write(tmp_path, "a.npy")
    layout = {"dimensions": (6, 5, 4), "dtype": "float32"}
    assert problem(npy, **layout) == "dimensions and dtype are for .raw files only."
    assert problem(vti, spacing=SPACING) == (
        ".vti files contain spacing and origin. Omit spacing and origin, for .npy, .raw, .png, "
        ".tif, .tiff, folder only."
    )
    assert problem(npy, array="x") == (".npy files contain one array without a name. Omit array.")


@pytest.mark.parametrize(("shape", "place"), [((5, 6), (2, 3)), ((7,), (4,))])
def test_a_value_that_is_not_finite_is_reported_with_its_indices_in_the_file(
    tmp_path, shape, place
):
    values = noise(*shape)
    values[place] = np.inf
    np.save(tmp_path / "a.npy", values)
    index = ", ".join(map(str, place))
    assert problem(tmp_path / "a.npy") == (
        f"values must be finite; got values[{index}] = inf (1 invalid value). Replace them, or "
        "write NaN and set nan='mask'."
    )


def test_floats_that_are_longer_than_those_of_vtk_are_reported(tmp_path):
    np.save(tmp_path / "a.npy", noise(3, 3, 3).astype(np.longdouble))
    with pytest.raises(FileError, match=r"VTK has no arrays of \w+\. Convert"):
        read_volume(tmp_path / "a.npy")


def test_unknown_suffixes_and_missing_files_are_reported(tmp_path):
    known = ", ".join(OF_FIELDS)
    assert problem(tmp_path / "a.b") == f"unsupported file type '.b'; expected one of {known}."
    assert problem(tmp_path / "nothing.vti") == "file not found."
    (tmp_path / "folder.vti").mkdir()
    assert problem(tmp_path / "folder.vti") == "not a regular file."


def test_nrrd_line_skips_and_comments_are_read(tmp_path):
    notes = "type:=a note, not the type\nline skip: 2"
    header = NRRD.format(encoding="raw", more=notes)
    path = tmp_path / "noted.nrrd"
    path.write_bytes(header.encode() + b"\nfirst line\nsecond\n" + VALUES.tobytes())
    assert np.array_equal(field_of(read_volume(path)).values, VALUES)
