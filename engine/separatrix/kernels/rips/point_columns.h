// Loops of points over Z/2 by columns: threads list the sides that open edges lead to, as rips/lune_rows.h does on a GPU.
#pragma once
#include "common/sets.h"
#include "rips/loop_columns.h"
#include "rips/placed_sides.h"
#include "rips/point_lunes.h"
#include "rips/sampled_deaths.h"

#if !ON_GPU

namespace rips {

// Sides with a point of their lune, and their places in the order in which they were reached.
class SideTable {
public:
  explicit SideTable(const std::vector<Edge<Real>>& known, Int32 n_threads) : n_threads(n_threads) {
    for (const auto& e : known) keys.push_back(rips_side(e.high, e.low));
    grow(4 * known.size());
  }

  Index size() const { return n_sides; }
  RipsPlaces places() const { return {slots.data(), slots.size() - 1, place_of.data()}; }

  // Reaches the edges and sides of a range, and all sides that these lead to; via(u, v) is a point of a lune, or -1.
  template <class Via>
  void reach(const OpenRange& range, const Via& via) {
    const Index before = n_sides;
    while (!try_to_reach(range, via)) {
      n_sides = before;
      grow(2 * keys.size());
    }
    set_places(before);
  }
  void list_children(Index first, std::vector<Int32>& children) const {
    const Index m = n_sides - first;
    children.resize((size_t)(2 * m));
    rips_list_children((int)n_threads, 0, m, keys.data() + first, middles.data() + first, slots.data(), slots.size() - 1,
                       place_of.data(), children.data());
  }

private:
  template <class Via>
  bool try_to_reach(const OpenRange& range, const Via& via) {
    Index counters[2] = {0, n_sides};
    deal_out((int)n_threads, range.m, 16, [&](int, Index k) {
      const Int32 u = range.ends[2 * k], v = range.ends[2 * k + 1];
      std::vector<Index> waiting;
      const auto add = [&](Int32 a, Int32 b) {
        const Wide key = rips_side(a, b);
        const Index at = rips_reach(key, slots.data(), slots.size() - 1, (Index)keys.size(), keys.data(), counters);
        if (at >= 0) waiting.push_back(at);
      };
      add(u, v);
      for (Index i = range.begin[k]; i < range.begin[k + 1]; ++i) add(u, range.found[i]), add(v, range.found[i]);
      while (!waiting.empty() && peek(counters) == 0) {
        const Index at = waiting.back();
        waiting.pop_back();
        const Int32 a = (Int32)(keys[at] >> 32), b = (Int32)(keys[at] & 0xFFFFFFFFu), w = via(a, b);
        middles[at] = w;
        if (w >= 0) add(a, w), add(b, w);
      }
    });
    n_sides = counters[1];
    return counters[0] == 0;
  }
  // Makes room, and enters the known sides again.
  void grow(size_t room) {
    if (room < MIN_ROOM) room = MIN_ROOM;
    while (room & (room - 1)) room += room & -room;
    if (n_sides == 0) n_sides = (Index)keys.size();
    keys.resize(room);
    middles.resize(room);
    slots.assign(2 * room, EMPTY_SLOT);
    place_of.resize(2 * room);
    Index n_failed = 0;
    deal_out_runs((int)n_threads, 0, n_sides, 1024, [&](int, Index begin, Index end) {
      for (Index at = begin; at < end; ++at) insert_key(slots.data(), slots.size() - 1, keys[at], &n_failed);
    });
    set_places(0);
  }
  void set_places(Index first) {
    rips_place_sides((int)n_threads, 0, n_sides - first, keys.data() + first, first, slots.data(), slots.size() - 1,
                     place_of.data());
  }

  enum { MIN_ROOM = 1 << 10 };
  const Int32 n_threads;
  std::vector<Wide> keys, slots;
  std::vector<Int32> middles, place_of;  // place_of: by slot
  Index n_sides = 0;
};

constexpr Real SPACING = 0.4, AGAIN = 1.2;  // of a sample, and when the next one is taken, relative to the length reached
enum { FEWER = 4 };  // as many points as their sample has, at least

template <int D>
Deaths sampled_deaths(const PointLunes<D>& lunes, Index n_alive, LoopTask task, Int32 n_threads);

template <int D>
std::unique_ptr<Kept> point_columns(PointLunes<D>& lunes, const LoopTask& task, Int32 n_threads) {
  Real next_sample = 0;
  std::vector<Real> lengths((size_t)task.n_links);
  for (Index k = 0; k < task.n_links; ++k) lengths[k] = lunes.length(task.links[2 * k], task.links[2 * k + 1]);
  LoopColumns columns(task.links, task.begins_class, lengths.data(), task.n_links, n_threads, task.counts,
                      task.most_triangles);
  SideTable table(columns.loop_links(), n_threads);
  lunes.begin(task.links, task.n_links, columns.last_link());
  std::vector<Edge<Real>> batch;
  std::vector<Byte> is_tied, tied;
  std::vector<Int32> ends, found, last, own, sides, children;
  std::vector<Real> of_edges;
  std::vector<Index> begin;
  while (!columns.is_done() && lunes.next_without_links(batch, is_tied)) {
    ends.clear(), of_edges.clear(), tied.clear(), found.clear(), begin.assign(1, 0);
    for (size_t k = 0; k < batch.size(); ++k) {
      const auto& e = batch[k];
      if (is_tied[k]) lunes.vertices(e, last);
      else lunes.components(e, last);
      if (last.empty() && !is_tied[k]) continue;
      ends.insert(ends.end(), {e.high, e.low});
      of_edges.push_back(e.length);
      tied.push_back(is_tied[k]);
      found.insert(found.end(), last.begin(), last.end());
      begin.push_back((Index)found.size());
    }
    const Index m = (Index)tied.size(), before = table.size();
    OpenRange range{lunes.reached(), ends.data(), of_edges.data(), tied.data(), begin.data(), found.data(), m,
                    nullptr, nullptr, nullptr, 0};
    table.reach(range, [&](Int32 u, Int32 v) { return lunes.any_inside(u, v); });
    table.list_children(before, children);
    own.resize((size_t)m), sides.resize(2 * found.size());
    const RipsPlaces places = table.places();
    rips_place_open_edges((int)n_threads, 0, m, ends.data(), begin.data(), found.data(), places.slots, places.mask,
                          places.places, own.data(), sides.data());
    range.own = own.data(), range.sides = sides.data(), range.children = children.data();
    range.n_sides = table.size() - before;
    if (!columns.take(range)) return nullptr;
    if (task.counts[WORDS] > task.most_words) return nullptr;
    if (lunes.is_late() && lunes.reached() >= next_sample && columns.n_alive() > 0) {
      lunes.skip(sampled_deaths(lunes, columns.n_alive(), task, n_threads));
      next_sample = AGAIN * lunes.reached();
    }
  }
  return columns.finished();
}

// What is known of the deaths of loops that are alive at the length that was reached.
template <int D>
Deaths sampled_deaths(const PointLunes<D>& lunes, Index n_alive, LoopTask task, Int32 n_threads) {
  const Real length = lunes.reached(), distance = SPACING * length;
  const std::vector<Int32> chosen = sample_within(lunes.points(), distance, lunes.points().size() / FEWER);
  if (chosen.empty()) return {length, std::numeric_limits<Real>::infinity()};
  const Int32 d = lunes.points().d();
  std::vector<Real> points;
  for (const Int32 k : chosen) points.insert(points.end(), lunes.points().at(k), lunes.points().at(k) + d);
  const auto n = (Index)chosen.size();
  PointLunes<D> sample(points.data(), n, d, lunes.longest(), n_threads);
  sample.bound_by_enclosing_radius();
  Index counts[WORDS + 1] = {0};
  std::vector<Int32> links;
  for (const auto& e : sample.links(counts[0])) links.insert(links.end(), {e.high, e.low});
  counts[0] = 0;
  Sets components(n);
  std::vector<Byte> begins_class;
  for (size_t k = 0; k < links.size(); k += 2) begins_class.push_back(!components.join(links[k], links[k + 1]));
  task.links = links.data(), task.begins_class = begins_class.data();
  task.n_links = (Index)begins_class.size(), task.counts = counts;
  const auto kept = point_columns(sample, task, n_threads);
  std::vector<Lifetime> found;
  for (size_t k = 0; kept && k < kept->vertices.size(); k += 5) {
    const Int32* const v = kept->vertices.data() + k;
    const auto side = [&](int i, int j) { return sample.length(v[i], v[j]); };
    const Real death = v[2] < 0 ? sample.longest() : std::max({side(2, 3), side(2, 4), side(3, 4)});
    found.push_back({side(0, 1), death});
  }
  return deaths_by_sample(std::move(found), (size_t)n_alive, length, distance);
}

}  // namespace rips
#endif
