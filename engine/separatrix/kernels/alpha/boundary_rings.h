// Boundary of an alpha complex around its edges: empty sides of triangles, and the wedges between them.
//
// A triangle has two sides: side 0 is where its normal (p_b - p_a) x (p_c - p_a) points, side 1 the other. Around an
// edge, seen from its lower vertex, its triangles form a ring by angle; wedge w is between ring[w] and the
// next one counter-clockwise. A wedge is empty iff its sides are; an edge without triangles has one wedge,
// the full circle. Angles are compared by exact determinants.
// Rows of facets: facet m of a simplex is opposite to its vertex m, so that ring entries are 3 * triangle + m, m the
// triangle's vertex off the edge.
#pragma once
#include "alpha/ball_shares.h"
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <vector>

struct Solid {
  const Real* sites;
  Real alpha;
  const Int32 *edges, *triangles, *tets;  // sites of their vertices: in a periodic box, copies of balls
  const Int32 *vertices_of, *edges_of, *triangles_of;  // facets of edges, of triangles, of tetrahedra
  Index n_vertices, n_edges, n_triangles, n_tets;

  // The vertices of a triangle that are the ends of its edge m, the lower one first.
  static int corner(int m, int end) { return end == 0 ? m == 0 : m == 2 ? 1 : 2; }
  GrownBall ball(Int32 site) const { return grown_ball_at(sites, alpha, site); }
  Offset between(Int32 from, Int32 to) const { return offset_to(ball(from), ball(to)); }
  Offset along(Index edge) const { return between(edges[2 * edge], edges[2 * edge + 1]); }
  // From an end of a triangle's edge to the vertex off the edge, which the ring entry names.
  Offset arm(Index entry, int end = 0) const {
    return between(triangles[entry - entry % 3 + corner((int)(entry % 3), end)], triangles[entry]);
  }
};

struct Shares {
  const Real *edge, *triangle;  // volume and area, for each vertex of each edge, of each triangle
  Share at_edge(Index edge_row, int end) const { return {edge[4 * edge_row + 2 * end], edge[4 * edge_row + 2 * end + 1]}; }
  Share at_triangle(Index row, int m) const { return {triangle[6 * row + 2 * m], triangle[6 * row + 2 * m + 1]}; }
};

struct Sectors {
  Int32 *vertex, *component;
  Real *volume, *area;
};

class Rings {
public:
  Rings(const Solid& solid, const Index* offsets)
      : offsets(offsets), ring((size_t)offsets[solid.n_edges], NONE), place((size_t)(3 * solid.n_triangles)),
        filled((size_t)(2 * solid.n_triangles), 0), angle((size_t)offsets[solid.n_edges]), solid(solid) {
    fill_sides();
    gather();
    for (Index e = 0; e < solid.n_edges; ++e) {
      throw_if_canceled_at(e);
      arrange(e);
    }
  }
  // The side of a triangle that looks forward, counter-clockwise, about the edge opposite to its vertex m.
  static int forward(int m) { return m == 1; }
  bool is_empty(Index wedge) const {
    return ring[wedge] == NONE || !filled[2 * (ring[wedge] / 3) + forward(ring[wedge] % 3)];
  }
  Index next(Index edge, Index wedge) const { return wedge + 1 < offsets[edge + 1] ? wedge + 1 : offsets[edge]; }
  Index previous(Index edge, Index wedge) const { return (wedge > offsets[edge] ? wedge : offsets[edge + 1]) - 1; }
  // The wedge on a side of the triangle, about its edge m.
  Index wedge_at(Index triangle, int m, int side) const {
    Index own = place[3 * triangle + m];
    return side == forward(m) ? own : previous(solid.edges_of[3 * triangle + m], own);
  }

  const Index* offsets;           // of the wedges by edge
  std::vector<Int32> ring;        // by wedge
  std::vector<Index> place;       // wedge by ring entry
  std::vector<Byte> filled;       // by side 2 * triangle + side
  std::vector<Real> angle;        // by wedge

private:
  void fill_sides() {
    for (Index i = 0; i < 4 * solid.n_tets; ++i) {
      const int k = (int)(i % 4);
      const Int32* t = solid.tets + (i - k);
      const Int32 first = t[k == 0];
      bool is_ahead = det(solid.between(first, t[k <= 1 ? 2 : 1]), solid.between(first, t[k <= 2 ? 3 : 2]),
                          solid.between(first, t[k])) > 0;
      filled[2 * (Index)solid.triangles_of[i] + !is_ahead] = 1;
    }
  }
  void gather() {
    std::vector<Index> at(offsets, offsets + solid.n_edges);
    for (Index i = 0; i < 3 * solid.n_triangles; ++i) ring[at[solid.edges_of[i]]++] = (Int32)i;
  }
  // Sorts the ring by angle from its first triangle, and measures the wedges.
  void arrange(Index edge) {
    Int32* begin = ring.data() + offsets[edge];
    Int32* end = ring.data() + offsets[edge + 1];
    if (*begin == NONE) {
      angle[offsets[edge]] = 2 * PI;
      return;
    }
    const Offset along = solid.along(edge), first = solid.arm(*begin);
    const auto is_past_half = [&](const Offset& a) { return det(along, first, a) < 0; };
    std::sort(begin + 1, end, [&](Int32 one, Int32 other) {
      const Offset a = solid.arm(one), b = solid.arm(other);
      return is_past_half(a) != is_past_half(b) ? is_past_half(b) : det(along, a, b) > 0;
    });
    for (Int32* entry = begin; entry < end; ++entry) {
      const Index wedge = entry - ring.data();
      place[*entry] = wedge;
      angle[wedge] = turn(along, solid.arm(*entry), solid.arm(entry + 1 < end ? entry[1] : *begin), end - begin == 1);
    }
  }
  static Real turn(const Offset& along, const Offset& a, const Offset& b, bool is_full) {
    if (is_full) return 2 * PI;
    const Index length = dot(along, along);
    const Long sine = det(along, a, b);
    const Real cosine = real_of((Long)length * dot(a, b) - (Long)dot(along, a) * dot(along, b));
    const Real acute = angle_of(sqrt((Real)length) * real_of(sine < 0 ? -sine : sine), cosine);
    return sine < 0 ? 2 * PI - acute : acute;
  }

  const Solid& solid;
};
#endif
