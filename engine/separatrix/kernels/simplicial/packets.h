// A packet: some cells of a mesh as a separate mesh, whose vertices are renumbered in mesh order.
//
// Arrays of the whole mesh are those of build.h and simplices.h, on the host. Scratch of one
// thread, restored when a task ends: local_of (V), all NONE; is_seen (T / 32 + 1), all 0.
#pragma once
#include "simplicial/simplices.h"

#if !ON_GPU
  #include <algorithm>
  #include <vector>

// All cells at `vertices` (n,), which ascend: cells, ascending, with room for one per corner. Returns their number.
// Those whose lowest vertex is one of them ascend as they are found; the others are sorted, then merged.
inline Index collect_cells(const Int32* vertices, Index n, const Int32* tets, const Int32* tet_begin,
                           const Int32* star_begin, const Int32* star_tets, Int32* local_of, Word* is_seen,
                           Int32* cells) {
  for (Index i = 0; i < n; ++i) local_of[vertices[i]] = 0;
  std::vector<Int32> own, others;
  for (Index i = 0; i < n; ++i) {
    const Int32 v = vertices[i];
    for (Int32 t = tet_begin[v]; t < tet_begin[v + 1]; ++t) own.push_back(t);
    for (Int32 k = star_begin[v]; k < star_begin[v + 1]; ++k) {
      const Int32 t = star_tets[k];
      const Word bit = (Word)1 << (t & 31);
      if (local_of[tets[4 * (Index)t]] != NONE || (is_seen[t >> 5] & bit)) continue;
      is_seen[t >> 5] |= bit;
      others.push_back(t);
    }
  }
  for (Int32 t : others) is_seen[t >> 5] = 0;
  for (Index i = 0; i < n; ++i) local_of[vertices[i]] = NONE;
  std::sort(others.begin(), others.end());
  return std::merge(own.begin(), own.end(), others.begin(), others.end(), cells) - cells;
}
// Out: vertices, ascending: the owned ones and the corners of the cells; rows (n_cells, 4): the cells by
// places among them; begins: the first cell of each lowest vertex. Returns the number of vertices.
inline Index number_corners(const Int32* cells, Index n_cells, Index n_corners, const Int32* owned, Index n_owned,
                            const Int32* tets, Int32* local_of, Int32* vertices, Int32* rows, Int32* begins) {
  Index n = 0;
  const auto add = [&](Int32 v) {
    if (local_of[v] == NONE) {
      local_of[v] = 0;
      vertices[n++] = v;
    }
  };
  for (Index i = 0; i < n_owned; ++i) add(owned[i]);
  for (Index i = 0; i < n_cells; ++i)
    for (Index k = 0; k < n_corners; ++k) add(tets[4 * (Index)cells[i] + k]);
  std::sort(vertices, vertices + n);
  for (Index i = 0; i < n; ++i) local_of[vertices[i]] = (Int32)i;
  std::fill(begins, begins + n + 1, 0);
  for (Index i = 0; i < n_cells; ++i) {
    const Int32* cell = tets + 4 * (Index)cells[i];
    for (Index k = 0; k < 4; ++k) rows[4 * i + k] = k < n_corners ? local_of[cell[k]] : cell[k];
    ++begins[rows[4 * i] + 1];
  }
  for (Index i = 0; i < n; ++i) {
    begins[i + 1] += begins[i];
    local_of[vertices[i]] = NONE;
  }
  return n;
}
#endif
HOST_TASK(collect_packet_cells,
          (const Int32* vertices, Index n, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
           const Int32* star_tets, Int32* local_of, Word* is_seen, Int32* cells),
          collect_cells(vertices, n, tets, tet_begin, star_begin, star_tets, local_of, is_seen, cells))
HOST_TASK(number_packet_corners,
          (const Int32* cells, Index n_cells, Index n_corners, const Int32* owned, Index n_owned, const Int32* tets,
           Int32* local_of, Int32* vertices, Int32* rows, Int32* begins),
          number_corners(cells, n_cells, n_corners, owned, n_owned, tets, local_of, vertices, rows, begins))

// Mesh ids of a packet's edges and triangles, looked up in the tries of the whole mesh; vertices (n,): the
// mesh vertex of each of the packet's.
KERNEL(find_edge_ids, (const Int32* lower, const Int32* upper, const Int32* vertices, const Int32* edge_begin,
                       const Int32* edge_upper, Int32* ids),
       ids[i] = edge_between(vertices[lower[i]], vertices[upper[i]], edge_begin, edge_upper))
// edge, third: of the packet's triangles; edge_ids: the mesh ids of its edges.
KERNEL(find_triangle_ids, (const Int32* edge, const Int32* third, const Int32* edge_ids, const Int32* vertices,
                           const Int32* triangle_begin, const Int32* triangle_third, Int32* ids),
       ids[i] = triangle_on(edge_ids[edge[i]], vertices[third[i]], triangle_begin, triangle_third))
