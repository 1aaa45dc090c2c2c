// The simplices of a tetrahedral mesh as a trie, and lookups in it.
//
// Vertices are numbered along a space-filling curve. The id of an edge, a triangle or a tetrahedron is
// its rank in the lexicographic order of the ascending vertex tuples, so that all simplices with the
// same lowest vertices form an interval of ids:
//   tets (T, 4): the tuples;  tet_begin (V + 1): tetrahedra by their lowest vertex
//   edge_begin (V + 1), edge_upper (E): edges by their lower vertex, and the upper vertex
//   triangle_begin (E + 1), triangle_third (F): triangles by the edge of their two lowest vertices
// Facets are numbered as their tuples ascend: those of a triangle abc are ab, ac, bc; those of a
// tetrahedron abcd are abc, abd, acd, bcd, so that facet k of a d-simplex lacks vertex d - k.
// Weiss, Fellegara, De Floriani, Velloso 2011 (vertex-based meshes); Liu et al. 2025, section 4.3.
#pragma once
#include "common/types.h"

// Position of `wanted` in sorted[begin, end), or NONE. Lists are short: bisect, then scan.
ITEM Int32 place_among(const Int32* sorted, Int32 begin, Int32 end, Int32 wanted) {
  while (end - begin > 8) {
    const Int32 middle = begin + ((end - begin) >> 1);
    if (sorted[middle] <= wanted)
      begin = middle;
    else
      end = middle;
  }
  for (Int32 at = begin; at < end; ++at)
    if (sorted[at] == wanted) return at;
  return NONE;
}
// The interval of `begins` (n + 1) that holds item: the greatest i with begins[i] <= item.
ITEM Int32 interval_of(const Int32* begins, Int32 n, Int32 item) {
  Int32 low = 0;
  while (n > 1) {
    const Int32 half = n >> 1;
    if (begins[low + half] <= item) low += half;
    n -= half;
  }
  return low;
}

// The edge ab with a < b, or NONE.
ITEM Int32 edge_between(Int32 a, Int32 b, const Int32* edge_begin, const Int32* edge_upper) {
  return place_among(edge_upper, edge_begin[a], edge_begin[a + 1], b);
}
// The triangle of the edge ab and c > b, or NONE.
ITEM Int32 triangle_on(Int32 edge, Int32 c, const Int32* triangle_begin, const Int32* triangle_third) {
  return place_among(triangle_third, triangle_begin[edge], triangle_begin[edge + 1], c);
}
// The triangle abc with a < b < c, or NONE.
ITEM Int32 triangle_of(Int32 a, Int32 b, Int32 c, const Int32* edge_begin, const Int32* edge_upper,
                       const Int32* triangle_begin, const Int32* triangle_third) {
  const Int32 edge = edge_between(a, b, edge_begin, edge_upper);
  return edge == NONE ? NONE : triangle_on(edge, c, triangle_begin, triangle_third);
}

// edge_lower (E,) and triangle_edge (F,) are the intervals that the ids lie in; both ascend.
ITEM void edge_vertices(Int32 e, const Int32* edge_lower, const Int32* edge_upper, Int32* out) {
  out[0] = edge_lower[e];
  out[1] = edge_upper[e];
}
ITEM void triangle_vertices(Int32 f, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_edge,
                            const Int32* triangle_third, Int32* out) {
  edge_vertices(triangle_edge[f], edge_lower, edge_upper, out);
  out[2] = triangle_third[f];
}
// FE: ab, ac, bc.
ITEM void edges_of_triangle(Int32 f, const Int32* edge_lower, const Int32* edge_begin, const Int32* edge_upper,
                            const Int32* triangle_edge, const Int32* triangle_third, Int32* out) {
  const Int32 ab = triangle_edge[f], c = triangle_third[f];
  out[0] = ab;
  // c comes after b among the upper neighbors of a.
  out[1] = place_among(edge_upper, ab + 1, edge_begin[edge_lower[ab] + 1], c);
  out[2] = edge_between(edge_upper[ab], c, edge_begin, edge_upper);
}
// TE: ab, ac, ad, bc, bd, cd. tet: four ascending vertices.
ITEM void edges_of_tet(const Int32* tet, const Int32* edge_begin, const Int32* edge_upper, Int32* out) {
  int k = 0;
  for (int i = 0; i < 3; ++i) {
    Int32 from = edge_begin[tet[i]], end = edge_begin[tet[i] + 1];
    for (int j = i + 1; j < 4; ++j, ++k) {
      out[k] = place_among(edge_upper, from, end, tet[j]);
      from = out[k] + 1;
    }
  }
}
// TF: abc, abd, acd, bcd. tet: four ascending vertices.
ITEM void triangles_of_tet(const Int32* tet, const Int32* edge_begin, const Int32* edge_upper,
                           const Int32* triangle_begin, const Int32* triangle_third, Int32* out) {
  const Int32 ab = edge_between(tet[0], tet[1], edge_begin, edge_upper);
  const Int32 ac = place_among(edge_upper, ab + 1, edge_begin[tet[0] + 1], tet[2]);
  const Int32 bc = edge_between(tet[1], tet[2], edge_begin, edge_upper);
  out[0] = triangle_on(ab, tet[2], triangle_begin, triangle_third);
  out[1] = place_among(triangle_third, out[0] + 1, triangle_begin[ab + 1], tet[3]);
  out[2] = triangle_on(ac, tet[3], triangle_begin, triangle_third);
  out[3] = triangle_on(bc, tet[3], triangle_begin, triangle_third);
}

KERNEL(name_intervals, (const Int32* begins, Int32* interval),
       for (Int32 item = begins[i]; item < begins[i + 1]; ++item) interval[item] = (Int32)i)
