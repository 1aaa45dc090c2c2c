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
#pragma once
#include "alpha/boundary_rings.h"
#include "common/sets.h"

#if !ON_GPU
struct Shares {
  const Real *edge, *triangle;  // volume and area, for each vertex of each edge, of each triangle
  Share at_edge(Index edge_row, int end) const { return {edge[4 * edge_row + 2 * end], edge[4 * edge_row + 2 * end + 1]}; }
  Share at_triangle(Index row, int m) const { return {triangle[6 * row + 2 * m], triangle[6 * row + 2 * m + 1]}; }
};

struct Sectors {
  Int32 *vertex, *component;
  Real *volume, *area;
};

class Boundary {
public:
  Boundary(const Solid& solid, const Rings& rings, const Shares& shares)
      : solid(solid), rings(rings), shares(shares), n_sides(2 * solid.n_triangles),
        sets(n_sides + rings.offsets[solid.n_edges] + solid.n_balls), local_of((size_t)solid.n_edges) {
    for (int end = 0; end < 2; ++end) walk_of[end].assign((size_t)rings.offsets[solid.n_edges], NONE);
    join_sides_to_wedges();
    list_edges_by_vertex();
  }

  // Sectors of the vertices listed, their components named by sets of nodes.
  Index list_sectors(const Int32* vertices, Index n_vertices, Sectors out) {
    for (Index i = 0; i < n_vertices; ++i) {
      const Int32 v = vertices[i];
      throw_if_canceled_at(i);
      look_at(v);
      for (const Face& face : faces) {
        out.vertex[n] = v, out.component[n] = face.node;
        const Real radius = radius_of(solid.ball(v));
        const Share own = (2 * PI * (2 - face.n_walks) - face.turning) / (4 * PI) * share_of_one(radius) + face.share;
        out.volume[n] = own.volume, out.area[n] = own.area;
        ++n;
      }
    }
    return n;
  }
  // Numbers the components in the order of their least nodes; filled sides have NONE.
  void number(Sectors out, Int32* side_component) {
    std::vector<Int32> number((size_t)(n_sides + rings.offsets[solid.n_edges] + solid.n_balls), NONE);
    Int32 n_components = 0;
    const auto numbered = [&](Index node) {
      Int32& of_set = number[sets.name(node)];
      return of_set == NONE ? of_set = n_components++ : of_set;
    };
    for (Index s = 0; s < n_sides; ++s) side_component[s] = rings.filled[s] ? NONE : numbered(s);
    for (Index s = 0; s < n; ++s) out.component[s] = numbered(out.component[s]);
  }

private:
  struct Walk {
    Int32 part, node, face;
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
    Index edge, wedge;
  };

  Index wedge_node(Index wedge) const { return n_sides + wedge; }
  int end_at(Index edge, Int32 v) const { return solid.edges[2 * edge] == v ? 0 : 1; }
  Offset direction(Int32 v, Index edge) const { return solid.between(v, solid.edges[2 * edge + 1 - end_at(edge, v)]); }

  void join_sides_to_wedges() {
    for (Index t = 0; t < solid.n_triangles; ++t, throw_if_canceled_at(t))
      for (int side = 0; side < 2; ++side)
        for (int m = 0; m < 3 && !rings.filled[2 * t + side]; ++m)
          sets.join(2 * t + side, wedge_node(rings.wedge_at(t, m, side)));
  }
  void list_edges_by_vertex() {
    edges_at.assign((size_t)solid.n_balls + 1, 0);
    for (Index i = 0; i < 2 * solid.n_edges; ++i) ++edges_at[solid.edges[i] + 1];
    for (Index v = 0; v < solid.n_balls; ++v) edges_at[v + 1] += edges_at[v];
    edge_list.resize((size_t)(2 * solid.n_edges));
    std::vector<Index> at(edges_at.begin(), edges_at.end() - 1);
    for (Index i = 0; i < 2 * solid.n_edges; ++i) edge_list[at[solid.edges[i]]++] = (Int32)(i / 2);
  }

  // === the link of one vertex: its parts, walks, and faces
  void look_at(Int32 v) {
    edges = edge_list.data() + edges_at[v];
    n_edges_here = edges_at[v + 1] - edges_at[v];
    walks.clear(), faces.clear();
    if (n_edges_here == 0) {
      faces.push_back({(Int32)(wedge_node(rings.offsets[solid.n_edges]) + v), 0, 0, {0, 0}});
      return;
    }
    find_parts(v);
    for (Index i = 0; i < n_edges_here; ++i)
      for (Index wedge = rings.offsets[edges[i]]; wedge < rings.offsets[edges[i] + 1]; ++wedge)
        if (rings.is_empty(wedge) && !is_walked(v, {edges[i], wedge})) walk_from(v, {edges[i], wedge}, part[i]);
    join_walks(v);
    for (size_t w = 0; w < walks.size(); ++w) {
      if (walks[w].face == (Int32)w) faces.push_back({walks[w].node, 0, 0, {0, 0}}), face_at[w] = faces.size() - 1;
      Face& face = faces[face_at[walks[w].face]];
      ++face.n_walks;
      face.turning += walks[w].turning;
      face.share = face.share + walks[w].share;
    }
    for (const Spot& spot : walked) walk_of[end_at(spot.edge, v)][spot.wedge] = NONE;
    walked.clear();
  }
  void find_parts(Int32 v) {
    Sets joined(n_edges_here);
    for (Index i = 0; i < n_edges_here; ++i) local_of[edges[i]] = (Int32)i;
    for (Index i = 0; i < n_edges_here; ++i)
      for (Index w = rings.offsets[edges[i]]; w < rings.offsets[edges[i] + 1]; ++w)
        if (rings.ring[w] != NONE) joined.join(i, local_of[other_edge(v, rings.ring[w] / 3, rings.ring[w] % 3).edge]);
    part.resize((size_t)n_edges_here);
    for (Index i = 0; i < n_edges_here; ++i) part[i] = joined.name(i);
  }
  bool is_walked(Int32 v, const Spot& spot) const { return walk_of[end_at(spot.edge, v)][spot.wedge] != NONE; }

  struct Side {
    Index edge;
    int m;
  };
  // The other edge of the triangle at v than the one opposite to its vertex m.
  Side other_edge(Int32 v, Index triangle, int m) const {
    for (int other = 0; other < 3; ++other)
      if (other != m && solid.triangles[3 * triangle + other] != v) return {solid.edges_of[3 * triangle + other], other};
    return {NONE, NONE};
  }
  int vertex_in(Index triangle, Int32 v) const {
    const Int32* t = solid.triangles + 3 * triangle;
    return t[0] == v ? 0 : t[1] == v ? 1 : 2;
  }
  // About the outward direction a wedge begins at its own ring entry if v is the edge's lower end.
  Index begin_of(Int32 v, const Spot& spot) const {
    return end_at(spot.edge, v) == 0 ? spot.wedge : rings.next(spot.edge, spot.wedge);
  }
  void walk_from(Int32 v, const Spot& start, Int32 part_of_walk) {
    Walk walk = {part_of_walk, (Int32)wedge_node(start.wedge), (Int32)walks.size(), 0, {0, 0}};
    Spot at = start;
    do {
      walk_of[end_at(at.edge, v)][at.wedge] = (Int32)walks.size();
      walked.push_back(at);
      const Real angle = rings.angle[at.wedge];
      walk.share = walk.share + -(angle / (2 * PI)) * shares.at_edge(at.edge, end_at(at.edge, v));
      if (rings.ring[at.wedge] == NONE) {
        walk.turning = -2 * PI;
        break;
      }
      walk.turning += PI - angle;
      const Index entry = begin_of(v, at), triangle = rings.ring[entry] / 3;
      const int m = rings.ring[entry] % 3;
      // The face is counter-clockwise of the arc that leaves here.
      const int side = end_at(at.edge, v) == 0 ? rings.forward(m) : 1 - rings.forward(m);
      walk.share = walk.share + 0.5 * shares.at_triangle(triangle, vertex_in(triangle, v));
      const Side other = other_edge(v, triangle, m);
      at = {other.edge, rings.wedge_at(triangle, other.m, side)};
    } while (at.edge != start.edge || at.wedge != start.wedge);
    walks.push_back(walk);
  }

  // === faces that several parts of the link bound
  void join_walks(Int32 v) {
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
        face[p * n_parts + q] = p == q ? NONE : lone[p] != NONE ? lone[p] : walk_about(v, parts[p], parts[q]);
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
      sets.join(walks[w].node, walks[walks[w].face].node);
    }
  }
  // Sign of det(b + (eps, eps^2, eps^3), p, q).
  static int moved_sign(const Offset& b, const Offset& p, const Offset& q) {
    const Offset n = cross(p, q);
    for (Long x : {dot_of_normal(n, b), (Long)n.x, (Long)n.y, (Long)n.z})
      if (x != 0) return x > 0 ? 1 : -1;
    return 0;
  }
  Int32 walk_about(Int32 v, Int32 own, Int32 other) {
    const Index from = edges[other], to = edges[own];  // a part is named by one of its edges
    const Offset b = direction(v, from), a = direction(v, to);
    std::vector<Byte> is_inside(walks.size(), 0);
    const Index arrival = wedge_towards(v, to, a, b);
    if (rings.is_empty(arrival)) is_inside[walk_of[end_at(to, v)][arrival]] = 1;
    for (Index i = 0; i < n_edges_here; ++i)
      for (Index w = rings.offsets[edges[i]]; part[i] == own && w < rings.offsets[edges[i] + 1]; ++w) {
        const Index triangle = rings.ring[w] / 3;
        const int m = rings.ring[w] % 3;
        const Side across = other_edge(v, triangle, m);
        if (across.edge < edges[i] || edges[i] == to || across.edge == to) continue;  // each arc once
        const Offset p = direction(v, edges[i]), q = direction(v, across.edge);
        const int before = moved_sign(b, a, p), after = moved_sign(b, a, q), start = moved_sign(b, p, q);
        const Long goal = det(p, q, a);
        const bool is_crossed = before != 0 && after == -before && start == -before && (goal > 0 ? 1 : goal < 0 ? -1 : 0) == before;
        for (int side = 0; is_crossed && side < 2; ++side)
          if (!rings.filled[2 * triangle + side])
            is_inside[walk_of[end_at(edges[i], v)][rings.wedge_at(triangle, m, side)]] ^= 1;
      }
    const auto found = std::find(is_inside.begin(), is_inside.end(), 1);
    return (Int32)(found - is_inside.begin());
  }
  // The wedge about direction a, of an edge with triangles, that direction b lies in.
  Index wedge_towards(Int32 v, Index edge, const Offset& a, const Offset& b) const {
    for (Index w = rings.offsets[edge]; w + 1 < rings.offsets[edge + 1]; ++w) {
      Offset one = solid.between(v, solid.triangles[rings.ring[w]]);
      Offset two = solid.between(v, solid.triangles[rings.ring[rings.next(edge, w)]]);
      if (end_at(edge, v) == 1) std::swap(one, two);
      const Long turn = det(a, one, two);
      const bool is_after = moved_sign(b, a, one) > 0, is_before = moved_sign(b, a, two) < 0;
      if (turn > 0 ? is_after && is_before : turn < 0 ? is_after || is_before : is_after) return w;
    }
    return rings.offsets[edge + 1] - 1;
  }

  const Solid& solid;
  const Rings& rings;
  const Shares& shares;
  const Index n_sides;
  Sets sets;
  Index n = 0;
  std::vector<Index> edges_at;
  std::vector<Int32> edge_list, local_of, walk_of[2];
  // Of the current vertex:
  const Int32* edges = nullptr;
  Index n_edges_here = 0;
  std::vector<Int32> part;  // by edge
  std::vector<Walk> walks;
  std::vector<Face> faces;
  std::vector<size_t> face_at;
  std::vector<Spot> walked;
};

inline Index find_boundary_of(const Solid& solid, const Index* wedges, const Shares& shares, const Int32* vertices,
                              Index n_vertices, Int32* side_component, const Sectors& sectors) {
  const Rings rings(solid, wedges);
  Boundary boundary(solid, rings, shares);
  const Index n = boundary.list_sectors(vertices, n_vertices, sectors);
  boundary.number(sectors, side_component);
  return n;
}
#endif

// In: sites and alpha (offsets.h), simplices and facets as in boundary_rings.h; wedges (n_edges + 1,) offsets by edge; shares of
// ball_shares.h; vertices (n_vertices,). Out: side_component (2 n_triangles,), NONE where filled; of each
// sector its vertex, component, volume and area, in the order of the vertices. The task returns their number, which
// is at most 2 n_wedges + n_vertices.
HOST_TASK(find_boundary,
          (const Real* sites, Real alpha, Index n_balls, const Int32* edges, Index n_edges, const Int32* triangles,
           const Int32* edges_of, Index n_triangles, const Int32* tets, const Int32* triangles_of, Index n_tets,
           const Index* wedges, const Real* edge_shares, const Real* triangle_shares, const Int32* vertices,
           Index n_vertices, Int32* side_component, Int32* sector_vertex, Int32* sector_component, Real* sector_volume,
           Real* sector_area),
          find_boundary_of({sites, alpha, edges, triangles, tets, edges_of, triangles_of, n_balls, n_edges, n_triangles, n_tets},
                           wedges, {edge_shares, triangle_shares}, vertices, n_vertices, side_component,
                           {sector_vertex, sector_component, sector_volume, sector_area}))
