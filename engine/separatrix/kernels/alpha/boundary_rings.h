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
  const Int32 *edges, *triangles, *tets;
  const Int32 *edges_of, *triangles_of;  // facets of triangles, of tetrahedra
  Index n_balls, n_edges, n_triangles, n_tets;

  GrownBall ball(Int32 i) const { return grown_ball_at(sites, alpha, i); }
  Offset between(Int32 from, Int32 to) const { return offset_to(ball(from), ball(to)); }
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
      const Int32* t = solid.triangles + 3 * (Index)solid.triangles_of[i];
      bool is_ahead = det(solid.between(t[0], t[1]), solid.between(t[0], t[2]), solid.between(t[0], solid.tets[i])) > 0;
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
    const Offset along = solid.between(solid.edges[2 * edge], solid.edges[2 * edge + 1]);
    const auto arm = [&](Int32 entry) { return solid.between(solid.edges[2 * edge], solid.triangles[entry]); };
    const Offset first = arm(*begin);
    const auto is_past_half = [&](const Offset& a) { return det(along, first, a) < 0; };
    std::sort(begin + 1, end, [&](Int32 one, Int32 other) {
      const Offset a = arm(one), b = arm(other);
      return is_past_half(a) != is_past_half(b) ? is_past_half(b) : det(along, a, b) > 0;
    });
    for (Int32* entry = begin; entry < end; ++entry) {
      const Index wedge = entry - ring.data();
      place[*entry] = wedge;
      angle[wedge] = turn(along, arm(*entry), arm(entry + 1 < end ? entry[1] : *begin), end - begin == 1);
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
