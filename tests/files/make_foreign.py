"""Write `foreign/`, files of other libraries, each with the same asymmetrical volume or mesh.

Run it in an environment of its own, with h5netcdf, meshio, mrcfile, nibabel, pillow, pydicom,
scipy, tifffile, xarray, and zarr.
"""

from __future__ import annotations

import datetime
from pathlib import Path

import h5py
import meshio
import mrcfile
import nibabel
import numpy as np
import pydicom
import tifffile
import xarray
import zarr
from PIL import Image
from pydicom.dataset import FileDataset, FileMetaDataset

FOLDER = Path(__file__).with_name("foreign")
VALUES = np.arange(4.0 * 5 * 6).reshape(4, 5, 6)  # z, y, x
VALUES = (VALUES * np.sqrt(VALUES)).astype(np.float32)  # the same on every processor
WHOLE = VALUES.astype(np.uint16)
SPACING, ORIGIN = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)  # by x, y, z
PLACES = {
    axis: ORIGIN[i] + SPACING[i] * np.arange(n)
    for i, (axis, n) in enumerate(zip("xyz", VALUES.shape[::-1], strict=True))
}
LABELED = xarray.DataArray(VALUES, dims=("z", "y", "x"), coords=PLACES, name="density")


def write_nifti() -> None:
    affine = np.diag([*SPACING, 1.0])
    affine[:3, 3] = ORIGIN
    nibabel.save(nibabel.Nifti1Image(VALUES.T, affine), FOLDER / "plain.nii.gz")
    turned = affine.copy()
    turned[:3, :2] = [[0, -2], [1, 0], [0, 0]]
    nibabel.save(nibabel.Nifti1Image(VALUES.T, turned), FOLDER / "turned.nii.gz")
    scaled = nibabel.Nifti1Image(WHOLE.T.astype(np.int16), affine)
    scaled.header.set_slope_inter(0.5, 10)
    nibabel.save(scaled, FOLDER / "scaled.nii")


def write_mrc() -> None:
    for name, values, axes in (("plain", VALUES, (1, 2, 3)), ("turned", VALUES.T, (3, 2, 1))):
        with mrcfile.new(FOLDER / f"{name}.mrc", overwrite=True) as file:
            file.set_data(np.ascontiguousarray(values))
            file.header.mapc, file.header.mapr, file.header.maps = axes
            lengths = [n * step for n, step in zip(VALUES.shape[::-1], SPACING, strict=True)]
            file.header.mx, file.header.my, file.header.mz = VALUES.shape[::-1]
            for axis, length, start in zip("xyz", lengths, ORIGIN, strict=True):
                file.header.cella[axis], file.header.origin[axis] = length, start


def write_tiff() -> None:
    tifffile.imwrite(
        FOLDER / "imagej.tif",
        VALUES,
        imagej=True,
        resolution=(1 / SPACING[0], 1 / SPACING[1]),
        metadata={"spacing": SPACING[2], "axes": "ZYX"},
    )
    sizes = {f"PhysicalSize{axis}": step for axis, step in zip("XYZ", SPACING, strict=True)}
    tifffile.imwrite(
        FOLDER / "microscope.ome.tif", VALUES, compression="zlib", metadata={"axes": "ZYX", **sizes}
    )
    tifffile.imwrite(
        FOLDER / "channels.tif", VALUES, imagej=True, metadata={"axes": "CYX"}, photometric=1
    )


def write_slices() -> None:
    for name in ("dicom", "png"):
        (FOLDER / name).mkdir(exist_ok=True)
    for i, values in enumerate(WHOLE):
        Image.fromarray(values).save(FOLDER / "png" / f"slice{i + 8}.png")
        meta = FileMetaDataset()
        meta.MediaStorageSOPClassUID = pydicom.uid.CTImageStorage
        meta.MediaStorageSOPInstanceUID = f"1.2.3.{i}"
        meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
        data = FileDataset("", {}, file_meta=meta, preamble=bytes(128))
        data.Modality, data.InstanceNumber = "CT", len(WHOLE) - i
        data.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
        data.ImagePositionPatient = [*ORIGIN[:2], PLACES["z"][i]]
        data.PixelSpacing, data.SliceThickness = [SPACING[1], SPACING[0]], SPACING[2]
        data.Rows, data.Columns, data.SamplesPerPixel = *values.shape, 1
        data.BitsAllocated, data.BitsStored, data.HighBit = 16, 16, 15
        data.PixelRepresentation, data.PhotometricInterpretation = 1, "MONOCHROME2"
        data.RescaleSlope, data.RescaleIntercept = 1, -1000
        data.PixelData = values.astype("<i2").tobytes()
        data.save_as(FOLDER / "dicom" / f"{i * 7 % 4}.dcm", enforce_file_format=True)


def write_netcdf() -> None:
    kind = {"format": "NETCDF3_CLASSIC"}
    both = xarray.Dataset({"density": LABELED, "other": -LABELED})
    both.to_netcdf(FOLDER / "plain.nc", **kind)
    LABELED.transpose("x", "y", "z").to_netcdf(FOLDER / "turned.nc", **kind)
    LABELED.assign_coords(x=PLACES["x"] ** 2).to_netcdf(FOLDER / "uneven.nc", **kind)
    times = [datetime.datetime(2000, 1, day) for day in (1, 2)]
    packed = {"density": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -9}}
    series = xarray.concat([LABELED[0], LABELED[1]], xarray.Variable("time", times))
    series = series.where(series != VALUES[0, 1, 2])
    series.to_netcdf(FOLDER / "times.nc", encoding=packed, **kind)
    series.to_netcdf(FOLDER / "times4.nc", encoding=packed, engine="h5netcdf")


def write_arrays() -> None:
    with h5py.File(FOLDER / "attributes.h5", "w") as file:
        volume = file.create_dataset("volume/data", data=VALUES, compression="gzip")
        volume.attrs["element_size_um"] = SPACING[::-1]
    LABELED.transpose("x", "y", "z").to_netcdf(FOLDER / "scales.h5", engine="h5netcdf")
    root = zarr.open_group(FOLDER / "microscope.zarr", mode="w", zarr_format=2)
    kinds = {"c": "channel", "z": "space", "y": "space", "x": "space"}
    place = [
        {"type": "scale", "scale": [1, *SPACING[::-1]]},
        {"type": "translation", "translation": [0, *ORIGIN[::-1]]},
    ]
    root.attrs["multiscales"] = [
        {
            "version": "0.4",
            "axes": [{"name": name, "type": kind} for name, kind in kinds.items()],
            "datasets": [{"path": "0", "coordinateTransformations": place}],
        }
    ]
    root.attrs["omero"] = {"channels": [{"label": "actin"}, {"label": "dna"}]}
    root.create_array("0", data=np.stack([VALUES, -VALUES]), chunks=(1, 4, 5, 6))
    LABELED.transpose("x", "y", "z").to_zarr(FOLDER / "labeled.zarr", mode="w", zarr_format=3)


def write_meshes() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3], [1, 2, 3]], float)
    cells = [("tetra", [[0, 1, 2, 3], [1, 2, 3, 4]])]
    mesh = meshio.Mesh(points, cells, point_data={"height": points[:, 2] + points[:, 0]})
    mesh.write(FOLDER / "two.msh", file_format="gmsh22", binary=True)
    mesh.write(FOLDER / "two.mesh")
    mesh.write(FOLDER / "two.inp")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    write_nifti()
    write_mrc()
    write_tiff()
    write_slices()
    write_netcdf()
    write_arrays()
    write_meshes()
