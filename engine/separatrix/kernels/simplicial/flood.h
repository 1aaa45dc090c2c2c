// Simplified orders of the points of a mesh, whose neighbors (offsets (n + 1,)) share an edge.
#pragma once
#include "morse/flood.h"

#if !ON_GPU
struct MeshNeighbors {
  const Index* offsets;
  const Int32* neighbors;
  template <class Function> bool any_edge(Int32 v, bool, Function f) const {
    for (Index i = offsets[v]; i < offsets[v + 1]; ++i)
      if (f(neighbors[i])) return true;
    return false;
  }
  template <class Function> bool any_around(Int32 v, bool at_rim, Function f) const { return any_edge(v, at_rim, f); }
};
#endif
HOST_TASK(flood_mesh, (const Index* offsets, const Int32* neighbors, Byte* role, Int32* at, Int32* source, Index n),
          Flood<MeshNeighbors>({offsets, neighbors}, role, at, source, n).run())
