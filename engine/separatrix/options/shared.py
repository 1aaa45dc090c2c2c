"""Options that several capabilities share."""

from __future__ import annotations

from typing import Literal

from ..errors import InputError
from .declaration import Options
from .option import option

MEBIBYTE = 1 << 20

ARRAY: str | None = option(
    default=None,
    title="Scalar Field",
    array_of="any",
    group="Field",
    summary="Array whose topology is computed; by default the active scalars.",
    details="Any numeric type is supported, with a single component. Cell data of an image are "
    "interpreted as values at the cell centers, without averaging, and the labels are returned as "
    "cell data.",
)


RELATIVE: bool = option(
    default=False,
    labels=("Absolute", "Fraction Of Range"),
    title="Threshold Mode",
    group="Simplification",
    summary="Interpret {persistence} as a fraction (0 to 1) of the value range, instead of as a "
    "difference of values in the unit of the scalar field.",
    details="In ParaView, a fraction larger than 1 is interpreted as a difference of values, and a "
    "warning is issued.",
)


def check_level(persistence: float, relative: bool) -> None:
    """Raise InputError if a relative threshold is larger than 1."""
    if relative and persistence > 1:
        raise InputError(
            "persistence",
            "a fraction from 0 to 1 if {relative=True}",
            persistence,
            "For a difference in value, set {relative=False}.",
        )


class MeshOptions(Options, group="Field"):
    """Mesh input."""

    tetrahedralize: bool = option(
        default=False,
        only_for="mesh",
        summary="Split cells that are not tetrahedra (for surfaces, triangles) without adding "
        "points, as the Tetrahedralize filter does.",
        details="If disabled, meshes with such cells are rejected. It applies to meshes only.",
    )
    on_duplicates: Literal["error", "drop"] = option(
        default="error",
        advanced=True,
        only_for="mesh",
        summary="How to handle duplicate cells and cells that contain a point more than once.",
        details="Error rejects the mesh and reports the first such cell; Drop removes them and "
        "keeps the first of several equal cells. It applies to meshes only.",
    )


class ScalarFieldOptions(MeshOptions, group="Field"):
    """Order of equal values, and domain of an image."""

    order: Literal["index", "plateau", "array"] = option(
        default="index",
        labels=("Index", "Plateau Aware", "Array"),
        summary="How to order points with equal values.",
        details="Index orders them by point number. Plateau Aware orders them by their distances "
        "to the lower and the higher rim of their plateau, which takes longer but produces far "
        "fewer critical points in data with many equal values, such as 8-bit images. Array uses "
        "the ranks in {order_array}, such as those of a simplified field.",
    )
    order_array: str | None = option(
        default=None,
        array_of="any",
        none_title="Automatic",
        needs=("order", "array"),
        summary="Array of ranks, as in TTK: 0 for the lowest point, each number once, ascending "
        "with the scalar field.",
        details="By default, the array with the name of the scalar field and the ending _Order.",
    )
    periodic: Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"] = option(
        default="none",
        labels=("None", "X", "Y", "Z", "X And Y", "X And Z", "Y And Z", "X, Y And Z"),
        title="Periodic Axes",
        only_for="image",
        summary="Axes along which an image is periodic: its last points are neighbors of its "
        "first.",
        details="An axis needs at least three points, and the last must not repeat the first. "
        "Lines and surfaces that cross from the last points to the first continue outside the "
        "image, up to a copy of their end. Meshes cannot be periodic.",
    )

    nan: Literal["error", "mask"] = option(
        default="error",
        title="NaN Values",
        summary="How to treat points whose value is NaN: reject them, or mask them.",
        details="Masked points and their cells are excluded from the domain, like hidden ones "
        "(vtkGhostType). Labels of masked points are -1.",
    )
    resample: bool = option(
        default=False,
        advanced=True,
        summary="Sample a rectilinear or structured grid with uneven steps on an image with the "
        "same bounds and number of points.",
        details="If disabled, such grids are rejected unless they are split into tetrahedra. Grids "
        "with even steps along straight axes are used directly.",
    )


class ExecutionOptions(Options, group="Execution"):
    """Device, threads, and memory."""

    device: Literal["auto", "cpu", "cuda"] | str = option(
        default="auto",
        labels=("Auto", "CPU", "CUDA"),
        accepts="cuda:N",
        affects_result=False,
        summary="Device to compute on.",
        details="Auto uses the device named by the SEPARATRIX_DEVICE environment variable if it is "
        "set, otherwise an NVIDIA GPU if one is usable, otherwise the CPU. CPU never uses a GPU, "
        "and CUDA reports an error if no GPU is usable; the results are identical.",
    )
    device_index: int = option(
        default=0,
        at_least=0,
        advanced=True,
        pipeline_only=True,
        affects_result=False,
        needs=("device", "cuda"),
        hidden_without=False,
        summary="Index of the GPU to use if {device} is CUDA, counted from 0.",
        details='Run "separatrix devices" in a terminal to list the GPUs.',
    )
    threads: int | None = option(
        default=None,
        title="Number Of Threads",
        at_least=1,
        at_most=1024,
        none_number=0,
        usual=(0, None),
        advanced=True,
        affects_result=False,
        summary="Maximum number of CPU threads; by default all available threads.",
        details="The default can be set by the environment variables SEPARATRIX_NUM_THREADS and "
        "OMP_NUM_THREADS. The result does not depend on this number.",
    )
    memory_limit: int | None = option(
        default=None,
        title="Device Memory Limit",
        at_least=1,
        none_number=0,
        usual=(0, None),
        unit="bytes",
        scale=MEBIBYTE,
        scaled_unit="MiB",
        advanced=True,
        affects_result=False,
        summary="Maximum amount of device memory to use, in {unit}; by default there is no limit.",
        details="Leave enough memory for rendering if ParaView renders on the same GPU.",
    )


class ImageExecutionOptions(ExecutionOptions, group="Execution"):
    """Large images."""

    devices: tuple[str, ...] = option(
        default=(),
        separated=True,
        advanced=True,
        only_for="image",
        affects_result=False,
        summary="Several devices that divide an image among them, separated by commas, such as "
        "cuda:0,cuda:1; all denotes all usable GPUs.",
        details="They replace {device}, and {memory_limit} applies to each of them. Under MPI, "
        "each process has one device instead.",
    )
    scratch: str = option(
        default="",
        title="Scratch Folder",
        advanced=True,
        only_for="image",
        affects_result=False,
        summary="Existing folder for the arrays with an entry per voxel, if an image does not fit "
        "in host memory; by default they are in memory.",
        details="The image is processed in slabs, whose size {memory_limit} bounds, also on the "
        "CPU. The files have no names, and are deleted with their arrays. Under MPI, each process "
        "has a slab in memory instead.",
    )


class KeepOptions(Options):
    """Results that stay in memory between runs."""

    keep_complex: bool = option(
        default=True,
        advanced=True,
        pipeline_only=True,
        affects_result=False,
        group="Execution",
        summary="Keep the computed complex in memory (in GPU memory if it was computed there), so "
        "that changes to the threshold or the outputs take little time.",
        details="The complex is released if the input changes or the filter is deleted.",
    )
