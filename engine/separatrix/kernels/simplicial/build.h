// From cells to sorted tetrahedra, stars, and the tries of edges and triangles (simplices.h).
//
// All lists are counted, summed, filled, and sorted by owning vertex, so they do not depend on the order of
// threads. A triangle mesh has rows abc NO_VERTEX in the same array.
//   star_begin (V + 1), star_tets: by vertex, the tetrahedra in which it is not the lowest vertex; the
//   others are the interval of tet_begin. Both ascend, so the star of a vertex is one list and the other.
// Every edge and triangle is in the star of its lowest vertex, which lists its upper neighbors; the
// triangles at v are bits of a square matrix over them, or sorted keys if v has more than 64.
#pragma once
#include "common/sort.h"
#include "simplicial/checks.h"
#include "simplicial/simplices.h"

enum { NO_VERTEX = 2147483647, MOST_IN_MATRIX = 64 };

struct MeshCell {  // all vertices except the lowest, and the user's id; ordered for the kernels
  Int32 b, c, d, cell;
  ITEM_MEMBER bool operator<(const MeshCell& other) const {
    const Wide high = (Wide)b << 32 | (Word)c, other_high = (Wide)other.b << 32 | (Word)other.c;
    if (high != other_high) return high < other_high;
    return ((Wide)d << 32 | (Word)cell) < ((Wide)other.d << 32 | (Word)other.cell);
  }
};

ITEM void put_in_order(Int32& low, Int32& high) {
  const Int32 least = low < high ? low : high;
  high = low < high ? high : low;
  low = least;
}
// Ascending mesh vertices of the user's cell of n_corners 3 or 4.
ITEM void sorted_corners(const Int32* cells, Index n_corners, const Int32* vertex_of, Index cell, Int32* v) {
  const Int32* given = cells + n_corners * cell;
  for (int k = 0; k < 4; ++k) v[k] = k < n_corners ? vertex_of[given[k]] : NO_VERTEX;
  put_in_order(v[0], v[1]);
  put_in_order(v[2], v[3]);
  put_in_order(v[0], v[2]);
  put_in_order(v[1], v[3]);
  put_in_order(v[1], v[2]);
}

// === 1. tetrahedra by their lowest vertex. chosen: the cells to use, all if n_chosen is 0
ITEM void count_mesh_cell(const Int32* cells, Index n_corners, const Int32* vertex_of, Index cell, Int32* counts) {
  const Int32* given = cells + n_corners * cell;
  Int32 lowest = vertex_of[given[0]];
  for (int k = 1; k < n_corners; ++k) lowest = vertex_of[given[k]] < lowest ? vertex_of[given[k]] : lowest;
  count_one(counts + lowest);
}
KERNEL(count_mesh_cells, (const Int32* cells, Index n_corners, const Int32* vertex_of, const Int32* chosen, Index n_chosen,
                     Int32* counts),
       count_mesh_cell(cells, n_corners, vertex_of, n_chosen ? chosen[i] : i, counts))

// The same of cells that may be invalid, which are counted in n_invalid (1,). is_used (V,): whether a vertex has cells.
ITEM bool is_valid_cell(const Int32* given, Index n_corners, Int32 n_vertices) {
  bool valid = !has_repeated_corner(given, n_corners);
  for (Index k = 0; k < n_corners; ++k) valid &= given[k] >= 0 && given[k] < n_vertices;
  return valid;
}
ITEM void count_given_cell(const Int32* cells, Index n_corners, const Int32* vertex_of, Int32 n_vertices, Index row,
                           Int32* counts, Byte* is_used, Index* n_invalid) {
  const Int32* given = cells + n_corners * row;
  if (!is_valid_cell(given, n_corners, n_vertices)) {
    add_to(n_invalid, 1);
    return;
  }
  count_mesh_cell(cells, n_corners, vertex_of, row, counts);
  for (Index k = 0; k < n_corners; ++k) mark(is_used + vertex_of[given[k]]);
}
KERNEL(count_given_cells, (const Int32* cells, Index n_corners, const Int32* vertex_of, Int32 n_vertices, Int32* counts, Byte* is_used, Index* n_invalid),
       count_given_cell(cells, n_corners, vertex_of, n_vertices, i, counts, is_used, n_invalid))

// Cells whose lowest vertex is one of low to end - 1. cursors (end - low,): where the cells of each vertex begin,
// modified. Out: tets, whose rows temporarily hold a MeshCell each.
ITEM void place_mesh_cell(const Int32* cells, Index n_corners, const Int32* vertex_of, Index row, Index cell, Int32 low,
                          Int32 end, Int32* cursors, Int32* tets) {
  Int32 v[4];
  sorted_corners(cells, n_corners, vertex_of, row, v);
  if (v[0] >= low && v[0] < end)
    ((MeshCell*)tets)[count_one(cursors + (v[0] - low))] = {v[1], v[2], v[3], (Int32)cell};
}
// Rows of `cells` are the user's cells from `first_cell` on.
KERNEL(place_mesh_cells, (const Int32* cells, Index n_corners, const Int32* vertex_of, const Int32* chosen, Index n_chosen,
                     Index first_cell, Int32 low, Int32 end, Int32* cursors, Int32* tets),
       const Index row = n_chosen ? chosen[i] : i;
       place_mesh_cell(cells, n_corners, vertex_of, row, first_cell + row, low, end, cursors, tets))

// tet_begin: of the vertices from `low` on, in tets and cell_of.
ITEM void sort_own_tets(const Int32* tet_begin, Index i, Int32 v, Int32* tets, Int32* cell_of) {
  const Int32 begin = tet_begin[i], end = tet_begin[i + 1];
  MeshCell* cells = (MeshCell*)tets;
  sort_list(cells + begin, end - begin);
  for (Int32 t = begin; t < end; ++t) {
    const MeshCell cell = cells[t];
    Int32* row = tets + 4 * (Index)t;
    row[0] = v;
    row[1] = cell.b;
    row[2] = cell.c;
    row[3] = cell.d;
    cell_of[t] = cell.cell;
  }
}
KERNEL(sort_tets, (const Int32* tet_begin, Int32 low, Int32* tets, Int32* cell_of),
       sort_own_tets(tet_begin, i, low + (Int32)i, tets, cell_of))

// Out: whether a tetrahedron has the vertices of the one before it, whose cell id is lower.
ITEM bool repeats_previous(const Int32* tets, Index t) {
  const Int32* row = tets + 4 * t;
  return t > 0 && row[0] == row[-4] && row[1] == row[-3] && row[2] == row[-2] && row[3] == row[-1];
}
KERNEL(find_repeated_tets, (const Int32* tets, Byte* is_repeated), is_repeated[i] = repeats_previous(tets, i))

// === 2. stars
ITEM void count_star(const Int32* row, Int32* counts) {
  for (int k = 1; k < 4; ++k)
    if (row[k] != NO_VERTEX) count_one(counts + row[k]);
}
KERNEL(count_stars, (const Int32* tets, Int32* counts), count_star(tets + 4 * i, counts))
ITEM void place_in_stars(const Int32* row, Int32 t, Int32* cursors, Int32* star_tets) {
  for (int k = 1; k < 4; ++k)
    if (row[k] != NO_VERTEX) star_tets[count_one(cursors + row[k])] = t;
}
KERNEL(place_stars, (const Int32* tets, Int32* cursors, Int32* star_tets),
       place_in_stars(tets + 4 * i, (Int32)i, cursors, star_tets))

// Visits the tetrahedra around v, ascending: visit(tet, row).
template <class Visit>
ITEM void visit_star(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                     const Int32* star_tets, Visit visit) {
  for (Int32 at = star_begin[v]; at < star_begin[v + 1]; ++at)
    visit(star_tets[at], tets + 4 * (Index)star_tets[at]);
  for (Int32 t = tet_begin[v]; t < tet_begin[v + 1]; ++t) visit(t, tets + 4 * (Index)t);
}
// Vertices of a tetrahedron above v: visit(u).
template <class Visit>
ITEM void visit_above(const Int32* row, Int32 v, Visit visit) {
  for (int k = 1; k < 4; ++k)
    if (row[k] > v && row[k] != NO_VERTEX) visit(row[k]);
}

KERNEL(sort_lists, (const Int32* begins, Int32* listed), sort_list(listed + begins[i], begins[i + 1] - begins[i]))

// Upper neighbors of a vertex in local memory, in blocks of eight whose comparisons have no branches;
// entries beyond n in the last block are NO_VERTEX.
struct UpperList {
  Int32 vertex[MOST_IN_MATRIX];
  Int32 n;
};
ITEM void append_upper(UpperList& list, Int32 u) {
  if (list.n % 8 == 0)
    UNROLL for (int k = 0; k < 8; ++k) list.vertex[list.n + k] = NO_VERTEX;
  list.vertex[list.n++] = u;
}
ITEM bool has_upper(const UpperList& list, Int32 u) {
  for (Int32 block = 0; block < list.n; block += 8) {
    Int32 n_equal = 0;
    UNROLL for (int k = 0; k < 8; ++k) n_equal += list.vertex[block + k] == u;
    if (n_equal) return true;
  }
  return false;
}
// Number of entries below u: its place if the sorted list contains it.
ITEM Int32 n_uppers_below(const UpperList& list, Int32 u) {
  Int32 n = 0;
  for (Int32 block = 0; block < list.n; block += 8) {
    UNROLL for (int k = 0; k < 8; ++k) n += list.vertex[block + k] < u;
  }
  return n;
}
ITEM void load_uppers(const Int32* edge_upper, Int32 n, UpperList& list) {
  list.n = 0;
  for (Int32 k = 0; k < n; ++k) append_upper(list, edge_upper[k]);
}

// === 3. edges: the distinct vertices above v. Returns MOST_IN_MATRIX + 1 if a list has no room for them.
ITEM Int32 gather_uppers(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                         const Int32* star_tets, UpperList& list) {
  list.n = 0;
  bool is_hub = false;
  visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32, const Int32* row) {
    visit_above(row, v, [&](Int32 u) {
      if (is_hub || has_upper(list, u)) return;
      if (list.n == MOST_IN_MATRIX)
        is_hub = true;
      else
        append_upper(list, u);
    });
  });
  return is_hub ? MOST_IN_MATRIX + 1 : list.n;
}
// Out: counts (V,) of edges whose lower vertex is v, MOST_IN_MATRIX + 1 for hubs.
KERNEL(count_upper_neighbors, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                                const Int32* star_tets, Int32* counts),
       UpperList list; counts[i] = gather_uppers((Int32)i, tets, tet_begin, star_begin, star_tets, list))

// Visits each triangle whose lowest vertex is v, once for each tetrahedron (or triangle mesh's cell)
// that it belongs to: visit(i, j), places of its others among the upper neighbors, i < j.
template <class Visit>
ITEM void visit_places_above(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                             const Int32* star_tets, const UpperList& list, Visit visit) {
  visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32, const Int32* row) {
    if (row[1] > v && row[0] != v) return;  // v is in none of the requested triangles
    if (row[0] == v) {
      const Int32 b = n_uppers_below(list, row[1]), c = n_uppers_below(list, row[2]);
      visit(b, c);
      if (row[3] == NO_VERTEX) return;
      const Int32 d = n_uppers_below(list, row[3]);
      visit(b, d);
      visit(c, d);
    } else if (row[1] == v && row[3] != NO_VERTEX) {
      visit(n_uppers_below(list, row[2]), n_uppers_below(list, row[3]));
    }
  });
}
// Bit j of rows[i]: v and its i-th and j-th upper neighbors are a triangle.
ITEM void fill_matrix(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                      const Int32* star_tets, const UpperList& list, Wide* rows) {
  for (Int32 k = 0; k < list.n; ++k) rows[k] = 0;
  visit_places_above(v, tets, tet_begin, star_begin, star_tets, list,
                     [&](Int32 i, Int32 j) { rows[i] |= (Wide)1 << j; });
}
// Writes the upper neighbors in ascending order. Out: counts (E,) of the triangles on each edge. Hubs
// are skipped.
ITEM void list_uppers_at(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                         const Int32* star_tets, const Int32* edge_begin, Int32* edge_upper, Int32* counts) {
  const Int32 begin = edge_begin[v], n = edge_begin[v + 1] - begin;
  if (n > MOST_IN_MATRIX || n == 0) return;
  UpperList list;
  gather_uppers(v, tets, tet_begin, star_begin, star_tets, list);
  for (Int32 k = 0; k < n; ++k) edge_upper[begin + n_uppers_below(list, list.vertex[k])] = list.vertex[k];
  load_uppers(edge_upper + begin, n, list);
  Wide rows[MOST_IN_MATRIX];
  fill_matrix(v, tets, tet_begin, star_begin, star_tets, list, rows);
  for (Int32 k = 0; k < n; ++k) counts[begin + k] = population((Word)rows[k]) + population((Word)(rows[k] >> 32));
}
KERNEL(list_upper_neighbors, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                               const Int32* star_tets, const Int32* edge_begin, Int32* edge_upper, Int32* counts),
       list_uppers_at((Int32)i, tets, tet_begin, star_begin, star_tets, edge_begin, edge_upper, counts))

// Hubs: all vertices above them, sorted and distinct. hubs (h,), rooms (h + 1). Out: n_listed (h,)
ITEM Int32 list_uppers_of_hub(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                              const Int32* star_tets, Int32* listed) {
  Index n = 0;
  visit_star(v, tets, tet_begin, star_begin, star_tets,
             [&](Int32, const Int32* row) { visit_above(row, v, [&](Int32 u) { listed[n++] = u; }); });
  sort_list(listed, n);
  return (Int32)keep_each_once(listed, n);
}
KERNEL(list_neighbors_of_hubs, (const Int32* hubs, const Index* rooms, const Int32* tets, const Int32* tet_begin,
                                 const Int32* star_begin, const Int32* star_tets, Int32* listed, Int32* n_listed),
       n_listed[i] = list_uppers_of_hub(hubs[i], tets, tet_begin, star_begin, star_tets, listed + rooms[i]))
ITEM void copy_list(const Int32* from, Int32 n, Int32* to) {
  for (Int32 k = 0; k < n; ++k) to[k] = from[k];
}
KERNEL(place_neighbors_of_hubs, (const Int32* hubs, const Index* rooms, const Int32* listed, const Int32* n_listed,
                                  const Int32* edge_begin, Int32* edge_upper),
       copy_list(listed + rooms[i], n_listed[i], edge_upper + edge_begin[hubs[i]]))

// === 4. triangles
ITEM void list_triangles_at(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                            const Int32* star_tets, const Int32* edge_begin, const Int32* edge_upper,
                            const Int32* triangle_begin, Int32* triangle_third) {
  const Int32 begin = edge_begin[v], n = edge_begin[v + 1] - begin;
  if (n > MOST_IN_MATRIX || n == 0) return;
  UpperList list;
  load_uppers(edge_upper + begin, n, list);
  Wide rows[MOST_IN_MATRIX];
  fill_matrix(v, tets, tet_begin, star_begin, star_tets, list, rows);
  Int32 at = triangle_begin[begin];
  for (Int32 k = 0; k < n; ++k)
    for (int half = 0; half < 64; half += 32)
      for (Word left = (Word)(rows[k] >> half); left; left &= left - 1)
        triangle_third[at++] = list.vertex[half + lowest_bit(left)];
}
KERNEL(list_triangles_above, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                              const Int32* star_tets, const Int32* edge_begin, const Int32* edge_upper,
                              const Int32* triangle_begin, Int32* triangle_third),
       list_triangles_at((Int32)i, tets, tet_begin, star_begin, star_tets, edge_begin, edge_upper, triangle_begin,
                         triangle_third))

// Visits the triangles of a tetrahedron around v whose lowest vertex is v: visit(b, c).
template <class Visit>
ITEM void visit_triangles_above(const Int32* row, Int32 v, Visit visit) {
  const bool is_tet = row[3] != NO_VERTEX;
  if (row[0] == v) visit(row[1], row[2]);
  if (row[0] == v && is_tet) visit(row[1], row[3]);
  if (row[1] == v ? is_tet : row[0] == v && is_tet) visit(row[2], row[3]);
}
// Hubs: keys b << 32 | c of their triangles, sorted and distinct. hubs (h,), rooms (h + 1). Out: n_keys (h,)
ITEM void key_hub_triangles(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                            const Int32* star_tets, const Int32* edge_begin, const Int32* edge_upper, Index* keys,
                            Int32* n_keys, Int32* counts) {
  Index n = 0;
  visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32, const Int32* row) {
    visit_triangles_above(row, v, [&](Int32 b, Int32 c) { keys[n++] = (Index)b << 32 | c; });
  });
  sort_list(keys, n);
  n = keep_each_once(keys, n);
  *n_keys = (Int32)n;
  Index at = 0;
  for (Int32 e = edge_begin[v]; e < edge_begin[v + 1]; ++e) {
    const Index first = at;
    while (at < n && (keys[at] >> 32) == edge_upper[e]) ++at;
    counts[e] = (Int32)(at - first);
  }
}
KERNEL(key_triangles_of_hubs, (const Int32* hubs, const Index* rooms, const Int32* tets, const Int32* tet_begin,
                               const Int32* star_begin, const Int32* star_tets, const Int32* edge_begin,
                               const Int32* edge_upper, Index* keys, Int32* n_keys, Int32* counts),
       key_hub_triangles(hubs[i], tets, tet_begin, star_begin, star_tets, edge_begin, edge_upper, keys + rooms[i],
                         n_keys + i, counts))
ITEM void unpack_keys(const Index* keys, Int32 n_keys, Int32* thirds) {
  for (Int32 k = 0; k < n_keys; ++k) thirds[k] = (Int32)(keys[k] & 0x7FFFFFFF);
}
KERNEL(list_triangles_of_hubs, (const Int32* hubs, const Index* rooms, const Index* keys, const Int32* n_keys,
                                const Int32* edge_begin, const Int32* triangle_begin, Int32* triangle_third),
       unpack_keys(keys + rooms[i], n_keys[i], triangle_third + triangle_begin[edge_begin[hubs[i]]]))
