"""The types of datasets that a filter takes and makes, and what it requests of its inputs."""

from __future__ import annotations

from typing import Any, ClassVar

from vtkmodules.vtkCommonDataModel import vtkDataObject
from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm

from separatrix_vtk.base.datasets import container_of, data_object, kind_of, new_dataset
from separatrix_vtk.base.pieces import WHOLE_EXTENT, as_extent, request_piece, request_slab
from separatrix_vtk.base.run import Runner
from separatrix_vtk.base.slabs import can_request_slabs, slab_of

AS_INPUT = "vtkDataSet"
COMPOSITE = "vtkCompositeDataSet"


class Pipeline(Runner):
    """The part of a filter that negotiates with VTK's pipeline.

    An output of class vtkDataSet is of the kind of the input: an image, polygons, or an
    unstructured grid.
    """

    JOINS_BLOCKS: ClassVar[bool] = False  # whether blocks are used as one dataset
    InputType = OutputType = ""

    # === types of datasets

    def made_type(self, port: int, source: Any) -> str:
        kind = self.OUTPUTS[port][1]
        return kind_of(source).__name__ if kind == AS_INPUT else kind

    def FillInputPortInformation(self, port: int, info: Any) -> int:
        """Accept the type of a port, and blocks and pieces; ports after the first are optional."""
        for kind in (self._input_types[port], COMPOSITE):
            info.Append(vtkAlgorithm.INPUT_REQUIRED_DATA_TYPE(), kind)
        if port:
            info.Set(vtkAlgorithm.INPUT_IS_OPTIONAL(), 1)
        return 1

    def FillOutputPortInformation(self, port: int, info: Any) -> int:
        info.Set(vtkDataObject.DATA_TYPE_NAME(), self.OUTPUTS[port][1])
        return 1

    def RequestDataObject(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Make outputs of the type of the input, or with its blocks and pieces."""
        source = data_object(inputs[0].GetInformationObject(0)) if inputs else None
        container = None if self.JOINS_BLOCKS else container_of(source)
        for port in range(len(self.OUTPUTS)):
            class_name = container.__name__ if container else self.made_type(port, source)
            # VTK replaces a dataset of another type than the port's, which is known only now.
            self.GetOutputPortInformation(port).Set(vtkDataObject.DATA_TYPE_NAME(), class_name)
            info = outputs.GetInformationObject(port)
            made = data_object(info)
            if made is None or made.GetClassName() != class_name:
                info.Set(vtkDataObject.DATA_OBJECT(), new_dataset(class_name))
        return 1

    def RequestInformation(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Announce the whole extent, origin, spacing, and direction of the input for images."""
        source = inputs[0].GetInformationObject(0) if inputs else None
        for port, (_, kind) in enumerate(self.OUTPUTS):
            if kind not in ("vtkImageData", AS_INPUT) or source is None:
                continue
            target = outputs.GetInformationObject(port)
            for key, size in (
                (WHOLE_EXTENT(), 6),
                (vtkDataObject.ORIGIN(), 3),
                (vtkDataObject.SPACING(), 3),
                (vtkDataObject.DIRECTION(), 9),
            ):
                if source.Has(key):
                    target.Set(key, source.Get(key), size)
        return 1

    def RequestUpdateExtent(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Request the whole input, because topology is global; of several processes, a part."""
        processes = self.processes()
        piece, n_pieces = (0, 1) if processes is None else (processes.rank, processes.n)
        if processes is not None and self.settings_to_divide() == [] and can_request_slabs(self):
            info = inputs[0].GetInformationObject(0)
            slab = slab_of(as_extent(info.Get(WHOLE_EXTENT())), piece, n_pieces)
            if slab is not None:
                request_slab(info, slab)
                return 1
        for port in inputs:
            for connection in range(port.GetNumberOfInformationObjects()):
                request_piece(port.GetInformationObject(connection), piece, n_pieces)
        return 1
