"""Images that VTK's readers give without their place: NIfTI, TIFF, DICOM, and stacks."""

from __future__ import annotations

import re
import struct
import warnings
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from separatrix_vtk.base.arrays import from_vtk, texts_to_vtk, to_vtk
from separatrix_vtk.io.errors import FileError, FileWarning, damaged
from separatrix_vtk.io.labeled_images import image_of
from separatrix_vtk.io.vtk_files import read_several, read_with_vtk

DICOM = ".dcm"  # in a folder, the files often have no suffix
STACKED = (".png", ".tif", ".tiff")
LONGEST_HEADER = 4096  # bytes, of the part of a DICOM file that contains the transfer syntax
EVEN = 1e-3  # of a step, by which steps between slices may differ
LONGEST_TEXT = 1 << 20  # bytes of a TIFF's description
TAG_BYTES = {2: 1, 3: 2, 4: 4, 5: 8, 16: 8}  # by the type of a tag: text, integers, a ratio
# The tag with the steps between rows and between columns, which VTK before 9.3 exchanges.
PIXEL_SPACING = re.compile(rb"(?s)\x28\0\x30\0.{4}(\d+\.?\d*) *\\(\d+\.?\d*)")
# The tag with the transfer syntax, if it is one of JPEG, JPEG 2000, MPEG, or run lengths.
COMPRESSED = re.compile(rb"(?s)\x02\0\x10\0UI..1\.2\.840\.10008\.1\.2\.[45]")
STRIPS = (273, 279, 324, 325)  # tags of the offsets and lengths of strips, and of tiles


def read_nifti(path: Path) -> Any:
    """The image of a NIfTI file, in the frame of its sform or else its qform, and rescaled."""
    readers: list[Any] = []
    image = read_with_vtk(path, "image", readers.append)
    used = readers[-1]
    if (n_times := used.GetTimeDimension()) > 1:
        text = f"{path}: the first of {n_times} time steps is read."
        warnings.warn(text, FileWarning, stacklevel=5)
    if (matrix := used.GetSFormMatrix() or used.GetQFormMatrix()) is not None:
        place = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(3)])
        image.SetDirectionMatrix(*place[:, :3].reshape(-1))
        image.SetOrigin(place[:, 3])
    slope, shift = used.GetRescaleSlope(), used.GetRescaleIntercept()
    if slope not in (0.0, 1.0) or (slope and shift):
        array = image.GetPointData().GetScalars()
        values = from_vtk(array) * slope + shift
        image.GetPointData().SetScalars(to_vtk(values, array.GetName()))
    return image


def read_tiff(path: Path) -> Any:
    """The image of a TIFF, or the volume of its pages, with the spacing of ImageJ or OME."""
    image = read_with_vtk(path, "image")
    if spacing := _spacing_of_tiff(path):
        image.SetSpacing(spacing)
    return image


def _spacing_of_tiff(path: Path) -> tuple[float, ...] | None:
    """The spacing that ImageJ or OME wrote into the first page; None if neither did.

    Raises FileError if they describe channels or time steps besides one volume, or if the file
    ends before its pages, which VTK does not notice.
    """
    n_bytes = path.stat().st_size
    with path.open("rb") as file:
        order = "<" if (head := file.read(16))[:2] == b"II" else ">"
        try:
            first, end = _pages(file, head, order)
        except (struct.error, KeyError, ValueError) as error:
            raise damaged(error) from None
    if end > n_bytes:
        raise damaged(f"{n_bytes:,} bytes; its pages end at byte {end:,}")
    text = first.get(270, b"").decode("utf-8", "replace")
    is_imagej = text.startswith("ImageJ=")
    for name, ome in (("channels", "SizeC"), ("frames", "SizeT")):
        several = re.search(rf"\b{name if is_imagej else ome}=\"?(\d+)", text)
        if several and int(several[1]) > 1:
            raise FileError(
                f"contains {several[1]} {name} besides a volume. Write one of them to a file, for "
                "example with tifffile."
            )
    if is_imagej:
        between = re.search(r"^spacing=-?(\d+\.?\d*(?:e-?\d+)?)", text, re.MULTILINE)
        steps = [_step(first.get(tag, b""), order) for tag in (282, 283)]
        return (*steps, float(between[1]) if between else 1.0)
    sizes = [re.search(rf'\bPhysicalSize{a}="(\d+\.?\d*(?:E-?\d+)?)"', text) for a in "XYZ"]
    return tuple(float(s[1]) or 1.0 if s else 1.0 for s in sizes) if any(sizes) else None


def _pages(file: BinaryIO, head: bytes, order: str) -> tuple[dict[int, bytes], int]:
    """The description and resolution of the first page, by tag, and where the last data end."""
    is_big = b"+" in head[2:4]
    count, width, form = ("Q", 20, "Q") if is_big else ("H", 12, "I")
    first: dict[int, bytes] = {}
    end, seen = 0, set()
    (page,) = struct.unpack_from(order + form, head, 8 if is_big else 4)
    while page and page not in seen:
        seen.add(page)
        file.seek(page)
        (n,) = struct.unpack(order + count, file.read(struct.calcsize(order + count)))
        entries = file.read(min(n, 1000) * width)
        (page,) = struct.unpack(order + form, file.read(struct.calcsize(order + form)))
        ends: dict[int, np.ndarray] = {}
        for at in range(0, len(entries), width):
            tag, kind, size = struct.unpack_from(order + "HH" + form, entries, at)
            size *= TAG_BYTES.get(kind, 0)
            if tag not in (270, 282, 283, *STRIPS) or size > LONGEST_TEXT:
                continue
            begin = at + 4 + struct.calcsize(order + form)
            content = entries[begin : begin + size]
            if size > struct.calcsize(order + form):
                file.seek(struct.unpack_from(order + form, entries, begin)[0])
                content = file.read(size)
            if tag in STRIPS:
                ends[tag] = np.frombuffer(content, f"{order}u{TAG_BYTES[kind]}").astype(np.int64)
            elif len(seen) == 1:
                first[tag] = content
        for offsets, lengths in (STRIPS[:2], STRIPS[2:]):
            if offsets in ends and lengths in ends:
                end = max(end, int((ends[offsets] + ends[lengths]).max(initial=0)))
    return first, end


def _step(ratio: bytes, order: str) -> float:
    """The length of a pixel, from the TIFF's ratio of pixels per length."""
    pixels, length = struct.unpack(order + "II", ratio) if len(ratio) == 8 else (1, 1)
    return float(length / pixels) if pixels and length else 1.0


def read_folder(path: Path) -> Any:
    """The slices of a folder: DICOM files, or .png or .tif images in the order of their numbers."""
    files = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    files.sort(key=by_numbers)
    if slices := [file for file in files if is_dicom(file)]:
        return read_dicom(slices)
    for suffix in STACKED:
        if images := [file for file in files if file.suffix.lower() == suffix]:
            return read_stack(images)
    raise FileError(f"contains no slices: no DICOM files, and none of {', '.join(STACKED)}.")


def read_stack(files: list[Path]) -> Any:
    """The volume of images of one size, a slice each."""
    names = texts_to_vtk(map(str, files), "")
    return read_with_vtk(files[0], "image", lambda reader: reader.SetFileNames(names), files)


def by_numbers(path: Path) -> list[Any]:
    """The key of a name among names with numbers, so that slice10 follows slice9."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", path.name)]


def read_dicom(paths: list[Path]) -> Any:
    """The volume of DICOM slices, sorted along their normal, in the patient's frame."""
    if compressed := next((path for path in paths if is_compressed(path)), None):
        raise FileError(
            "contains compressed pixels, which VTK does not read. Decompress them, for example "
            "with `gdcmconv --raw`.",
            compressed,
        )
    slices = []
    found = read_several(paths, "image", suffix=DICOM)
    for path, (used, image) in zip(paths, found, strict=True):
        scalars = image.GetPointData().GetScalars()
        if scalars.GetNumberOfComponents() != 1 or image.GetDimensions()[2] != 1:
            raise FileError("contains colors or several frames; expected slices of one value.")
        values = from_vtk(scalars).reshape(image.GetDimensions()[1::-1])[::-1]  # first row first
        x, y = np.array(used.GetImageOrientationPatient(), float).reshape(2, 3)
        frame = np.column_stack([x, y, np.cross(x, y)])
        place = np.array(used.GetImagePositionPatient(), float)
        spacing = list(image.GetSpacing())
        if steps_of := PIXEL_SPACING.search(path.read_bytes()):
            spacing[:2] = float(steps_of[2]), float(steps_of[1])
        slices.append((float(place @ frame[:, 2]), values, spacing, place, frame))
    slices.sort(key=lambda one: one[0])
    _, first, spacing, place, frame = slices[0]
    separate = "Move each series to a folder of its own."
    if any(one[1].shape != first.shape or abs(one[4] - frame).max() > EVEN for one in slices):
        raise FileError(f"its slices differ in size or orientation. {separate}")
    steps = np.diff([one[0] for one in slices])
    if len(steps):
        if steps.min() <= 0 or steps.max() - steps.min() > EVEN * steps.max():
            ends = f"{steps.min():g} to {steps.max():g}"
            raise FileError(
                f"the steps between its {len(slices)} slices are from {ends}; expected equal ones. "
                f"{separate}"
            )
        spacing[2] = float(steps.mean())
    values = np.stack([one[1] for one in slices])
    return image_of(values, "DICOMImage", tuple(spacing), tuple(place), frame)


def is_compressed(path: Path) -> bool:
    """Whether the header of a DICOM file says that its pixels are compressed."""
    with path.open("rb") as file:
        return bool(COMPRESSED.search(file.read(LONGEST_HEADER)))


def is_dicom(path: Path) -> bool:
    """Whether a file is a DICOM file by its mark, except the index of a folder."""
    with path.open("rb") as file:
        return file.read(132)[128:] == b"DICM" and path.name.upper() != "DICOMDIR"
