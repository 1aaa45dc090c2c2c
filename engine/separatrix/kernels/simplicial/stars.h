// EF and ET of all edges that a vertex owns: each triangle and tetrahedron around the vertex is looked up once
// for all of its edges. The rows are those of relations.h, in the same order.
//
// Row e is items + offsets[e - first], first the first edge of the span; item i is vertex begin + i.
#pragma once
#include "simplicial/relations.h"

// Appends an item to a row of `length`, whose last place holds the count until it is filled itself: rows of
// hubs grow side by side, too many for cursors in local memory.
ITEM void begin_row(Int32* row, Index length) {
  if (length > 1) row[length - 1] = 0;
}
ITEM void append_to_row(Int32* row, Index length, Int32 item) {
  Int32& last = row[length - 1];
  if (length > 1 && last < length - 1)
    row[last++] = item;
  else
    last = item;
}

// Visits (edge's place among those of v, triangle), triangles ascending for each edge: axy before xmy
// before xyz, because lists below come first and a triangle xmy is in the interval of a lower edge xm.
// place_of(u): the place of an upper neighbor.
template <class Place, class Visit>
ITEM void visit_triangles_around(Int32 v, Place place_of, const Int32* below_begin, const Int32* below_edges,
                                 const Int32* edge_begin, const Int32* triangle_begin, const Int32* triangle_third,
                                 Visit visit) {
  for (Int32 k = below_begin[v]; k < below_begin[v + 1]; ++k) {
    const Int32 edge = below_edges[k];
    for (Int32 f = triangle_begin[edge]; f < triangle_begin[edge + 1]; ++f)
      visit(place_of(triangle_third[f]), f);
  }
  const Int32 first = edge_begin[v], n = edge_begin[v + 1] - first;
  for (Int32 own = 0; own < n; ++own)
    for (Int32 f = triangle_begin[first + own]; f < triangle_begin[first + own + 1]; ++f) {
      visit(own, f);
      visit(place_of(triangle_third[f]), f);
    }
}
// Visits (place, tetrahedron, whether v owns that edge), three times per tetrahedron, ascending: which
// corners are above v cannot be predicted, so a visit avoids branches. Places are up to n.
template <class Visit>
ITEM void visit_tets_around(Int32 v, const UpperList& list, const Int32* tets, const Int32* tet_begin,
                            const Int32* star_begin, const Int32* star_tets, Visit visit) {
  visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32 t, const Int32* row) {
    UNROLL for (int k = 1; k < 4; ++k) visit(n_uppers_below(list, row[k]), t, (row[k] > v) & (row[k] != NO_VERTEX));
  });
}

ITEM void count_ef_at(Int32 v, const Int32* below_begin, const Int32* below_edges,
                      const Int32* edge_begin, const Int32* edge_upper, const Int32* triangle_begin,
                      const Int32* triangle_third, Int32* counts) {
  const Int32 first = edge_begin[v], n = edge_begin[v + 1] - first;
  UpperList list;
  for (Int32 k = 0; k < n; ++k) counts[first + k] = 0;
  if (n > MOST_IN_MATRIX) {
    visit_triangles_around(
        v, [&](Int32 u) { return place_among(edge_upper, first, first + n, u) - first; }, below_begin, below_edges,
        edge_begin, triangle_begin, triangle_third, [&](Int32 k, Int32) { ++counts[first + k]; });
    return;
  }
  load_uppers(edge_upper + first, n, list);
  visit_triangles_around(
      v, [&](Int32 u) { return n_uppers_below(list, u); }, below_begin, below_edges, edge_begin, triangle_begin,
      triangle_third, [&](Int32 k, Int32) { ++counts[first + k]; });
}
KERNEL(count_ef_around, (const Int32* below_begin, const Int32* below_edges,
                         const Int32* edge_begin, const Int32* edge_upper, const Int32* triangle_begin,
                         const Int32* triangle_third, Int32* counts),
       count_ef_at((Int32)i, below_begin, below_edges, edge_begin, edge_upper, triangle_begin,
                   triangle_third, counts))
ITEM void write_ef_at(Int32 v, Int32 first_of_span, const Int32* below_begin, const Int32* below_edges,
                      const Int32* edge_begin, const Int32* edge_upper,
                      const Int32* triangle_begin, const Int32* triangle_third, const Index* offsets,
                      const Int32* names, Index n_names, Int32* items) {
  const Int32 first = edge_begin[v], n = edge_begin[v + 1] - first;
  const Index* begins = offsets + (first - first_of_span);
  if (n > MOST_IN_MATRIX) {
    for (Int32 k = 0; k < n; ++k) begin_row(items + begins[k], begins[k + 1] - begins[k]);
    visit_triangles_around(
        v, [&](Int32 u) { return place_among(edge_upper, first, first + n, u) - first; }, below_begin, below_edges,
        edge_begin, triangle_begin, triangle_third,
        [&](Int32 k, Int32 f) { append_to_row(items + begins[k], begins[k + 1] - begins[k], f); });
  } else {
    UpperList list;
    Int32 n_written[MOST_IN_MATRIX];
    load_uppers(edge_upper + first, n, list);
    for (Int32 k = 0; k < n; ++k) n_written[k] = 0;
    visit_triangles_around(
        v, [&](Int32 u) { return n_uppers_below(list, u); }, below_begin, below_edges, edge_begin, triangle_begin,
        triangle_third, [&](Int32 k, Int32 f) { items[begins[k] + n_written[k]++] = f; });
  }
  for (Int32 k = 0; k < n; ++k) name_and_sort_row(items + begins[k], begins[k + 1] - begins[k], names, n_names);
}
KERNEL(write_ef_around, (Index begin, Int32 first_edge, const Int32* below_begin, const Int32* below_edges,
                         const Int32* edge_begin, const Int32* edge_upper,
                         const Int32* triangle_begin, const Int32* triangle_third, const Index* offsets,
                         const Int32* names, Index n_names, Int32* items),
       write_ef_at((Int32)(begin + i), first_edge, below_begin, below_edges, edge_begin, edge_upper,
                   triangle_begin, triangle_third, offsets, names, n_names, items))

ITEM void count_et_at(Int32 v, const Int32* edge_begin, const Int32* edge_upper, const Int32* tets,
                      const Int32* tet_begin, const Int32* star_begin, const Int32* star_tets, Int32* counts) {
  const Int32 first = edge_begin[v], n = edge_begin[v + 1] - first;
  for (Int32 k = 0; k < n; ++k) counts[first + k] = 0;
  if (n > MOST_IN_MATRIX) {
    visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32, const Int32* row) {
      visit_above(row, v, [&](Int32 u) { ++counts[place_among(edge_upper, first, first + n, u)]; });
    });
    return;
  }
  UpperList list;
  Int32 n_found[MOST_IN_MATRIX + 1];
  load_uppers(edge_upper + first, n, list);
  for (Int32 k = 0; k <= n; ++k) n_found[k] = 0;
  visit_tets_around(v, list, tets, tet_begin, star_begin, star_tets,
                    [&](Int32 k, Int32, bool is_own) { n_found[k] += is_own; });
  for (Int32 k = 0; k < n; ++k) counts[first + k] = n_found[k];
}
KERNEL(count_et_around, (const Int32* edge_begin, const Int32* edge_upper, const Int32* tets, const Int32* tet_begin,
                         const Int32* star_begin, const Int32* star_tets, Int32* counts),
       count_et_at((Int32)i, edge_begin, edge_upper, tets, tet_begin, star_begin, star_tets, counts))
ITEM void write_et_at(Int32 v, Int32 first_of_span, const Int32* edge_begin, const Int32* edge_upper,
                      const Int32* tets, const Int32* tet_begin, const Int32* star_begin, const Int32* star_tets,
                      const Index* offsets, const Int32* names, Index n_names, Int32* items) {
  const Int32 first = edge_begin[v], n = edge_begin[v + 1] - first;
  const Index* begins = offsets + (first - first_of_span);
  if (n > MOST_IN_MATRIX) {
    for (Int32 k = 0; k < n; ++k) begin_row(items + begins[k], begins[k + 1] - begins[k]);
    visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32 t, const Int32* row) {
      visit_above(row, v, [&](Int32 u) {
        const Int32 k = place_among(edge_upper, first, first + n, u) - first;
        append_to_row(items + begins[k], begins[k + 1] - begins[k], t);
      });
    });
  } else {
    UpperList list;
    Int32* next[MOST_IN_MATRIX + 1];
    Int32 lost;
    load_uppers(edge_upper + first, n, list);
    for (Int32 k = 0; k <= n; ++k) next[k] = items + begins[k];
    visit_tets_around(v, list, tets, tet_begin, star_begin, star_tets, [&](Int32 k, Int32 t, bool is_own) {
      *(is_own ? next[k] : &lost) = t;
      next[k] += is_own;
    });
  }
  for (Int32 k = 0; k < n; ++k) name_and_sort_row(items + begins[k], begins[k + 1] - begins[k], names, n_names);
}
KERNEL(write_et_around, (Index begin, Int32 first_edge, const Int32* edge_begin, const Int32* edge_upper,
                         const Int32* tets, const Int32* tet_begin, const Int32* star_begin, const Int32* star_tets,
                         const Index* offsets, const Int32* names, Index n_names, Int32* items),
       write_et_at((Int32)(begin + i), first_edge, edge_begin, edge_upper, tets, tet_begin, star_begin, star_tets, offsets,
                   names, n_names, items))
