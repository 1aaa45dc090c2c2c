// Lower stars and highest top cells of the vertices at the ends of periodic axes.
//
// Across a period, the sign of an offset does not determine which of two ids is smaller, and the star's
// words are on both sides of the box. So these few vertices, the surface of a volume, are processed separately:
// neighbors are ranked by (value, id), which breaks all ties, and cells are paired into eight separate words,
// which are then combined with the grid's by OR.
#pragma once
#include "cubical/lower_star.h"
#include "cubical/top_cell.h"

// The i-th of them: the two layers across z, then the rest of those across y, then across x.
ITEM Vertex wrapped_vertex(Grid grid, Index i) {
  const Grid inner = inner_grid(grid);
  const Index of_z = 2 * grid.pz * (Index)grid.nx * grid.ny, of_y = 2 * grid.py * (Index)grid.nx * inner.nz;
  if (i < of_z) {
    Index layer = (Index)grid.nx * grid.ny, rest = i % layer;
    return {(Int32)(rest % grid.nx), (Int32)(rest / grid.nx), i < layer ? 0 : grid.nz - 1};
  }
  i -= of_z;
  if (i < of_y) {
    Index layer = (Index)grid.nx * inner.nz, rest = i % layer;
    return {(Int32)(rest % grid.nx), i < layer ? 0 : grid.ny - 1, grid.pz + (Int32)(rest / grid.nx)};
  }
  i -= of_y;
  Index layer = (Index)inner.ny * inner.nz, rest = i % layer;
  return {i < layer ? 0 : grid.nx - 1, grid.py + (Int32)(rest % inner.ny), grid.pz + (Int32)(rest / inner.ny)};
}

ITEM Int32 neighbor_of_code(Grid grid, Vertex v, int code) {
  return vertex_id(grid, {wrapped(v.x + code % 3 - 1, grid.nx), wrapped(v.y + code / 3 % 3 - 1, grid.ny),
                          wrapped(v.z + code / 9 - 1, grid.nz)});
}
// Neighbors that exist, in the box or across a period.
ITEM Word neighbors_with_periods(Grid grid, Vertex v) {
  Word inside = neighbors_inside(grid, v);
  // Restore the codes that are outside only along a periodic axis.
  if (grid.px) inside |= (inside & FLAT_X) >> 1 | (inside & FLAT_X) << 1;
  if (grid.py) inside |= (inside & FLAT_Y) >> 3 | (inside & FLAT_Y) << 3;
  if (grid.pz) inside |= (inside & FLAT_Z) >> 9 | (inside & FLAT_Z) << 9;
  return inside;
}
// Out: by code, how many of the vertices `inside` are lower; STAR for missing ones.
template <class Value>
ITEM void rank_neighbors(Grid grid, const Value* values, Vertex v, Word inside, Word* rank) {
  typename ImageOf<Value>::Type image[STAR];
  Int32 id[STAR];
  for (int code = 0; code < STAR; ++code) {
    rank[code] = STAR;
    if (!(inside >> code & 1)) continue;
    id[code] = neighbor_of_code(grid, v, code);
    image[code] = order_image(values[id[code]]);
    rank[code] = 0;
    for (Word before = inside & (bit(code) - 1); before; before &= before - 1) {
      int other = lowest_bit(before);
      bool is_lower = image[other] < image[code] || (image[other] == image[code] && id[other] < id[code]);
      ++rank[is_lower ? code : other];
    }
  }
}

template <class Value>
ITEM void pair_wrapped_star(Grid grid, const Value* values, const Byte* types, Index n_types, Vertex v, Word* words) {
  const Word domain = n_types ? star_in_domain(grid, types, v) : ALL_CELLS;
  if (!(domain & bit(CENTER))) return;
  const Word inside = neighbors_with_periods(grid, v);
  Word rank[STAR], key_room[STAR], own_words[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  StarTables tables;
  for (int code = 0; code < STAR; ++code) fill_star_tables(tables, code, 3, 9, 2, 4);
  rank_neighbors(grid, values, v, inside, rank);
  Word star = closed_cells(lower_neighbors(rank + CENTER, 3, 9) & inside) & domain & ~bit(CENTER);
  pair_lower_star(star, rank + CENTER, tables, StarKeys{key_room, 1}, OwnWords{own_words + 7});
  for (int k = 0; k < 8; ++k) {  // bit a: the anchor is the vertex's own along axis a, else one back
    if (!own_words[k]) continue;
    int code = (k & 1) + 3 * (k >> 1 & 1) + 9 * (k >> 2);
    or_shared(words + neighbor_of_code(grid, v, code), own_words[k]);
  }
}
VALUE_KERNEL(pair_wrapped_stars, (Grid grid, const Value* values, const Byte* types, Index n_types, Word* words),
             pair_wrapped_star(grid, values, types, n_types, wrapped_vertex(grid, i), words))

template <class Value>
ITEM void mark_wrapped_top_cell(Grid grid, const Value* values, const Byte* types, Index n_types, Vertex v, Word* words) {
  const Word inside = neighbors_with_periods(grid, v);
  Word rank[STAR];
  rank_neighbors(grid, values, v, inside, rank);
  Word* word = words + vertex_id(grid, v);
  *word = with_octant(*word, highest_octant(grid, types, n_types, v, inside, rank));
}
VALUE_KERNEL(mark_wrapped_top_cells, (Grid grid, const Value* values, const Byte* types, Index n_types, Word* words),
             mark_wrapped_top_cell(grid, values, types, n_types, wrapped_vertex(grid, i), words))
