// Simplified orders of the vertices of an image: a minimum is compared with its neighbors along the axes, and a
// maximum with those in common voxels. Vertices on the boundary of a masked domain are AT_RIM; all neighbors of
// other vertices belong to the domain.
#pragma once
#include "cubical/domain.h"
#include "morse/flood.h"

#if !ON_GPU
namespace {  // because large images have others
class ImageNeighbors {
public:
  ImageNeighbors(Grid grid, const Byte* types, Index n_types) : grid(grid), types(n_types ? types : nullptr) {
    for (int dz = -(grid.nz > 1); dz <= (grid.nz > 1); ++dz)
      for (int dy = -(grid.ny > 1); dy <= (grid.ny > 1); ++dy)
        for (int dx = -(grid.nx > 1); dx <= (grid.nx > 1); ++dx) {
          const int axes = (dx != 0) + (dy != 0) + (dz != 0);
          const Step step = {dx, dy, dz, ((Anchor)dz * grid.ny + dy) * grid.nx + dx};
          if (axes == 1) along.push_back(step);
          if (axes >= 1) around.push_back(step);
        }
  }
  template <class Function> bool any_edge(Anchor v, bool at_rim, Function f) const { return any(along, v, at_rim, f); }
  template <class Function> bool any_around(Anchor v, bool at_rim, Function f) const { return any(around, v, at_rim, f); }

private:
  struct Step {
    Int32 x, y, z;
    Anchor offset;
  };
  Grid grid;
  const Byte* types;
  std::vector<Step> along, around;

  bool is_joined(Anchor v, Anchor other, const Step& step) const {
    if (!types) return true;
    if (!(types[other] & 1)) return false;
    const int axis = step.x ? 0 : step.y ? 1 : 2, sign = step.x + step.y + step.z;
    const bool is_edge = (step.x != 0) + (step.y != 0) + (step.z != 0) == 1;
    return !is_edge || holds_edge(types, v, other, axis, sign);
  }

  template <class Function> bool any(const std::vector<Step>& steps, Anchor v, bool at_rim, Function f) const {
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
      if (x < 0 || y < 0 || z < 0 || !is_inside(grid, {x, y, z})) continue;
      const Anchor other = vertex_id(grid, {x, y, z});
      if (is_joined(v, other, step) && f(other)) return true;
    }
    return false;
  }
};
}  // namespace
#endif
HOST_TASK(flood_image, (Grid grid, const Byte* types, Index n_types, Byte* role, Anchor* at, Anchor* source, Index n),
          Flood<ImageNeighbors>({grid, types, n_types}, role, at, source, n).run())
