// Simplified orders of the vertices of an image: a minimum is compared with its neighbors along the axes, and a
// maximum with those in common voxels.
#pragma once
#include "cubical/grid.h"
#include "morse/flood.h"

#if !ON_GPU
class ImageNeighbors {
public:
  explicit ImageNeighbors(Grid grid) : grid(grid) {
    for (int dz = -(grid.nz > 1); dz <= (grid.nz > 1); ++dz)
      for (int dy = -(grid.ny > 1); dy <= (grid.ny > 1); ++dy)
        for (int dx = -(grid.nx > 1); dx <= (grid.nx > 1); ++dx) {
          const int axes = (dx != 0) + (dy != 0) + (dz != 0);
          const Step step = {dx, dy, dz, (dz * grid.ny + dy) * grid.nx + dx};
          if (axes == 1) along.push_back(step);
          if (axes >= 1) around.push_back(step);
        }
  }
  template <class Function> bool any_edge(Int32 v, bool at_rim, Function f) const { return any(along, v, at_rim, f); }
  template <class Function> bool any_around(Int32 v, bool at_rim, Function f) const { return any(around, v, at_rim, f); }

private:
  struct Step {
    Int32 x, y, z, offset;
  };
  Grid grid;
  std::vector<Step> along, around;

  template <class Function> bool any(const std::vector<Step>& steps, Int32 v, bool at_rim, Function f) const {
    if (!at_rim) {
      for (const Step& step : steps)
        if (f(v + step.offset)) return true;
      return false;
    }
    const Vertex here = vertex_at(grid, v);
    for (const Step& step : steps) {
      Int32 x = here.x + step.x, y = here.y + step.y, z = here.z + step.z;
      if (grid.px) x = wrapped(x, grid.nx);
      if (grid.py) y = wrapped(y, grid.ny);
      if (grid.pz) z = wrapped(z, grid.nz);
      if (x >= 0 && y >= 0 && z >= 0 && is_inside(grid, {x, y, z}) && f(vertex_id(grid, {x, y, z}))) return true;
    }
    return false;
  }
};
#endif
HOST_TASK(flood_image, (Grid grid, Byte* role, Int32* at, Int32* source, Index n),
          Flood<ImageNeighbors>(ImageNeighbors(grid), role, at, source, n).run())
