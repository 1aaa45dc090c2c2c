// The lunes of open edges: the triangles and tetrahedra with which their edges may begin or end voids.
//
// The components of a lune but the first close triangles that end a loop or begin a void, and tetrahedra that close
// cycles of the lune may end a void. Each component has a tree to its oldest point.
#pragma once
#include "rips/open_edges.h"

#if !ON_GPU

namespace rips {

inline Triangle triangle(Int32 a, Int32 b, Int32 c) {
  if (a < b) std::swap(a, b);
  if (b < c) std::swap(b, c);
  if (a < b) std::swap(a, b);
  return {a, b, c};
}
struct Test {  // a tetrahedron, descending, that closes a cycle of the lune of an edge with x and w
  Int32 vertices[4], k, x, w;
  bool operator<(const Test& other) const {
    return std::lexicographical_compare(other.vertices, other.vertices + 4, vertices, vertices + 4);
  }
};

class OpenLunes {
public:
  typedef OpenEdges::Edge Edge;

  // In: triangles (m, 3) that end a loop.
  OpenLunes(const OpenEdges& open, const Int32* ended, Index m) : open(open) {
    for (Index k = 0; k < m; ++k) loop_ends.push_back(Triangle{ended[3 * k], ended[3 * k + 1], ended[3 * k + 2]}.key());
    std::sort(loop_ends.begin(), loop_ends.end());
  }

  std::vector<Triangle> births;
  std::vector<Test> tests;
  bool is_ambiguous = false;  // whether a void may begin in a simplex with several longest edges

  // Appends the lune of the next open edge to the others, and what it may begin and end.
  void inspect(Int32 k) {
    const Edge e = open.edges[k];
    const Word *const u = open.row(e.high), *const v = open.row(e.low);
    const size_t begin = points.size();
    for (Int32 w = (Int32)open.n - 1; w >= 0; --w)
      if (u[w] <= e.length && v[w] <= e.length && w != e.high && w != e.low) points.push_back(w);
    const size_t end = points.size(), m = end - begin, width = (m + 63) / 64;
    lunes.push_back({begin, end});
    for (size_t i = 0; i < m; ++i) parents.push_back((Int32)i);
    const Int32* const at = points.data() + begin;
    near.assign(m * width, 0);
    for (size_t i = 0; i < m; ++i) {
      near[i * width + i / 64] |= (Wide)1 << i % 64;
      const Word* const x = open.row(at[i]);
      for (size_t j = 0; j < i; ++j)
        if (x[at[j]] <= e.length) near[i * width + j / 64] |= (Wide)1 << j % 64, near[j * width + i / 64] |= (Wide)1 << i % 64;
    }
    // Points toward the oldest of the component: by edges in order, of which the others close cycles.
    Int32* const parent = parents.data() + begin;
    component.resize(m);
    for (size_t i = 0; i < m; ++i) component[i] = (Int32)i;
    std::vector<std::pair<Int32, Int32>>& links = tree;
    links.clear();
    cycles.clear();
    const auto root_of = [&](Int32 i) {
      while (component[i] != i) i = component[i] = component[component[i]];
      return i;
    };
    for (size_t i = 0; i < m; ++i)
      for (size_t j = i + 1; j < m; ++j) {
        if (!may_test(i, j, width)) continue;
        const Int32 a = root_of((Int32)i), b = root_of((Int32)j);
        if (a != b) component[std::max(a, b)] = std::min(a, b), links.push_back({(Int32)i, (Int32)j});
        else cycles.push_back({(Int32)i, (Int32)j});
      }
    hang(links, m, parent);
    if (links.size() + 1 < m)
      for (size_t i = 0; i < m; ++i) is_ambiguous |= std::max(u[at[i]], v[at[i]]) == e.length;
    for (size_t i = 1; i < m; ++i)
      if (component[i] == (Int32)i) {
        const Triangle t = triangle(e.high, e.low, at[i]);
        if (!std::binary_search(loop_ends.begin(), loop_ends.end(), t.key())) births.push_back(t);
      }
    for (const auto& [i, j] : cycles) add_test(k, at[i], at[j]);
  }
  // The next point of a lune toward the oldest of its component, or x itself.
  Int32 toward_oldest(Int32 k, Int32 x) const {
    const auto begin = points.begin() + lunes[k].begin, end = points.begin() + lunes[k].end;
    const auto at = std::lower_bound(begin, end, x, std::greater<Int32>());
    return begin[parents[lunes[k].begin + (at - begin)]];
  }

private:
  // Whether two points of a lune, i < j, are near and have no common neighbor before i. With such a neighbor, their
  // tetrahedron is the youngest in the boundary of a simplex, so it ends nothing.
  bool may_test(size_t i, size_t j, size_t width) const {
    const Wide *const a = near.data() + i * width, *const b = near.data() + j * width;
    if (!(a[j / 64] >> j % 64 & 1)) return false;
    for (size_t word = 0; word < i / 64; ++word)
      if ((a[word] & b[word]) != 0) return false;
    return (a[i / 64] & b[i / 64] & (((Wide)1 << i % 64) - 1)) == 0;
  }
  void add_test(Int32 k, Int32 x, Int32 w) {
    Test test{{open.edges[k].high, open.edges[k].low, x, w}, k, x, w};
    std::sort(test.vertices, test.vertices + 4, std::greater<Int32>());
    tests.push_back(test);
  }

  // Directs the edges of a forest to the first vertex of each tree.
  void hang(const std::vector<std::pair<Int32, Int32>>& links, size_t m, Int32* parent) {
    first.assign(m + 1, 0);
    for (const auto& [i, j] : links) ++first[i + 1], ++first[j + 1];
    for (size_t i = 0; i < m; ++i) first[i + 1] += first[i];
    to.resize(2 * links.size());
    place.assign(first.begin(), first.end());
    for (const auto& [i, j] : links) to[place[i]++] = j, to[place[j]++] = i;
    is_hung.assign(m, false);
    for (size_t root = 0; root < m; ++root) {
      if (is_hung[root]) continue;
      is_hung[root] = true;
      waiting.assign(1, (Int32)root);
      while (!waiting.empty()) {
        const Int32 i = waiting.back();
        waiting.pop_back();
        for (Int32 p = first[i]; p < first[i + 1]; ++p)
          if (!is_hung[to[p]]) is_hung[to[p]] = true, parent[to[p]] = i, waiting.push_back(to[p]);
      }
    }
  }

  struct Lune {  // places in `points` and `parents`
    size_t begin, end;
  };
  const OpenEdges& open;
  std::vector<Wide> loop_ends;
  std::vector<Lune> lunes;  // of the open edges so far
  std::vector<Int32> points, parents;
  std::vector<Wide> near;
  std::vector<std::pair<Int32, Int32>> tree, cycles;
  std::vector<Int32> component, first, to, place, waiting;
  std::vector<bool> is_hung;
};

}  // namespace rips
#endif
