// Bars of dimension 1 over Z/p, by homology: lunes and annotations instead of columns.
//
// Edges are processed in order. An edge whose lune is empty merges components or begins a class: it
// is a link of the relative neighborhood graph, so the number of classes is known in advance. Any
// other edge immediately closes a triangle with the first point w of its lune, and its value on the
// classes is the sum of the values of the triangle's other edges. A second point gives a second
// sum. Points of the lune that an earlier edge connects give the same sum, so one point per
// component of the lune is tried. If two sums differ, their difference becomes a boundary, and its
// youngest class ends (Busaryev et al. 2012). If the lune meets no edge with a value, the edge has
// none either. The computation stops when all classes have ended, because no later edge begins one.
//
// Triangles of equal diameter are processed by descending combinatorial index, as elsewhere. Edges
// of equal length that do not share a vertex have no common triangle; for the others, triangles are
// processed one by one: all with several longest edges, and one of each component of the other ones. Out: pairs as rows of 5 vertices, descending: the birth edge, and the
// death triangle or -1. Pairs of zero length are included only for equal edges that share a vertex.
#pragma once
#include "rips/chains.h"
#include "rips/lunes.h"

#if !ON_GPU

namespace rips {

enum { AHEAD = 8 };  // edges or sides whose ids are fetched before they are read
enum LoopCounts { ENDED, EDGES, VISITED, DIVIDED, VALUES, ALIVE, WORDS };

// What the callers of every form hand over.
struct LoopTask {
  const Int32* links;
  const Byte* begins_class;  // whether each link does, because it merges no components
  Index n_links, prime, is_sparse, all_equal, most_triangles, most_words;  // is_sparse: whether values have few classes
  Index* counts;
};

template <class Lunes, class Values>
class Loops {
public:
  typedef typename Lunes::Edge Edge;

  // Continues after the last death if all pairs of equal edges are requested. Gives up if these
  // have too many triangles, or if annotations exceed their limits of memory or work.
  Loops(Lunes& lunes, Index n, const LoopTask& task)
      : lunes(lunes), n(n), task(task), counts(task.counts), values(task.prime) {
    n_classes = std::count(task.begins_class, task.begins_class + task.n_links, true);
  }

  // Null if it gave up.
  std::unique_ptr<Kept> run() {
    Index n_until = task.n_links;  // the last one that begins a class
    while (n_until > 0 && !task.begins_class[n_until - 1]) --n_until;
    lunes.begin(task.links, task.n_links, n_until);
    std::vector<Edge> batch;
    while (!is_done() && lunes.next(batch))
      if (!take(batch)) return nullptr;
    return finished();
  }

  bool is_done() const { return n_ended() == n_classes && !task.all_equal; }

  // Processes the next edges, in order; false if it gave up.
  bool take(const std::vector<Edge>& batch) {
    for (size_t k = 0, end = 0; k < batch.size() && !is_done(); k = end) {
      throw_if_canceled_at((Index)k);
      for (end = k + 1; end < batch.size() && batch[end].length == batch[k].length;) ++end;
      if constexpr (Lunes::ON_DEMAND)
        if (k + AHEAD < batch.size()) lunes.expect(batch[k + AHEAD]);
      if (end == k + 1) take(batch[k]);
      else if (!take_equal(&batch[k], (Index)(end - k))) return false;
      counts[EDGES] += (Index)(end - k);
      if (values.work() > task.most_words || values.is_too_large()) {
        report();
        return false;
      }
    }
    lunes.release([&](Int32 id) { return values.is_zero(id); });
    report();
    return true;
  }

  // All pairs; classes that have not ended are essential.
  std::unique_ptr<Kept> finished() {
    kept->offsets.push_back(0);
    for (const Edge& e : born)
      if (e.high != NONE) give(e.high, e.low, NONE, NONE, NONE);
    kept->offsets.push_back((Index)kept->coefficients.size());
    return std::move(kept);
  }

private:
  struct Split {  // the sums of the two triangles with an edge differ unless the classes in them have ended
    Triangle triangle;
    const Edge* edge;
    Int32 first, w;
  };

  Index n_ended() const { return n_begun - values.n_alive(); }

  void give(Int32 high, Int32 low, Int32 a, Int32 b, Int32 c) {
    for (const Int32 v : {high, low, a, b, c}) kept->vertices.push_back(v);
    kept->coefficients.push_back(0);
  }
  void report() {
    const Index now[] = {n_ended(), values.n_values(), values.work()};
    const int at[] = {ENDED, VALUES, WORDS};
    for (int i = 0; i < 3; ++i) __atomic_store_n(counts + at[i], now[i], __ATOMIC_RELAXED);
    counts[ALIVE] = std::max(counts[ALIVE], values.n_alive());
  }

  // Returns whether e is the next link, and if so advances past it.
  bool is_link(const Edge& e) {
    const Int32* const next = task.links + 2 * next_link;
    if (next_link == task.n_links || next[0] != e.high || next[1] != e.low) return false;
    n_begun += task.begins_class[next_link++];
    return true;
  }

  Int32 begin_class(const Edge& e, Index age) {
    Int32 slot;
    const Int32 value = values.begin_class(age, slot);
    if (slot == (Int32)born.size()) born.push_back(e);
    else born[slot] = e;
    return value;
  }
  void end_class(Int32 value, const Triangle& t) {
    Edge& e = born[values.end_class(value)];
    give(e.high, e.low, t.a, t.b, t.c);
    e.high = NONE;
    if (++n_given % 64 == 0) report(), throw_if_canceled();
  }

  // The id that is held by an edge, with u > v. Its value is that of the orientation from u to v.
  Int32 id_of(Int32 u, Int32 v) {
    const Int32 id = lunes.id(u, v);
    if constexpr (Lunes::ON_DEMAND)
      if (id == UNKNOWN) {
        const Int32 w = lunes.inside(u, v), sum = w < 0 ? 0 : sum_at(u, v, w);
        lunes.set_id(u, v, sum);
        return sum;
      }
    return id;
  }
  Int32 value_of(Int32 u, Int32 v) {
    return u > v ? values.find(id_of(u, v)) : values.negative(values.find(id_of(v, u)));
  }
  Int32 sum_at(Int32 u, Int32 v, Int32 w) {
    const Int32 first = value_of(u, w);
    return values.sum(first, value_of(w, v));
  }
  Int32 difference(const Edge& e, Int32 first, Int32 w) {
    const Int32 sum = sum_at(e.high, e.low, first);
    return values.sum(sum, values.negative(sum_at(e.high, e.low, w)));
  }
  static Triangle triangle(const Edge& e, Int32 w) {
    if (w > e.high) return {w, e.high, e.low};
    return w > e.low ? Triangle{e.high, w, e.low} : Triangle{e.high, e.low, w};
  }

  // Processes an edge whose length no other edge has.
  void take(const Edge& e) {
    Int32 value = 0;
    if (is_link(e)) {
      if (task.begins_class[next_link - 1]) value = begin_class(e, counts[EDGES]);
    } else if (lunes.is_near_held(e)) {
      ++counts[VISITED];
      lunes.components(e, last);
      counts[DIVIDED] += last.size() > 1;
      for (size_t i = 1; i < last.size(); ++i) {
        const Int32 other = difference(e, last[0], last[i]);
        if (other != 0) end_class(other, triangle(e, last[i]));
      }
      if (!last.empty()) value = sum_at(e.high, e.low, last[0]);
    }
    lunes.add(e);
    lunes.hold(e, value);
  }

  // Edges of equal length, in order. False if it gave up.
  bool take_equal(const Edge* equal, Index m) {
    if (share_a_vertex(equal, m)) return take_triangles(equal, m);
    splits.clear();
    firsts.assign((size_t)m, NONE);
    for (Index k = 0; k < m; ++k) {
      const Edge& e = equal[k];
      if (is_link(e)) {
        if (task.begins_class[next_link - 1]) lunes.hold(e, begin_class(e, counts[EDGES] + k));
        continue;
      }
      if (!lunes.is_near_held(e)) continue;
      ++counts[VISITED];
      lunes.components(e, last);
      counts[DIVIDED] += last.size() > 1;
      for (size_t i = 1; i < last.size(); ++i) splits.push_back({triangle(e, last[i]), &e, last[0], last[i]});
      if (!last.empty()) firsts[k] = last[0];
    }
    std::sort(splits.begin(), splits.end(), [](auto& a, auto& b) { return a.triangle < b.triangle; });
    for (const Split& split : splits) {
      const Int32 other = difference(*split.edge, split.first, split.w);
      if (other != 0) end_class(other, split.triangle);
    }
    for (Index k = 0; k < m; ++k) {
      lunes.add(equal[k]);
      if (firsts[k] != NONE) lunes.hold(equal[k], sum_at(equal[k].high, equal[k].low, firsts[k]));
    }
    return true;
  }

  bool share_a_vertex(const Edge* equal, Index m) {
    if (seen.empty()) seen.assign((size_t)n, 0);
    ++mark;
    for (Index k = 0; k < m; ++k) {
      if (seen[equal[k].high] == mark || seen[equal[k].low] == mark) return true;
      seen[equal[k].high] = seen[equal[k].low] = mark;
    }
    return false;
  }

  // One triangle for each component of the lunes of strictly shorter edges, since the others have the same sums.
  void list_strict_triangles(const Edge* equal, Index m) {
    strict.clear();
    first_strict.assign(1, 0);
    for (Index k = 0; k < m; ++k) {
      lunes.components(equal[k], last);
      lunes.vertices(equal[k], inside);
      if (last.empty() && !inside.empty()) last.push_back(inside.back());
      for (const Int32 w : last) triangles.push_back(triangle(equal[k], w));
      strict.insert(strict.end(), inside.begin(), inside.end());
      first_strict.push_back(strict.size());
    }
  }

  // Every edge that merges nothing begins a class. Usually the first triangle with the edge ends it at once, so
  // the class is only made if it is not the youngest in that triangle.
  bool take_triangles(const Edge* equal, Index m) {
    const Index n_begun_before = n_begun;
    is_new.assign((size_t)m, true);
    triangles.clear();
    if constexpr (!Lunes::ON_DEMAND) list_strict_triangles(equal, m);
    for (Index k = 0; k < m; ++k) {
      lunes.add(equal[k]);
      if (is_link(equal[k])) is_new[k] = task.begins_class[next_link - 1];
    }
    if (!task.all_equal && values.n_alive() == 0 && n_begun == n_begun_before) return true;
    for (Index k = 0; k < m; ++k) {
      lunes.vertices(equal[k], last);
      if constexpr (!Lunes::ON_DEMAND) {
        const auto begin = strict.begin() + first_strict[k], end = strict.begin() + first_strict[k + 1];
        last.erase(std::set_difference(last.begin(), last.end(), begin, end, last.begin()), last.end());
      }
      for (const Int32 w : last) triangles.push_back(triangle(equal[k], w));
      throw_if_canceled_at(k);
      if (n_triangles + (Index)triangles.size() > task.most_triangles) return false;
    }
    n_triangles += (Index)triangles.size();
    std::sort(triangles.begin(), triangles.end());
    triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
    for (Index k = 0; k < m; ++k)
      if (is_new[k]) lunes.set_id(equal[k].high, equal[k].low, -1 - (Int32)k);
    for (size_t i = 0; i < triangles.size(); ++i) {
      throw_if_canceled_at((Index)i);
      take_triangle(triangles[i], equal);
      if (values.is_too_large()) return false;
    }
    for (Index k = 0; k < m; ++k)
      if (is_new[k]) begin_new(equal, k);
    return true;
  }

  void take_triangle(const Triangle& t, const Edge* equal) {
    const Int32 sides[3][2] = {{t.a, t.b}, {t.a, t.c}, {t.b, t.c}};  // the boundary has the second one backwards
    const auto in_boundary = [&](int side, Int32 value) { return side == 1 ? values.negative(value) : value; };
    Int32 youngest = -1;  // of the edges without a value: their places ascend with their ages
    for (auto& side : sides) youngest = std::max(youngest, -1 - id_of(side[0], side[1]));
    Int32 rest = 0;
    int of_youngest = 0;
    for (int i = 0; i < 3; ++i) {
      const Int32 id = id_of(sides[i][0], sides[i][1]);
      if (youngest >= 0 && id == -1 - youngest) {
        of_youngest = i;
        continue;
      }
      if (id < 0) begin_new(equal, -1 - id);
      rest = values.sum(rest, in_boundary(i, value_of(sides[i][0], sides[i][1])));
    }
    if (youngest < 0) {
      if (rest != 0) end_class(rest, t);
      return;
    }
    const Edge& e = equal[youngest];
    if (values.is_older(rest, counts[EDGES] + youngest)) {
      lunes.set_id(e.high, e.low, 0);
      lunes.hold(e, in_boundary(of_youngest, values.negative(rest)));
      is_new[youngest] = false;
      give(e.high, e.low, t.a, t.b, t.c);
      return;
    }
    begin_new(equal, youngest);
    end_class(values.sum(rest, in_boundary(of_youngest, value_of(e.high, e.low))), t);
  }
  void begin_new(const Edge* equal, Int32 k) {
    is_new[k] = false;
    lunes.hold(equal[k], begin_class(equal[k], counts[EDGES] + k));
  }

  Lunes& lunes;
  const Index n;
  const LoopTask task;
  Index* counts;
  std::unique_ptr<Kept> kept{new Kept};
  Values values;
  std::vector<Edge> born;  // by slot of the class, high is NONE if the slot is free
  std::vector<bool> is_new;
  std::vector<Int32> last, firsts, seen, inside, strict;  // strict: all vertices of lunes of strictly shorter edges
  std::vector<size_t> first_strict;
  std::vector<Split> splits;
  std::vector<Triangle> triangles;
  Int32 mark = 0;
  Index next_link = 0, n_given = 0, n_classes = 0, n_begun = 0, n_triangles = 0;  // n_begun: by the links passed
};

}  // namespace rips
#endif
