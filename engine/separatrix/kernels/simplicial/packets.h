// A packet: some cells of a mesh as a separate mesh, whose vertices are renumbered in mesh order.
//
// Arrays of the whole mesh are those of build.h and simplices.h, on the host. Scratch of one
// thread, restored when a task ends: local_of (V), all NONE; is_seen (T / 32 + 1), all 0.
#pragma once
#include "common/sort.h"
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

// The same of a mesh on the device, without stars.
ITEM bool has_marked_corner(const Int32* cell, Index n_corners, const Word* marked) {
  bool found = false;
  for (Index k = 0; k < n_corners; ++k) found |= marked[cell[k] >> 5] >> (cell[k] & 31) & 1;
  return found;
}
// Vertices form CELL_BLOCKS blocks of equal length. A run of CELL_RUN cells in mesh order touches few of them, one bit
// each in `touched` (runs, BLOCK_WORDS); only `runs` that touch a block in `wanted` (BLOCK_WORDS,) are searched. Item i
// of a search is cell i % CELL_RUN of runs[i / CELL_RUN].
enum { CELL_RUN = 256, CELL_BLOCKS = 256, BLOCK_WORDS = 8 };
KERNEL(find_touched_blocks, (const Int32* tets, Index n_corners, Int32 block_length, Word* touched),
       for (Index k = 0; k < n_corners; ++k) {
         const Int32 block = tets[4 * i + k] / block_length;
         Word* word = touched + BLOCK_WORDS * (i / CELL_RUN) + (block >> 5);
         if (!(*(const volatile Word*)word >> (block & 31) & 1)) or_shared(word, bit(block & 31));
       })
KERNEL(find_wanted_blocks, (const Word* marked, Int32 block_length, Word* wanted),
       for (Word left = marked[i]; left; left &= left - 1) {
         const Int32 block = (Int32)((32 * i + lowest_bit(left)) / block_length);
         Word* word = wanted + (block >> 5);
         if (!(*(const volatile Word*)word >> (block & 31) & 1)) or_shared(word, bit(block & 31));
       })
ITEM bool touches(const Word* touched, const Word* wanted) {
  Word common = 0;
  UNROLL for (int k = 0; k < BLOCK_WORDS; ++k) common |= touched[k] & wanted[k];
  return common != 0;
}
KERNEL(flag_wanted_runs, (const Word* touched, const Word* wanted, Byte* is_wanted),
       is_wanted[i] = touches(touched + BLOCK_WORDS * i, wanted))
ITEM Index cell_of_runs(const Index* runs, Index i) { return runs[i / CELL_RUN] * CELL_RUN + i % CELL_RUN; }
KERNEL(find_cells_at, (const Int32* tets, Index n_cells, Index n_corners, const Index* runs, const Word* marked, Byte* is_found),
       const Index cell = cell_of_runs(runs, i);
       is_found[i] = cell < n_cells && has_marked_corner(tets + 4 * cell, n_corners, marked))
ITEM bool has_corner_in(const Int32* cell, Index n_corners, Int32 low, Int32 end) {
  bool found = false;
  for (Index k = 0; k < n_corners; ++k) found |= cell[k] >= low && cell[k] < end;
  return found;
}
KERNEL(find_cells_between, (const Int32* tets, Index n_cells, Index n_corners, const Index* runs, Int32 low, Int32 end, Byte* is_found),
       const Index cell = cell_of_runs(runs, i);
       is_found[i] = cell < n_cells && has_corner_in(tets + 4 * cell, n_corners, low, end))
KERNEL(name_found_cells, (const Index* places, const Index* runs, Int32* cells),
       cells[i] = (Int32)cell_of_runs(runs, places[i]))
ITEM void mark_corners(const Int32* cell, Index n_corners, Word* marked) {
  for (Index k = 0; k < n_corners; ++k) {
    Word* word = marked + (cell[k] >> 5);
    if (!(*(const volatile Word*)word >> (cell[k] & 31) & 1)) or_shared(word, bit(cell[k] & 31));
  }
}
KERNEL(mark_packet_corners, (const Int32* cells, const Int32* tets, Index n_corners, Word* marked),
       mark_corners(tets + 4 * (Index)cells[i], n_corners, marked))
KERNEL(mark_between, (Int32 low, Word* marked), or_shared(marked + ((low + i) >> 5), bit((low + i) & 31)))
// In: first_of_word, the number of marked vertices before each word. Out: rows (n, 4): the cells by places among
// the marked vertices; counts of the cells with each lowest vertex.
ITEM void place_corners(const Int32* cell, Index n_corners, const Word* marked, const Index* first_of_word, Int32* row,
                        Int32* counts) {
  for (Index k = 0; k < 4; ++k) {
    const Int32 v = cell[k];
    row[k] = k < n_corners ? (Int32)first_of_word[v >> 5] + population(marked[v >> 5] & (bit(v & 31) - 1)) : v;
  }
  count_one(counts + row[0]);
}
KERNEL(place_packet_corners, (const Int32* cells, const Int32* tets, Index n_corners, const Word* marked,
                              const Index* first_of_word, Int32* rows, Int32* counts),
       place_corners(tets + 4 * (Index)cells[i], n_corners, marked, first_of_word, rows + 4 * i, counts))

// Mesh ids of a packet's edges and triangles, looked up in the tries of the whole mesh; vertices (n,): the
// mesh vertex of each of the packet's.
KERNEL(find_edge_ids, (const Int32* lower, const Int32* upper, const Int32* vertices, const Int32* edge_begin,
                       const Int32* edge_upper, Int32* ids),
       ids[i] = edge_between(vertices[lower[i]], vertices[upper[i]], edge_begin, edge_upper))
// edge, third: of the packet's triangles; edge_ids: the mesh ids of its edges.
KERNEL(find_triangle_ids, (const Int32* edge, const Int32* third, const Int32* edge_ids, const Int32* vertices,
                           const Int32* triangle_begin, const Int32* triangle_third, Int32* ids),
       ids[i] = triangle_on(edge_ids[edge[i]], vertices[third[i]], triangle_begin, triangle_third))
