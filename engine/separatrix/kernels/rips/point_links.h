// The relative neighborhood graph of points, without a list of edges.
//
// An edge from u to v is excluded by a point w of its lune. All points v that are not near u are excluded if there are
// near points w in all directions. Otherwise the tree is searched around u, nearest boxes first: all edges to a box are
// excluded if its points are nearer to some point w that was already found than to u.
#pragma once
#include "rips/listed_links.h"
#include "rips/point_search.h"

#if !ON_GPU

namespace rips {

template <int D>
class PointLinks {
public:
  typedef rips::Edge<Real> Edge;

  PointLinks(const PointSearch<D>& lunes, Real limit)
      : lunes(lunes), tree(lunes.tree), limit(limit), above(least_square(limit, true)) {
    if (tree.d() <= 3) find_sectors();
    for (int axis = 0; axis < tree.d(); ++axis) {
      const Real width = tree.high(0)[axis] - tree.low(0)[axis];
      extent += width;  // a bound of all lengths
    }
  }

  // The edges up to the limit, in order.
  std::vector<Edge> run(int n_threads) const {
    std::vector<std::vector<Edge>> found((size_t)n_threads);
    std::vector<NearPoints<D>> near((size_t)n_threads, NearPoints<D>(lunes));
    deal_out(n_threads, (Index)lunes.groups.size(), 2, [&](int thread, Index i) {
      const auto& group = lunes.groups[i];
      Real reach = 0;
      for (size_t k = group.begin; k < group.end; ++k) reach = std::max(reach, reach_of(lunes.blocks[k]));
      near[thread].around(group.box, reach);
      for (size_t k = group.begin; k < group.end; ++k) of_block(lunes.blocks[k], near[thread], found[thread]);
    });
    std::vector<Edge> all, sorted;
    for (const auto& mine : found) all.insert(all.end(), mine.begin(), mine.end());
    sort_edges(all, sorted);
    return all;
  }

private:
  enum { NEAREST = 24, MOST_NEAR = 1024 };
  struct Waiting {  // a box or, if it is negative, the complement of a point
    Real square;
    Int32 item;
    bool operator<(const Waiting& other) const { return square > other.square; }
  };

  // === the points near a block

  // Directions with the coordinates -1, 0, and 1, and the sectors between 2^(d - 1) of them: convex cones, which
  // together contain all directions.
  void find_sectors() {
    const int d = tree.d();
    for (int k = 0; k < 27; ++k) {
      Real norm = 0;
      for (int axis = 0; axis < d; ++axis) norm += rips_digit(k, axis) != 0;
      for (int axis = 0; axis < d; ++axis) directions[axis][k] = rips_digit(k, axis) / std::sqrt(norm);
    }
    for (int main = 0; main < d; ++main)
      for (int signs = 0; signs < 1 << d; ++signs) sectors.push_back(rips_sector(d, main, signs));
  }

  // Within this distance, a point has as many others as a block, about.
  Real reach_of(Int32 block) const {
    Real reach = 0;
    for (int axis = 0; axis < tree.d(); ++axis) reach = std::max(reach, tree.high(block)[axis] - tree.low(block)[axis]);
    return reach;
  }
  void of_block(Int32 block, NearPoints<D>& points, std::vector<Edge>& found) const {
    const auto& box = tree.node(block);
    const Real reach = reach_of(block);
    std::vector<Int32> near, ends;
    std::vector<Real> axes, squares, own, to_u;
    const bool has_near = !sectors.empty() && reach * reach < above && points.find(block, reach, MOST_NEAR, near);
    const Index m = (Index)near.size();
    if (has_near) lunes.list_axes(near, axes), squares.resize((size_t)m), ends.resize((size_t)m);
    for (Int32 u = box.begin; u < box.end; ++u) {
      if (!has_near) {
        search(u, found);
        continue;
      }
      lunes.measure(axes.data(), m, tree.at(u), squares.data());
      Index n_ends = 0;
      for (Index k = 0; k < m; ++k) {
        ends[n_ends] = near[k];
        n_ends += (squares[k] < reach * reach) & (near[k] != u);
      }
      ends.resize((size_t)n_ends);
      if (is_surrounded(u, ends, reach)) {
        lunes.list_axes(ends, own);
        to_u.resize((size_t)n_ends);
        lunes.measure(own.data(), n_ends, tree.at(u), to_u.data());
        of_point(u, ends, own, to_u, found);
      } else search(u, found);
      ends.resize((size_t)m);
    }
  }
  // Whether all points that are not nearer to u than `reach` are nearer to one of the points in `ends`, itself nearer to u.
  // A scalar product with such a w is least at a corner of a sector, and 2 vw > ww means that v is nearer to w than to u.
  bool is_surrounded(Int32 u, const std::vector<Int32>& ends, Real reach) const {
    Word open[24];
    int n_open = (int)sectors.size();
    std::copy(sectors.begin(), sectors.end(), open);
    for (size_t i = 0; i < ends.size() && n_open > 0; ++i) {
      Real w[3] = {0, 0, 0}, square = 0;
      for (int axis = 0; axis < tree.d(); ++axis) {
        w[axis] = tree.at(ends[i])[axis] - tree.at(u)[axis];
        square += w[axis] * w[axis];
      }
      if (!(square < reach * reach * (1 - MARGIN))) continue;
      const Real least = (square / reach + MARGIN * extent) / 2;
      Word held = 0;
      for (int k = 0; k < 27; ++k)
        held |= (Word)(directions[0][k] * w[0] + directions[1][k] * w[1] + directions[2][k] * w[2] > least) << k;
      int kept = 0;
      for (int k = 0; k < n_open; ++k) {
        open[kept] = open[k];
        kept += (open[k] & ~held) != 0;
      }
      n_open = kept;
    }
    return n_open == 0;
  }
  // The edges of u to those of the points `ends` with smaller names.
  void of_point(Int32 u, const std::vector<Int32>& ends, const std::vector<Real>& axes, const std::vector<Real>& to_u,
                std::vector<Edge>& found) const {
    enum { RUN = 16 };
    const Index m = (Index)ends.size();
    for (Index i = 0; i < m; ++i) {
      const Int32 v = ends[i];
      if (tree.name(v) > tree.name(u)) continue;
      const Real* const x = tree.at(v);
      const Real below = to_u[i] * (1 - MARGIN);
      int is_nearer = 0;
      for (Index begin = 0; begin < m && !is_nearer; begin += RUN)
        for (Index k = begin; k < std::min(m, begin + RUN); ++k) {
          Real square = 0;
          for (int axis = 0; axis < tree.d(); ++axis)
            square += (axes[axis * m + k] - x[axis]) * (axes[axis * m + k] - x[axis]);
          is_nearer |= (square < below) & (to_u[k] < below);
        }
      if (!is_nearer && has_empty_lune(u, v)) found.push_back(lunes.edge(u, v));
    }
  }

  // === any points

  // The edges of a point to those with smaller names.
  void search(Int32 u, std::vector<Edge>& found) const {
    const Real* const x = tree.at(u);
    std::vector<Waiting> heap{{0, 0}};
    std::vector<Int32> near;
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end());
      const auto [square, item] = heap.back();
      heap.pop_back();
      if (!(square < above)) return;
      if (item >= 0) {
        if (is_behind(item, x, square, near)) continue;
        const auto& box = tree.node(item);
        const auto push = [&](Real square, Int32 item) {
          heap.push_back({square, item});
          std::push_heap(heap.begin(), heap.end());
        };
        if (box.right != 0)
          for (const Int32 child : {item + 1, box.right}) push(tree.nearest(child, x), child);
        else
          for (Int32 k = box.begin; k < box.end; ++k)
            if (k != u) push(lunes.squared(u, k), ~k);
        continue;
      }
      const Int32 v = ~item;
      bool is_nearer = false;
      for (size_t i = 0; i < near.size() && !is_nearer; ++i)
        is_nearer = lunes.squared(near[i], v) < square * (1 - MARGIN) && lunes.squared(near[i], u) < square * (1 - MARGIN);
      if (square > 0 && (!is_nearer || near.size() < NEAREST)) near.push_back(v);
      if (!is_nearer && tree.name(v) < tree.name(u) && has_empty_lune(u, v)) found.push_back(lunes.edge(u, v));
    }
  }
  // Whether all points of a box are nearer to some w, itself nearer to u than they are, than to u.
  bool is_behind(Int32 box, const Real* u, Real square, const std::vector<Int32>& near) const {
    const Real *const low = tree.low(box), *const high = tree.high(box), margin = MARGIN * tree.farthest(box, u);
    for (const Int32 k : near) {
      const Real* const w = tree.at(k);
      Real least = 0, length = 0;
      for (int axis = 0; axis < tree.d(); ++axis) {
        const Real q = w[axis] - u[axis];
        least += q * ((q > 0 ? low : high)[axis] - u[axis]);
        length += q * q;
      }
      if (2 * least - length > margin && square * (1 - MARGIN) > length) return true;
    }
    return false;
  }
  bool has_empty_lune(Int32 a, Int32 b) const {
    const Edge e = lunes.edge(a, b);
    const Real *const u = tree.at(a), *const v = tree.at(b), above = least_square(e.length, true);
    return tree.search(
        [&](Int32 box) { return tree.nearest(box, u) < above && tree.nearest(box, v) < above; },
        [&](Int32 w) { return w == a || w == b || !(lunes.edge(a, w) < e && lunes.edge(b, w) < e); });
  }

  const PointSearch<D>& lunes;
  const PointTree<D>& tree;
  const Real limit, above;
  Real extent = 0;
  Real directions[3][27] = {};
  std::vector<Word> sectors;  // bits of directions
};

}  // namespace rips
#endif
