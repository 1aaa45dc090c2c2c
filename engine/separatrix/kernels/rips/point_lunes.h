// Lunes of points in Euclidean space: no distance is stored, and few edges are listed.
//
// An edge matters only if its lune is empty or has several components. The value of an edge that is not listed is the
// sum over a triangle with any point of its lune, and is computed when it is needed. Which points these are does not
// depend on values, so threads find them for all edges that a batch may need, in the order of the tree.
#pragma once
#include "rips/divided_lunes.h"
#include "rips/loops.h"
#include "rips/point_links.h"
#include "rips/sampled_deaths.h"
#include "rips/value_map.h"

#if !ON_GPU

namespace rips {

template <int D>
class PointLunes : public ValuesOnDemand {
public:
  typedef rips::Edge<Real> Edge;

  PointLunes(const Real* points, Index n, Int32 d, Real limit, int n_threads)
      : lunes(points, n, d, n_threads), tree(lunes.tree), limit(limit), n_threads(n_threads), divided(lunes, n_threads),
        lasts((size_t)n_threads) {}

  Real bound_by_enclosing_radius() {
    const Real radius = tree.enclosing_radius();
    limit = std::min(limit, radius);
    return radius;
  }

  // The relative neighborhood graph, in order. Edges are not counted.
  std::vector<Edge> links(Index&) const { return PointLinks<D>(lunes, limit).run(n_threads); }

  // In: the number of links up to the last one that begins a class. All classes end after it, usually soon.
  void begin(const Int32* links, Index n_links, Index n_begun) {
    next_link = links, end_of_links = links + 2 * n_links;
    const auto length_of = [&](Index k) {
      return lunes.edge(tree.place_of(links[2 * k]), tree.place_of(links[2 * k + 1])).length;
    };
    for (Index k = n_links / 2; k < n_links && until == 0; ++k) until = length_of(k) / GROWTH;
    first = until;
    last_birth = n_begun == 0 ? 0 : length_of(n_begun - 1);
  }

  // The next edges by length whose lune may not be connected, in order; false if none is left up to the limit.
  bool next(std::vector<Edge>& batch) {
    for (batch.clear(); batch.empty();)
      if (!list_next(batch, false)) return false;
    prepare(batch);
    return true;
  }
  // The next edges, which may be none, with the components of their lunes, and whether they are tied. Links are omitted
  // unless they are tied.
  bool next_without_links(std::vector<Edge>& batch, std::vector<Byte>& is_tied) {
    batch.clear();
    if (!list_next(batch, true)) return false;
    is_tied.assign(batch.size(), 0);
    for (size_t k = 0; k < batch.size() && !tied.empty(); ++k)
      is_tied[k] = tied.count(std::minmax(tree.place_of(batch[k].high), tree.place_of(batch[k].low)));
    std::vector<Index> all(batch.size());
    std::iota(all.begin(), all.end(), 0);
    list_lunes(batch, all);
    return true;
  }
  Real length(Int32 u, Int32 v) const { return lunes.edge(tree.place_of(u), tree.place_of(v)).length; }
  const PointTree<D>& points() const { return tree; }
  Real longest() const { return limit; }
  // Whether all links were returned, and loops that are still alive probably have many points around them.
  bool is_late() const { return divided.is_empty() && until < limit && until >= std::max(last_birth, FAR * first); }
  // Omits edges up to the first death.
  void skip(const Deaths& deaths) {
    if (!(deaths.after > until)) return;
    until = std::min(limit, deaths.after), next_until = deaths.until;
  }
  // Up to this length, all edges were returned.
  Real reached() const { return divided.is_empty() ? until : divided.last_length(); }

  // The last vertex of each component of the lune, descending; none if there is only one. In: an edge of the batch.
  void components(const Edge& e, std::vector<Int32>& last) const {
    const Part& part = parts[&e - first_edge];
    const auto begin = lasts[part.thread].begin() + part.begin;
    last.assign(begin, begin + part.count);
  }
  // Fetches the ids that an edge of the batch needs.
  void expect(const Edge& e) const {
    const Part& part = parts[&e - first_edge];
    for (Int32 i = 0; i < part.count; ++i)
      for (const Int32 end : {e.high, e.low}) ids.fetch(key(end, lasts[part.thread][part.begin + i]));
  }
  // The vertices of all triangles with several longest edges, and the last one of each component of the lune.
  void vertices(const Edge& e, std::vector<Int32>& found) const {
    const Real below = least_square(e.length, false);
    const Int32 a = tree.place_of(e.high), b = tree.place_of(e.low);
    std::vector<Int32> common;
    found.clear();
    lunes.for_lune(a, b, least_square(e.length, true), [&](Int32 w) {
      if (lunes.squared(w, a) < below && lunes.squared(w, b) < below) common.push_back(w);
      else found.push_back(tree.name(w));
    });
    take_components(common, below, found);
  }
  // A vertex of the lune, or -1.
  Int32 inside(Int32 u, Int32 v) const {
    const auto* const found = ids.find(key(u, v));
    if (found != nullptr && found->via != UNKNOWN) return found->via;
    return any_inside(u, v);
  }
  Int32 any_inside(Int32 u, Int32 v) const {
    const Int32 w = inside_of(tree.place_of(u), tree.place_of(v));
    return w < 0 ? w : tree.name(w);
  }

  template <class IsZero>
  void release(const IsZero& is_zero) {
    ids.keep_if([&](const ValueMap::Entry& entry) { return entry.id != UNKNOWN && !is_zero(entry.id); });
  }

private:
  bool list_next(std::vector<Edge>& batch, bool omits_links) {
    if (divided.is_empty()) {
      if (has_begun && !(until < limit)) return false;
      const Real from = has_begun ? least_square(until, true) : 0;
      if (until == 0) until = limit;
      advance();
      divided.list(from, least_square(until, true), least_square(limit, true), omits_links);
    }
    tied = divided.next(batch);
    return has_begun = true;
  }
  struct Part {  // of `lasts`: the components of the lune of an edge
    Int32 thread, count;
    Index begin;
  };
  struct Pair {  // places, descending
    Int32 a, b;
    bool operator<(const Pair& other) const { return a != other.a ? a < other.a : b < other.b; }
    bool operator==(const Pair& other) const { return a == other.a && b == other.b; }
  };

  // Appends the last vertex of each component of a list of points, descending.
  void take_components(std::vector<Int32>& common, Real below, std::vector<Int32>& last) const {
    const auto begin = (Index)last.size();
    while (!common.empty()) {
      Int32 highest = NONE;
      lunes.remove_component(common, below, [&](Int32 w) { highest = std::max(highest, tree.name(w)); });
      last.push_back(highest);
    }
    std::sort(last.begin() + begin, last.end(), std::greater<Int32>());
  }
  // Short steps where the last classes end, since longer edges are tested in vain, and where many points are near.
  void advance() {
    if (until < next_until) {
      until = next_until;
    } else if (until < last_birth) {
      const Real end = last_birth * (1 + MARGIN);
      until = until * GROWTH * 1.2 < end ? until * GROWTH : std::max(until, end);
    } else if (until < FAR * first) until *= 1 + (step = std::min(1.5 * step, 0.2));
    else until *= LATE_GROWTH;
    until = std::min(limit, until);
  }
  Int32 inside_of(Int32 a, Int32 b) const { return lunes.inside(a, b, least_square(lunes.edge(a, b).length, false)); }

  void prepare(const std::vector<Edge>& batch) {
    std::vector<Index> others;  // edges that are not links
    for (size_t k = 0; k < batch.size(); ++k) {
      const bool is_link = next_link < end_of_links && batch[k].high == next_link[0] && batch[k].low == next_link[1];
      if (is_link) next_link += 2;
      else others.push_back((Index)k);
    }
    list_lunes(batch, others);
    std::vector<Pair> needed;
    const auto need = [&](Int32 a, Int32 b) { needed.push_back({std::max(a, b), std::min(a, b)}); };
    for (const Index k : others)
      for (Index i = 0; i < parts[k].count; ++i) {
        const Int32 w = tree.place_of(lasts[parts[k].thread][parts[k].begin + i]);
        for (const Int32 end : {batch[k].high, batch[k].low}) need(tree.place_of(end), w);
      }
    std::vector<Pair> pairs;
    std::vector<Int32> via;
    while (!needed.empty()) {
      std::sort(needed.begin(), needed.end());
      needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
      pairs.swap(needed);
      needed.clear();
      via.assign(pairs.size(), UNKNOWN);
      deal_out(n_threads, (Index)pairs.size(), 64, [&](int, Index i) {
        const auto [a, b] = pairs[i];
        const auto& later = pairs[std::min(i + AHEAD, (Index)pairs.size() - 1)];
        ids.fetch(key(tree.name(later.a), tree.name(later.b)));
        if (ids.find(key(tree.name(a), tree.name(b))) == nullptr) via[i] = inside_of(a, b);
      });
      ids.make_room((Index)pairs.size());
      for (size_t i = 0; i < pairs.size(); ++i) {
        const auto [a, b] = pairs[i];
        const Int32 w = via[i];
        const auto& later = pairs[std::min(i + AHEAD, pairs.size() - 1)];
        ids.fetch(key(tree.name(later.a), tree.name(later.b)));
        if (w == UNKNOWN) continue;
        ids.set_via(key(tree.name(a), tree.name(b)), w < 0 ? w : tree.name(w));
        if (w >= 0) need(a, w), need(b, w);
      }
    }
  }
  // The components of the lunes of some edges.
  void list_lunes(const std::vector<Edge>& batch, const std::vector<Index>& some) {
    first_edge = batch.data();
    parts.assign(batch.size(), Part{0, 0, 0});
    for (auto& mine : lasts) mine.clear();
    std::vector<std::vector<Int32>> common((size_t)n_threads);
    deal_out(n_threads, (Index)some.size(), 64, [&](int thread, Index i) {
      const Index k = some[i];
      const Index begin = (Index)lasts[thread].size();
      list_components(batch[k], common[thread], lasts[thread]);
      parts[k] = {(Int32)thread, (Int32)((Index)lasts[thread].size() - begin), begin};
    });
  }
  void list_components(const Edge& e, std::vector<Int32>& common, std::vector<Int32>& last) const {
    const Real below = least_square(e.length, false);
    const size_t begin = last.size();
    common.clear();
    lunes.for_lune(tree.place_of(e.high), tree.place_of(e.low), below, [&](Int32 w) { common.push_back(w); });
    take_components(common, below, last);
    if (last.size() == begin + 1) last.pop_back();
  }

  static constexpr Real GROWTH = 1.7, LATE_GROWTH = 1.1, FAR = 12;

  const PointSearch<D> lunes;
  const PointTree<D>& tree;
  Real limit;
  const int n_threads;
  DividedLunes<D> divided;
  Real first = 0, until = 0, last_birth = 0, next_until = 0, step = 0.04;
  bool has_begun = false;
  typename DividedLunes<D>::Pairs tied;  // edges of the batch
  const Int32 *next_link = nullptr, *end_of_links = nullptr;
  const Edge* first_edge = nullptr;  // of the batch
  std::vector<Part> parts;
  std::vector<std::vector<Int32>> lasts;  // by thread: last vertices of components
};

}  // namespace rips
#endif
