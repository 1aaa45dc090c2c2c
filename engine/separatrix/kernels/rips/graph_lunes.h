// Lunes of a graph with few edges: rows of neighbors are merged in place of rows of bits.
//
// All edges are sorted first. The place of an edge in their order tells which of two comes first.
#pragma once
#include "rips/lunes.h"

#if !ON_GPU

namespace rips {

class GraphLunes {
public:
  typedef PlacedEdge Edge;
  static constexpr bool ON_DEMAND = false;
  enum { BATCH = 1 << 16 };

  GraphLunes(const Int32* ends, const Real* values, Index m, Index n, int n_threads)
      : offsets((size_t)n + 1, 0), rows((size_t)(2 * m)), n_threads(n_threads) {
    edges.resize((size_t)m);
    for (Index k = 0; k < m; ++k) {
      Edge& e = edges[k];
      e.length = values[k] + 0.0;
      e.high = std::max(ends[2 * k], ends[2 * k + 1]);
      e.low = std::min(ends[2 * k], ends[2 * k + 1]);
      ++offsets[e.high + 1], ++offsets[e.low + 1];
    }
    throw_if_canceled();
    std::vector<Edge> sorted;
    sort_edges(edges, sorted);
    for (Index v = 0; v < n; ++v) offsets[v + 1] += offsets[v];
    std::vector<Index> next(offsets.begin(), offsets.end() - 1);
    for (Index place = 0; place < m; ++place) {
      Edge& e = edges[place];
      e.place = place;
      rows[next[e.high]++] = {e.low, place};
      rows[next[e.low]++] = {e.high, place};
    }
    deal_out(n_threads, n, 1024, [&](int, Index v) {
      std::sort(rows.begin() + offsets[v], rows.begin() + offsets[v + 1],
                [](const Neighbor& a, const Neighbor& b) { return a.vertex < b.vertex; });
    });
  }

  std::vector<Edge> links(Index& n_edges) const {
    n_edges = (Index)edges.size();
    std::vector<Byte> is_link(edges.size(), 0);
    deal_out(n_threads, n_edges, 1024, [&](int, Index place) {
      is_link[place] = meet(edges[place], place, [](Int32, Index, Index) { return false; });
    });
    std::vector<Edge> found;
    for (Index place = 0; place < n_edges; ++place)
      if (is_link[place]) found.push_back(edges[place]);
    return found;
  }

  void begin(const Int32*, Index, Index) {
    ids.assign(edges.size(), 0);
    n_held.assign(offsets.size() - 1, 0);
  }
  bool next(std::vector<Edge>& batch) {
    size_t end = std::min(edges.size(), n_listed + BATCH);
    while (end > 0 && end < edges.size() && edges[end].length == edges[end - 1].length) ++end;
    batch.assign(edges.begin() + n_listed, edges.begin() + end);
    n_listed = end;
    return !batch.empty();
  }

  bool is_near_held(const Edge& e) const { return n_held[e.high] > 0 || n_held[e.low] > 0; }

  void components(const Edge& e, std::vector<Int32>& last) {
    last.clear();
    common.clear();
    bool any = false;
    meet(e, n_added, [&](Int32 w, Index high_place, Index low_place) {
      common.push_back(w);
      any |= ids[high_place] != 0 || ids[low_place] != 0;
      return true;
    });
    if (!any) return;
    while (!common.empty()) {
      last.push_back(common.back());
      waiting.assign(1, common.back());
      common.pop_back();
      while (!waiting.empty() && !common.empty()) {
        const Int32 w = waiting.back();
        waiting.pop_back();
        take_over(w);
      }
    }
  }
  void vertices(const Edge& e, std::vector<Int32>& found) const {
    found.clear();
    meet(e, n_added, [&](Int32 w, Index, Index) {
      found.push_back(w);
      return true;
    });
  }

  Int32& id(Int32 u, Int32 v) {
    if (offsets[u + 1] - offsets[u] > offsets[v + 1] - offsets[v]) std::swap(u, v);
    const auto found = std::lower_bound(rows.begin() + offsets[u], rows.begin() + offsets[u + 1], v,
                                        [](const Neighbor& a, Int32 vertex) { return a.vertex < vertex; });
    return ids[found->place];
  }
  void set_id(Int32 u, Int32 v, Int32 value) { id(u, v) = value; }
  void add(const Edge& e) { n_added = e.place + 1; }
  void hold(const Edge& e, Int32 value) {
    if (value == 0) return;
    ids[e.place] = value;
    held.push_back(e.place);
    ++n_held[e.high], ++n_held[e.low];
  }
  template <class IsZero>
  void release(const IsZero& is_zero) {
    size_t kept = 0;
    for (const Index place : held) {
      if (!is_zero(ids[place])) {
        held[kept++] = place;
        continue;
      }
      ids[place] = 0;
      --n_held[edges[place].high], --n_held[edges[place].low];
    }
    held.resize(kept);
  }

private:
  struct Neighbor {
    Int32 vertex;
    Index place;
  };

  // use(w, place of the edge to the high end, to the low end) for all w of the lune, ascending, by edges before
  // `until`; false if use returned false.
  template <class Use>
  bool meet(const Edge& e, Index until, const Use& use) const {
    const Neighbor *a = rows.data() + offsets[e.high], *const a_end = rows.data() + offsets[e.high + 1];
    const Neighbor *b = rows.data() + offsets[e.low], *const b_end = rows.data() + offsets[e.low + 1];
    while (a < a_end && b < b_end) {
      const Int32 u = a->vertex, v = b->vertex;
      if (u == v && a->place < until && b->place < until && !use(u, a->place, b->place)) return false;
      a += u <= v;
      b += v <= u;
    }
    return true;
  }

  // Moves the neighbors of w from the lune to those that wait for their own.
  void take_over(Int32 w) {
    const Neighbor *a = rows.data() + offsets[w], *const end = rows.data() + offsets[w + 1];
    size_t kept = 0;
    for (size_t i = 0; i < common.size(); ++i) {
      const Int32 x = common[i];
      while (a < end && a->vertex < x) ++a;
      if (a < end && a->vertex == x && a->place < n_added) waiting.push_back(x);
      else common[kept++] = x;
    }
    common.resize(kept);
  }

  std::vector<Edge> edges;  // in order
  std::vector<Index> offsets;
  std::vector<Neighbor> rows;  // by vertex
  const int n_threads;
  size_t n_listed = 0;
  Index n_added = 0;
  std::vector<Int32> ids, common, waiting;
  std::vector<Index> n_held, held;
};

}  // namespace rips
#endif
