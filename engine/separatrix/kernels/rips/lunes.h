// Edges in order, and triangles.
//
// Edges have one total order: length, then descending combinatorial index, so (high, low) descends among equal
// ones. The lune of uv holds all w for which uw and vw come before uv. Edges with an empty lune are the relative
// neighborhood graph: it has all edges that merge components or begin a class of dimension 1.
#pragma once
#include "common/types.h"

enum RipsLune { RIPS_CONNECTED = 0, RIPS_TIED = 1, RIPS_DIVIDED = 2 };

namespace rips {

constexpr Real MARGIN = 1e-12;  // relative; roundings of squared distances are far below it

// Whether a point proves that a lune is connected, by the squares of the edge and of the point's distances to both of
// its ends. All points of the lune are nearer to it than the edge is long, since this holds for the farthest ones, on
// the circle in which the spheres around both ends meet. In: margin, larger than roundings.
template <class Number>
ITEM bool is_center(Number edge, Number to_u, Number to_v, Number margin) {
  const Number rest = edge - to_u - to_v, along = to_u - to_v + edge;
  return rest > 0 && 3 * (4 * edge * to_u - along * along) + margin < rest * rest;
}

}  // namespace rips

#if !ON_GPU
#include <algorithm>
#include <vector>

namespace rips {

enum : Int32 { UNKNOWN = -2147483647 };  // id of a value that is not stored

template <class Length>
struct Edge {
  Length length;
  Int32 high, low;
  bool operator<(const Edge& other) const {
    if (length != other.length) return length < other.length;
    return high != other.high ? high > other.high : low > other.low;
  }
};

struct PlacedEdge : Edge<Real> {
  Index place = 0;  // among others
};

struct Triangle {
  Int32 a, b, c;  // descending
  bool operator<(const Triangle& other) const {
    if (a != other.a) return a > other.a;
    return b != other.b ? b > other.b : c > other.c;
  }
  bool operator==(const Triangle& other) const { return a == other.a && b == other.b && c == other.c; }
  Wide key() const { return (Wide)a << 42 | (Wide)b << 21 | (Wide)c; }
};

// Distributes edges to buckets by length and sorts each bucket. The contents of `sorted` are
// overwritten.
template <class Edge>
void sort_edges(std::vector<Edge>& edges, std::vector<Edge>& sorted) {
  const Index m = (Index)edges.size();
  Index n_buckets = 1;
  while (n_buckets < m / 8 && n_buckets < 1 << 16) n_buckets *= 2;
  const auto shorter = [](const Edge& a, const Edge& b) { return a.length < b.length; };
  const auto ends = std::minmax_element(edges.begin(), edges.end(), shorter);
  if (n_buckets == 1 || !(ends.first->length < ends.second->length)) return std::sort(edges.begin(), edges.end());
  const Real from = (Real)ends.first->length, scale = (Real)n_buckets / ((Real)ends.second->length - from);
  const auto bucket_of = [&](const Edge& e) {
    return std::min(n_buckets - 1, (Index)(((Real)e.length - from) * scale));
  };
  std::vector<Index> begin((size_t)n_buckets + 1, 0);
  for (const Edge& e : edges) ++begin[bucket_of(e) + 1];
  for (Index bucket = 0; bucket < n_buckets; ++bucket) begin[bucket + 1] += begin[bucket];
  sorted.resize(edges.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (const Edge& e : edges) sorted[next[bucket_of(e)]++] = e;
  edges.swap(sorted);
  for (Index bucket = 0; bucket < n_buckets; ++bucket)
    std::sort(edges.begin() + begin[bucket], edges.begin() + begin[bucket + 1]);
}

}  // namespace rips
#endif
