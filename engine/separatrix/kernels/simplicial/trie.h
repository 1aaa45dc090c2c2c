// The arrays of a mesh's simplices together: the facets of a simplex, and their numbers.
#pragma once
#include "simplicial/simplices.h"

struct MeshTrie {
  const Int32* edge_lower;
  const Int32* edge_begin;
  const Int32* edge_upper;
  const Int32* triangle_edge;
  const Int32* triangle_begin;
  const Int32* triangle_third;
  const Int32* tets;

  ITEM_MEMBER void edges_of(Int32 triangle, Int32* out) const {
    edges_of_triangle(triangle, edge_lower, edge_begin, edge_upper, triangle_edge, triangle_third, out);
  }
  // Facet k of a top simplex of a mesh of this dimension: an edge of a triangle, a triangle of a tetrahedron.
  ITEM_MEMBER Int32 facet_of(int dimension, Int32 top, int k) const {
    if (dimension == 2) {
      const Int32 ab = triangle_edge[top], c = triangle_third[top];
      if (k == 0) return ab;
      if (k == 1) return place_among(edge_upper, ab + 1, edge_begin[edge_lower[ab] + 1], c);
      return edge_between(edge_upper[ab], c, edge_begin, edge_upper);
    }
    const Int32* t = tets + 4 * (Index)top;
    return triangle_of(t[k > 2], t[k > 1 ? 2 : 1], t[k > 0 ? 3 : 2], edge_begin, edge_upper, triangle_begin,
                       triangle_third);
  }
};
