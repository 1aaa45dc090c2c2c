// Bars of dimension 2 over Z/2, by homology: only edges whose lune is not a cone matter.
//
// If one point of a lune, the apex, is nearer to all other points of the lune than the edge is long, the simplices
// with this diameter are paired by adding or removing the apex, so the edge changes no homology. All other edges are
// open. Tetrahedra with them are not tested unless a void is alive.
//
// The value of a triangle on the voids (Busaryev et al. 2012) is computed when it is needed: it is that of the
// other sides of a tetrahedron, with the apex or with the next point toward the oldest of the component. Triangles
// with the apex have none.
//
// The order of simplices is that of the other kernels. Open edges of equal length are processed together. The task
// gives up if some of them have a common simplex of the same diameter, if a void may begin or end in a simplex with
// several longest edges, or if more than 1 / edges_per_open of the edges are open, since cohomology is faster then.
#pragma once
#include "rips/annotations.h"
#include "rips/chains.h"
#include "rips/open_lunes.h"
#include "rips/value_map.h"

#if !ON_GPU

namespace rips {

enum VoidCounts { TRIANGLES, OPEN_EDGES, VOIDS, TESTED, VALUED, MOST_ALIVE };

class Voids {
public:
  Voids(const Word* matrix, Index n, Word limit, const Int32* ended, Index n_ended, Index edges_per_open,
        int n_threads, Index* counts)
      : edges_per_open(edges_per_open), counts(counts), values(2), open(matrix, n, limit, n_threads),
        lunes(open, ended, n_ended) {}

  // Rows of 7 vertices, descending: the birth triangle, and the death tetrahedron or -1. Null if it gave up.
  std::unique_ptr<Kept> run() {
    if (!open.are_few(edges_per_open) || !open.find(edges_per_open)) return nullptr;
    counts[TRIANGLES] = open.count_triangles();
    for (size_t k = 0, end = 0, m = open.edges.size(); k < m; k = end) {
      throw_if_canceled();
      while (end < m && open.edges[end].length == open.edges[k].length) ++end;
      if (open.are_joined(k, end)) return nullptr;
      for (size_t i = k; i < end; ++i) lunes.inspect((Int32)i);
      begin_voids();
      end_voids();
      if (is_ambiguous || lunes.is_ambiguous) return nullptr;
      counts[MOST_ALIVE] = std::max(counts[MOST_ALIVE], values.n_alive());
    }
    for (const Triangle& t : born)
      if (t.a != NONE) give(t, {NONE, NONE, NONE, NONE, 0, 0, 0});
    counts[OPEN_EDGES] = (Index)open.edges.size();
    counts[VOIDS] = (Index)kept->coefficients.size();
    counts[VALUED] = (Index)known.size();
    kept->offsets = {0, (Index)kept->coefficients.size()};
    return std::move(kept);
  }

private:
  typedef OpenEdges::Edge Edge;

  void begin_voids() {
    std::sort(lunes.births.begin(), lunes.births.end());
    for (const Triangle& t : lunes.births) {
      Int32 slot;
      known.set(t.key(), values.begin_class(n_begun++, slot));
      if (slot == (Int32)born.size()) born.push_back(t);
      else born[slot] = t;
    }
    lunes.births.clear();
  }
  void end_voids() {
    std::sort(lunes.tests.begin(), lunes.tests.end());
    for (const Test& test : lunes.tests) {
      if (values.n_alive() == 0) break;
      const Edge& e = open.edges[test.k];
      Int32 sum = 0;
      for (const Triangle& t : {triangle(e.high, e.low, test.x), triangle(e.high, e.low, test.w),
                                triangle(e.high, test.x, test.w), triangle(e.low, test.x, test.w)}) {
        const Int32 value = value_of(t);
        sum = values.sum(sum, value);
      }
      throw_if_canceled_at(++counts[TESTED]);
      if (sum == 0) continue;
      Triangle& t = born[values.end_class(sum)];
      give(t, test);
      t.a = NONE;
      int n_longest = 0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) n_longest += open.rank(test.vertices[i], test.vertices[j]) == e.length;
      is_ambiguous |= n_longest > 1;
    }
    lunes.tests.clear();
  }
  void give(const Triangle& t, const Test& test) {
    kept->vertices.insert(kept->vertices.end(), {t.a, t.b, t.c});
    kept->vertices.insert(kept->vertices.end(), test.vertices, test.vertices + 4);
    kept->coefficients.push_back(0);
  }

  Int32 value_of(const Triangle& wanted) {
    asked.assign(1, wanted);
    while (true) {
      const Triangle t = asked.back();
      if (known.find(t.key()) == nullptr) {
        Triangle others[3];
        const int m = others_of(t, others);
        Int32 sum = 0;
        bool is_ready = true;
        for (int i = 0; i < m; ++i) {
          const auto* const other = known.find(others[i].key());
          if (other == nullptr) asked.push_back(others[i]), is_ready = false;
          else if (is_ready) sum = values.sum(sum, values.find(other->id));
        }
        if (!is_ready) continue;
        known.set(t.key(), sum);
      }
      asked.pop_back();
      if (asked.empty()) return values.find(known.find(wanted.key())->id);
    }
  }

  // The other triangles with a value of a tetrahedron, all of which are earlier.
  int others_of(const Triangle& t, Triangle* others) const {
    Int32 u = t.a, v = t.b, x = t.c;
    const auto take_later = [&](Int32 high, Int32 low, Int32 third) {
      const Word now = open.rank(high, low), best = open.rank(u, v);
      if (now < best || (now == best && open.apex(high, low) >= 0 && open.apex(u, v) < 0)) return;
      u = high, v = low, x = third;
    };
    take_later(t.a, t.c, t.b);
    take_later(t.b, t.c, t.a);
    Int32 w = open.apex(u, v);
    if (w < 0) {
      w = lunes.toward_oldest(-1 - w, x);
      if (w == x) return 0;
      others[2] = triangle(u, v, w);
    } else if (w == x) return 0;
    others[0] = triangle(u, x, w);
    others[1] = triangle(v, x, w);
    return open.apex(u, v) < 0 ? 3 : 2;
  }

  const Index edges_per_open;
  Index* counts;
  std::unique_ptr<Kept> kept{new Kept};
  Annotations values;
  OpenEdges open;
  OpenLunes lunes;
  bool is_ambiguous = false;  // whether a void ends in a simplex with several longest edges
  Index n_begun = 0;
  std::vector<Triangle> born, asked;  // born: by slot, a is NONE if the slot is free
  ValueMap known;  // values of triangles
};

}  // namespace rips
#endif

HOST_TASK(rips_voids, (const Word* matrix, Index n, Word limit, const Int32* ended, Index n_ended,
                       Index edges_per_open, Int32 n_threads, Index* counts),
          (Index)rips::Voids(matrix, n, limit, ended, n_ended, edges_per_open, n_threads, counts).run().release())
