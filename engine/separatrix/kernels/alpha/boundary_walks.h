// Boundary components of an alpha complex, and the exposed parts of balls for each.
//
// Nodes are the empty sides and wedges (boundary_rings.h) and the empty sectors of the link of each vertex v, the
// sphere of directions from v: nodes its edges, arcs its triangles, filled faces its tetrahedra. The sides and
// wedges about an empty face form walks, one for each part of the link that bounds it; a face that several parts bound is one
// sector, and joins its walks. Reference: Edelsbrunner 1995, section 6.
//
// A part with one empty face has all others in it. Parity determines the face that contains another part B: from
// a direction b of B along a great circle to a node a of the part; face f holds b iff the number of arcs crossed
// that have f on just one side, and whether the wedge of arrival is f's, add up to an odd number. b is
// moved by (eps, eps^2, eps^3), so signs are zero only if nothing is crossed.
//
// Solid angle of a sector: 2 pi (2 - walks) - sum (pi - wedge) over their corners, an edge without triangles having
// pi - wedge = -2 pi (Gauss-Bonnet). Ball v exposes to it, by inclusion-exclusion over the cone of the sector,
//   solid / 4pi V_v - sum wedge / 2pi V_ve + sum 1/2 V_vt   over its wedges and sides; area likewise.
//
// In a periodic box, each simplex has its vertices in places of its own, and nodes are placed beside each other
// (placed_sets.h). An edge has two ends, halves, which may be at the same vertex: half 2 * edge + end.
#pragma once
#include "alpha/boundary_rings.h"
#include "alpha/placed_sets.h"
#include "common/sets.h"

#if !ON_GPU
class Boundary {
public:
  Boundary(const Solid& solid, const Rings& rings, const Shares& shares, const Index* place_of)
      : solid(solid), rings(rings), shares(shares), place_of(place_of), n_sides(2 * solid.n_triangles),
        sets(n_sides + rings.offsets[solid.n_edges] + solid.n_vertices), local_of((size_t)(2 * solid.n_edges)) {
    for (int end = 0; end < 2; ++end) walk_of[end].assign((size_t)rings.offsets[solid.n_edges], NONE);
    join_sides_to_wedges();
    list_halves_by_vertex();
  }

  // Sectors of the vertices at these sites, their components named by sets of nodes.
  Index list_sectors(const Int32* vertices, Sectors out) {
    for (Index v = 0; v < solid.n_vertices; ++v) {
      throw_if_canceled_at(v);
      look_at(v);
      for (const Face& face : faces) {
        out.vertex[n] = (Int32)v, out.component[n] = face.node;
        const Real radius = radius_of(solid.ball(vertices[v]));
        const Share own = (2 * PI * (2 - face.n_walks) - face.turning) / (4 * PI) * share_of_one(radius) + face.share;
        out.volume[n] = own.volume, out.area[n] = own.area;
        ++n;
      }
    }
    return n;
  }
  // Numbers the components in the order of their least nodes; filled sides have NONE.
  void number(Sectors out, Int32* side_component, Index* side_place, Int8* component_rank) {
    const std::vector<Int8> rank = sets.ranks();
    std::vector<Int32> number(rank.size(), NONE);
    Int32 n_components = 0;
    const auto numbered = [&](Index node) {
      const Int32 name = sets.at(node).name;
      if (number[name] == NONE) component_rank[n_components] = rank[name], number[name] = n_components++;
      return number[name];
    };
    for (Index s = 0; s < n_sides; ++s) {
      side_component[s] = rings.filled[s] ? NONE : numbered(s);
      side_place[s] = sets.at(s).place;
    }
    for (Index s = 0; s < n; ++s) out.component[s] = numbered(out.component[s]);
  }

private:
  struct Walk {
    Int32 part, node, face;
    Index place;  // of the vertex, from that of the node
    Real turning;
    Share share;
  };
  struct Face {
    Int32 node;
    int n_walks;
    Real turning;
    Share share;
  };
  struct Spot {
    Index half, wedge;
  };

  Index wedge_node(Index wedge) const { return n_sides + wedge; }
  Offset direction(Index half) const {
    const Offset d = solid.along(half / 2);
    return half % 2 == 0 ? d : Offset{-d.x, -d.y, -d.z};
  }
  Int32& walk_at(const Spot& spot) { return walk_of[spot.half % 2][spot.wedge]; }

  void join_sides_to_wedges() {
    for (Index t = 0; t < solid.n_triangles; ++t, throw_if_canceled_at(t))
      for (int side = 0; side < 2; ++side)
        for (int m = 0; m < 3 && !rings.filled[2 * t + side]; ++m) {
          const Index edge = solid.edges_of[3 * t + m];
          const Index apart = place_of[solid.triangles[3 * t + solid.corner(m, 0)]] - place_of[solid.edges[2 * edge]];
          sets.join(2 * t + side, wedge_node(rings.wedge_at(t, m, side)), apart);
        }
  }
  // The facet of an edge that is opposite to an end is the other one.
  Int32 vertex_of(Index half) const { return solid.vertices_of[half ^ 1]; }
  void list_halves_by_vertex() {
    halves_at.assign((size_t)solid.n_vertices + 1, 0);
    for (Index h = 0; h < 2 * solid.n_edges; ++h) ++halves_at[vertex_of(h) + 1];
    for (Index v = 0; v < solid.n_vertices; ++v) halves_at[v + 1] += halves_at[v];
    half_list.resize((size_t)(2 * solid.n_edges));
    std::vector<Index> at(halves_at.begin(), halves_at.end() - 1);
    for (Index h = 0; h < 2 * solid.n_edges; ++h) half_list[at[vertex_of(h)]++] = (Int32)h;
  }

  // === the link of one vertex: its parts, walks, and faces
  void look_at(Index v) {
    halves = half_list.data() + halves_at[v];
    n_halves = halves_at[v + 1] - halves_at[v];
    walks.clear(), faces.clear();
    if (n_halves == 0) {
      faces.push_back({(Int32)(wedge_node(rings.offsets[solid.n_edges]) + v), 0, 0, {0, 0}});
      return;
    }
    find_parts();
    for (Index i = 0; i < n_halves; ++i)
      for (Index wedge = first_wedge(halves[i]); wedge < end_of_wedges(halves[i]); ++wedge)
        if (rings.is_empty(wedge) && walk_at({halves[i], wedge}) == NONE) walk_from({halves[i], wedge}, part[i]);
    join_walks();
    for (size_t w = 0; w < walks.size(); ++w) {
      if (walks[w].face == (Int32)w) faces.push_back({walks[w].node, 0, 0, {0, 0}}), face_at[w] = faces.size() - 1;
      Face& face = faces[face_at[walks[w].face]];
      ++face.n_walks;
      face.turning += walks[w].turning;
      face.share = face.share + walks[w].share;
    }
    for (const Spot& spot : walked) walk_at(spot) = NONE;
    walked.clear();
  }
  Index first_wedge(Index half) const { return rings.offsets[half / 2]; }
  Index end_of_wedges(Index half) const { return rings.offsets[half / 2 + 1]; }
  void find_parts() {
    Sets joined(n_halves);
    for (Index i = 0; i < n_halves; ++i) local_of[halves[i]] = (Int32)i;
    for (Index i = 0; i < n_halves; ++i)
      for (Index w = first_wedge(halves[i]); w < end_of_wedges(halves[i]); ++w)
        if (rings.ring[w] != NONE) joined.join(i, local_of[across(halves[i], rings.ring[w]).half]);
    part.resize((size_t)n_halves);
    for (Index i = 0; i < n_halves; ++i) part[i] = joined.name(i);
  }

  struct Side {
    Index half;
    int m, corner;  // opposite to the edge, and at the vertex
  };
  // The other edge at the vertex of a half, in the triangle of a ring entry.
  Side across(Index half, Index entry) const {
    const int m = (int)(entry % 3), corner = solid.corner(m, (int)(half % 2)), other = 3 - m - corner;
    return {2 * (Index)solid.edges_of[entry - m + other] + (solid.corner(other, 0) != corner), other, corner};
  }
  // About the outward direction a wedge begins at its own ring entry if the vertex is the edge's lower end.
  Index begin_of(const Spot& spot) const { return spot.half % 2 == 0 ? spot.wedge : rings.next(spot.half / 2, spot.wedge); }
  void walk_from(const Spot& start, Int32 part_of_walk) {
    Walk walk = {part_of_walk, (Int32)wedge_node(start.wedge), (Int32)walks.size(), place_at(start.half), 0, {0, 0}};
    Spot at = start;
    do {
      walk_at(at) = (Int32)walks.size();
      walked.push_back(at);
      const Real angle = rings.angle[at.wedge];
      const int end = (int)(at.half % 2);
      walk.share = walk.share + -(angle / (2 * PI)) * shares.at_edge(at.half / 2, end);
      if (rings.ring[at.wedge] == NONE) {
        walk.turning = -2 * PI;
        break;
      }
      walk.turning += PI - angle;
      const Index entry = rings.ring[begin_of(at)];
      // The face is counter-clockwise of the arc that leaves here.
      const int forward = rings.forward((int)(entry % 3)), side = end == 0 ? forward : 1 - forward;
      const Side other = across(at.half, entry);
      walk.share = walk.share + 0.5 * shares.at_triangle(entry / 3, other.corner);
      at = {other.half, rings.wedge_at(entry / 3, other.m, side)};
    } while (at.half != start.half || at.wedge != start.wedge);
    walks.push_back(walk);
  }
  Index place_at(Index half) const { return place_of[solid.edges[half]]; }

  // === faces that several parts of the link bound
  void join_walks() {
    face_at.assign(walks.size(), 0);
    std::vector<Int32> parts, lone;  // names; a part's one walk, or NONE
    for (const Walk& walk : walks)
      if (std::find(parts.begin(), parts.end(), walk.part) == parts.end()) parts.push_back(walk.part), lone.push_back(NONE);
    const Index n_parts = (Index)parts.size();
    if (n_parts < 2) return;
    for (Index p = 0; p < n_parts; ++p)
      for (size_t w = 0, n_found = 0; w < walks.size(); ++w)
        if (walks[w].part == parts[p]) lone[p] = n_found++ == 0 ? (Int32)w : NONE;
    // face[p][q]: the walk of part p about the face that holds part q
    std::vector<Int32> face((size_t)(n_parts * n_parts));
    for (Index p = 0; p < n_parts; ++p)
      for (Index q = 0; q < n_parts; ++q)
        face[p * n_parts + q] = p == q ? NONE : lone[p] != NONE ? lone[p] : walk_about(parts[p], parts[q]);
    Sets joined((Index)walks.size());
    for (Index p = 0; p < n_parts; ++p)
      for (Index q = 0; q < p; ++q) {
        bool are_apart = false;
        for (Index r = 0; r < n_parts; ++r)
          are_apart |= r != p && r != q && face[r * n_parts + p] != face[r * n_parts + q];
        if (!are_apart) joined.join(face[p * n_parts + q], face[q * n_parts + p]);
      }
    for (size_t w = 0; w < walks.size(); ++w) {
      walks[w].face = joined.name((Index)w);
      const Walk& first = walks[walks[w].face];
      sets.join(walks[w].node, first.node, walks[w].place - first.place);
    }
  }
  // Sign of det(b + (eps, eps^2, eps^3), p, q).
  static int moved_sign(const Offset& b, const Offset& p, const Offset& q) {
    const Offset n = cross(p, q);
    for (Long x : {dot_of_normal(n, b), (Long)n.x, (Long)n.y, (Long)n.z})
      if (x != 0) return x > 0 ? 1 : -1;
    return 0;
  }
  Int32 walk_about(Int32 own, Int32 other) {
    const Index from = halves[other], to = halves[own];  // a part is named by one of its edges
    const Offset b = direction(from), a = direction(to);
    std::vector<Byte> is_inside(walks.size(), 0);
    const Index arrival = wedge_towards(to, a, b);
    if (rings.is_empty(arrival)) is_inside[walk_at({to, arrival})] = 1;
    for (Index i = 0; i < n_halves; ++i)
      for (Index w = first_wedge(halves[i]); part[i] == own && w < end_of_wedges(halves[i]); ++w) {
        const Index entry = rings.ring[w], half = halves[i];
        const Side next = across(half, entry);
        if (next.half < half || half == to || next.half == to) continue;  // each arc once
        const Offset p = direction(half), q = direction(next.half);
        const int before = moved_sign(b, a, p), after = moved_sign(b, a, q), start = moved_sign(b, p, q);
        const Long goal = det(p, q, a);
        const bool is_crossed = before != 0 && after == -before && start == -before && (goal > 0 ? 1 : goal < 0 ? -1 : 0) == before;
        for (int side = 0; is_crossed && side < 2; ++side)
          if (!rings.filled[2 * (entry / 3) + side])
            is_inside[walk_at({half, rings.wedge_at(entry / 3, (int)(entry % 3), side)})] ^= 1;
      }
    const auto found = std::find(is_inside.begin(), is_inside.end(), 1);
    return (Int32)(found - is_inside.begin());
  }
  // The wedge about direction a, of an edge with triangles, that direction b lies in.
  Index wedge_towards(Index half, const Offset& a, const Offset& b) const {
    const int end = (int)(half % 2);
    for (Index w = first_wedge(half); w + 1 < end_of_wedges(half); ++w) {
      Offset one = solid.arm(rings.ring[w], end), two = solid.arm(rings.ring[w + 1], end);
      if (end == 1) std::swap(one, two);
      const Long turn = det(a, one, two);
      const bool is_after = moved_sign(b, a, one) > 0, is_before = moved_sign(b, a, two) < 0;
      if (turn > 0 ? is_after && is_before : turn < 0 ? is_after || is_before : is_after) return w;
    }
    return end_of_wedges(half) - 1;
  }

  const Solid& solid;
  const Rings& rings;
  const Shares& shares;
  const Index* place_of;  // by site
  const Index n_sides;
  PlacedSets sets;
  Index n = 0;
  std::vector<Index> halves_at;
  std::vector<Int32> half_list, local_of, walk_of[2];
  // Of the current vertex:
  const Int32* halves = nullptr;
  Index n_halves = 0;
  std::vector<Int32> part;  // by half
  std::vector<Walk> walks;
  std::vector<Face> faces;
  std::vector<size_t> face_at;
  std::vector<Spot> walked;
};

inline Index find_boundary_of(const Solid& solid, const Index* wedges, const Shares& shares, const Index* place_of,
                              const Int32* vertices, Int32* side_component, Index* side_place, Int8* component_rank,
                              const Sectors& sectors) {
  const Rings rings(solid, wedges);
  Boundary boundary(solid, rings, shares, place_of);
  const Index n = boundary.list_sectors(vertices, sectors);
  boundary.number(sectors, side_component, side_place, component_rank);
  return n;
}
#endif

// In: sites and alpha (offsets.h), vertices as sites and facets as in boundary_rings.h; wedges (n_edges + 1,) offsets by edge;
// shares of ball_shares.h; place_of (n_sites,) in the lattice. Out: side_component and side_place (2 n_triangles,), NONE where
// filled; component_rank, of each component; of each sector its vertex, component, volume and area, in the order of the
// vertices. The task returns their number, which is at most 2 n_wedges + n_vertices, and that of components at most this.
HOST_TASK(find_boundary,
          (const Real* sites, Real alpha, const Index* place_of, const Int32* vertices, Index n_vertices, const Int32* edges,
           const Int32* vertices_of, Index n_edges, const Int32* triangles, const Int32* edges_of, Index n_triangles,
           const Int32* tets, const Int32* triangles_of, Index n_tets, const Index* wedges, const Real* edge_shares,
           const Real* triangle_shares, Int32* side_component, Index* side_place, Int8* component_rank,
           Int32* sector_vertex, Int32* sector_component, Real* sector_volume, Real* sector_area),
          find_boundary_of({sites, alpha, edges, triangles, tets, vertices_of, edges_of, triangles_of, n_vertices, n_edges,
                            n_triangles, n_tets},
                           wedges, {edge_shares, triangle_shares}, place_of, vertices, side_component, side_place, component_rank,
                           {sector_vertex, sector_component, sector_volume, sector_area}))
