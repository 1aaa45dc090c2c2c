// Loops over Z/2 of open edges, by columns: each is the boundary of a triangle as a set of loops.
//
// The value of an edge is a set of links that begin loops: those on a path along links between its ends. It is that of
// two other sides of a triangle with the edge, and does not depend on which one, up to boundaries of earlier triangles.
// So a triangle that closes the lune of an open edge is a column, whose entries are found by following sides down to
// links, and the pairs are those of the reduction of these columns. Both steps are shared by threads.
//
// Columns are ordered by length, then as triangles; rows are loops in order. Edges that have a triangle with an edge of
// equal length are tied: each has a row, and each of its triangles is a column, whose pairs have zero length.
// In: ranges of lengths, ascending, with the open edges of each, the points that were found in their lunes, and the
// places of their sides, as from rips/placed_sides.h. The first sides are the links that begin loops.
#pragma once
#include "homology/column_reduction.h"
#include "rips/loops.h"

#if !ON_GPU
#include <deque>
#include <unordered_map>

namespace rips {

// The open edges of one range, without links that are not tied.
struct OpenRange {
  Real until;  // the largest length of the range
  const Int32* ends;
  const Real* lengths;
  const Byte* is_tied;
  const Index* begin;  // of each edge, in `found`
  const Int32* found;  // at least two points unless the edge is tied
  Index m;
  const Int32* own;       // places of the edges
  const Int32* sides;     // two for each point found
  const Int32* children;  // (n_sides, 2) of the new sides, or NONE
  Index n_sides;
};

class LoopColumns {
public:
  typedef rips::Edge<Real> Edge;

  // In: links in order, with their lengths, and whether each begins a loop.
  LoopColumns(const Int32* links, const Byte* begins_loop, const Real* lengths, Index n_links, Int32 n_threads,
              Index* counts, Index most_triangles)
      : n_threads(n_threads), most_triangles(most_triangles), counts(counts) {
    for (Index k = 0; k < n_links; ++k) {
      all_links.push_back({lengths[k], links[2 * k], links[2 * k + 1]});
      if (begins_loop[k]) loops.push_back(all_links.back()), n_until = k + 1;
    }
    row_of.assign(loops.size(), NONE);
    children.assign(2 * loops.size(), NONE);
  }

  const std::vector<Edge>& loop_links() const { return loops; }
  Index last_link() const { return n_until; }  // the number of links up to the last one that begins a loop
  Index n_alive() const { return (Index)loops.size() - n_ended; }  // after the last link
  bool is_done() const { return n_alive() == 0; }

  // Returns false if it gives up, because tied edges have too many triangles.
  bool take(const OpenRange& range) {
    children.insert(children.end(), range.children, range.children + 2 * range.n_sides);
    add_rows(range);
    const Index first = (Index)columns.size();
    add_columns(range);
    if (n_tied > most_triangles) return false;
    reduce(first);
    counts[EDGES] += range.m;
    counts[VISITED] += range.m;
    counts[VALUES] = (Index)children.size() / 2;
    __atomic_store_n(counts + ENDED, n_ended, __ATOMIC_RELAXED);
    return true;
  }

  std::unique_ptr<Kept> finished() {
    std::unique_ptr<Kept> kept(new Kept);
    for (size_t row = 0; row < rows.size(); ++row) {
      const Triangle t = owner[row] == NO_COLUMN ? Triangle{NONE, NONE, NONE} : columns[owner[row]].triangle;
      give(*kept, rows[row], t);
    }
    for (size_t k = 0; k < loops.size(); ++k)
      if (row_of[k] == NONE) give(*kept, loops[k], Triangle{NONE, NONE, NONE});
    kept->offsets = {0, (Index)kept->coefficients.size()};
    counts[ALIVE] = most_alive();
    return kept;
  }

private:
  struct Column {
    Triangle triangle;
    Real length;
    Int32 sides[4];
  };
  struct EarlierColumns {  // those of earlier ranges, which the reduction has stored
    const std::vector<const Int32*>* stored;
    Int32 when(Int32 j) const { return j; }
    const Int32* given(Int32 j) const { return j < (Int32)stored->size() ? (*stored)[j] : nullptr; }
  };
  typedef ::Reduction<EarlierColumns> Columns;

  static void give(Kept& kept, const Edge& e, const Triangle& t) {
    for (const Int32 v : {e.high, e.low, t.a, t.b, t.c}) kept.vertices.push_back(v);
    kept.coefficients.push_back(0);
  }

  // Rows of the loops up to the end of a range, and of tied edges that are not links, in order.
  void add_rows(const OpenRange& range) {
    std::vector<std::pair<Edge, Int32>> tied;
    for (Index k = 0; k < range.m; ++k) {
      const Edge e{range.lengths[k], range.ends[2 * k], range.ends[2 * k + 1]};
      if (range.is_tied[k] && !std::binary_search(all_links.begin(), all_links.end(), e))
        tied.push_back({e, range.own[k]});
    }
    std::sort(tied.begin(), tied.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0;;) {
      const bool is_loop = n_passed < (Index)loops.size() && loops[n_passed].length <= range.until;
      if (i == tied.size() && !is_loop) break;
      if (i == tied.size() || (is_loop && loops[n_passed] < tied[i].first)) {
        row_of[n_passed] = (Int32)rows.size();
        rows.push_back(loops[n_passed++]);
      } else {
        children[2 * tied[i].second] = -2 - (Int32)rows.size();
        rows.push_back(tied[i++].first);
      }
    }
    owner.resize(rows.size(), NO_COLUMN);
  }

  void add_columns(const OpenRange& range) {
    std::vector<PlacedEdge> edges((size_t)range.m), sorted;
    for (Index k = 0; k < range.m; ++k) {
      edges[k].length = range.lengths[k], edges[k].high = range.ends[2 * k], edges[k].low = range.ends[2 * k + 1];
      edges[k].place = k;
    }
    sort_edges(edges, sorted);
    for (size_t k = 0, end = 0; k < edges.size(); k = end) {
      const auto begin = (Index)columns.size();
      for (end = k; end < edges.size() && edges[end].length == edges[k].length; ++end) add_triangles(range, edges[end]);
      if (end == k + 1) continue;
      std::sort(columns.begin() + begin, columns.end(), [](auto& a, auto& b) { return a.triangle < b.triangle; });
      const auto same = [](auto& a, auto& b) { return a.triangle == b.triangle; };
      columns.erase(std::unique(columns.begin() + begin, columns.end(), same), columns.end());
    }
  }
  void add_triangles(const OpenRange& range, const PlacedEdge& e) {
    const Index begin = range.begin[e.place], end = range.begin[e.place + 1];
    const Int32* const first = range.sides + 2 * begin;
    const bool is_tied = range.is_tied[e.place];
    counts[DIVIDED] += end - begin > 1;
    if (is_tied) n_tied += end - begin;
    for (Index i = begin + !is_tied; i < end; ++i) {
      Column column{triangle(e, range.found[i]), e.length, {range.sides[2 * i], range.sides[2 * i + 1], 0, NONE}};
      if (is_tied) column.sides[2] = range.own[e.place];
      else column.sides[2] = first[0], column.sides[3] = first[1];
      columns.push_back(column);
    }
  }
  static Triangle triangle(const Edge& e, Int32 w) {
    if (w > e.high) return {w, e.high, e.low};
    return w > e.low ? Triangle{e.high, w, e.low} : Triangle{e.high, e.low, w};
  }

  // Reduces the columns from the first one on.
  void reduce(Index first) {
    static_assert(sizeof(std::atomic<Int32>) == sizeof(Int32), "owners are exchanged in place");
    reductions.emplace_back(EarlierColumns{&stored}, (Index)columns.size(), (Index)rows.size(),
                            (std::atomic<Int32>*)owner.data(), n_threads);
    Columns& reduction = reductions.back();
    reduction.for_all((Index)columns.size() - first, 32, [&](auto& worker, Index i) {
      const auto j = (Int32)(first + i);
      add_to(counts + WORDS, list_rows(columns[j].sides, worker.entries));
      reduction.store(worker, j);
      reduction.reduce(worker, j);
    });
    for (Index j = (Index)stored.size(); j < (Index)columns.size(); ++j) stored.push_back(nullptr);
    for (const Int32 j : owner)
      if (j >= (Int32)first && j != NO_COLUMN) stored[j] = reduction.stored(j);
    n_ended = 0;
    for (Index k = 0; k < n_passed; ++k) n_ended += owner[row_of[k]] != NO_COLUMN;
  }
  // The rows that sides lead to, each once if their number is odd, the last one first. Returns the number of sides.
  Index list_rows(const Int32* sides, std::vector<Int32>& found) const {
    enum { MANY = 1 << 8 };
    found.clear();
    std::vector<Int32> waiting;
    for (int i = 0; i < 4; ++i)
      if (sides[i] >= 0) waiting.push_back(sides[i]);
    Index n_visited = 0;
    for (; !waiting.empty(); ++n_visited) {
      if (n_visited == MANY) {
        found.clear();
        list_rows_of_many(sides, found);
        break;
      }
      const Int32 side = waiting.back();
      waiting.pop_back();
      if (has_row(side)) {
        found.push_back(row(side));
        continue;
      }
      const Int32* const other = children.data() + 2 * side;
      if (other[0] >= 0) waiting.insert(waiting.end(), {other[0], other[1]});
    }
    std::sort(found.begin(), found.end(), std::greater<Int32>());
    size_t kept = 0;
    for (size_t i = 0; i < found.size();) {
      size_t end = i + 1;
      while (end < found.size() && found[end] == found[i]) ++end;
      if ((end - i) % 2 == 1) found[kept++] = found[i];
      i = end;
    }
    found.resize(kept);
    return n_visited;
  }
  bool has_row(Int32 side) const { return side < (Int32)loops.size() || children[2 * side] < NONE; }
  Int32 row(Int32 side) const { return side < (Int32)loops.size() ? row_of[side] : -2 - children[2 * side]; }
  // The same where many paths lead to the same sides: each is visited once, after all sides that lead to it.
  void list_rows_of_many(const Int32* sides, std::vector<Int32>& found) const {
    std::unordered_map<Int32, bool> is_odd;
    std::vector<Int32> order, waiting;  // a complement in `waiting` has had its children visited
    for (int i = 0; i < 4; ++i)
      if (sides[i] >= 0) waiting.push_back(sides[i]);
    while (!waiting.empty()) {
      const Int32 side = waiting.back();
      waiting.pop_back();
      if (side < 0) order.push_back(~side);
      else if (is_odd.emplace(side, false).second) {
        waiting.push_back(~side);
        if (!has_row(side) && children[2 * side] >= 0)
          waiting.insert(waiting.end(), {children[2 * side], children[2 * side + 1]});
      }
    }
    for (int i = 0; i < 4; ++i)
      if (sides[i] >= 0) is_odd[sides[i]] ^= true;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (!is_odd[*at]) continue;
      if (has_row(*at)) found.push_back(row(*at));
      else if (children[2 * *at] >= 0)
        for (int k = 0; k < 2; ++k) is_odd[children[2 * *at + k]] ^= true;
    }
  }

  // How many loops are alive at most.
  Index most_alive() const {
    std::vector<Real> deaths;
    for (size_t row = 0; row < rows.size(); ++row)
      if (owner[row] != NO_COLUMN && columns[owner[row]].length > rows[row].length)
        deaths.push_back(columns[owner[row]].length);
    std::sort(deaths.begin(), deaths.end());
    Index most = 0;
    size_t n_deaths = 0;
    for (size_t k = 0; k < loops.size(); ++k) {
      while (n_deaths < deaths.size() && deaths[n_deaths] < loops[k].length) ++n_deaths;
      most = std::max(most, (Index)(k + 1 - n_deaths));
    }
    return most;
  }

  const Int32 n_threads;
  const Index most_triangles;
  Index* const counts;
  std::vector<Edge> all_links, loops, rows;
  std::vector<Int32> row_of;    // by loop
  std::vector<Int32> children;  // two for each side, or -2 - row
  std::vector<Int32> owner;     // by row
  std::vector<Column> columns;
  std::vector<const Int32*> stored;  // by column of an earlier range
  std::deque<Columns> reductions;    // own what is stored
  Index n_until = 0, n_tied = 0, n_passed = 0, n_ended = 0;  // the last two: loops whose rows exist; loops that have ended
};

}  // namespace rips
#endif

// Returns where the search is kept; `counts` must exist until it ends.
HOST_TASK(rips_begin_columns, (const Int32* links, const Byte* begins_loop, const Real* lengths, Index n_links,
                               Int32 n_threads, Index most_triangles, Index* counts),
          (Index)new rips::LoopColumns(links, begins_loop, lengths, n_links, n_threads, counts, most_triangles))
// The links that begin loops, in order.
HOST_TASK(rips_list_loop_links, (Index search, Wide* keys), ([&] {
            for (const auto& e : ((rips::LoopColumns*)search)->loop_links()) *keys++ = (Wide)e.high << 32 | (Wide)e.low;
            return 0;
          }()))
// Returns 1 when all loops have ended, 0 before, and -1 if it gave up.
HOST_TASK(rips_take_columns, (Index search, Real until, const Int32* ends, const Real* lengths, const Byte* is_tied,
                              const Index* begin, const Int32* found, Index m, const Int32* own, const Int32* sides,
                              const Int32* children, Index n_sides), ([&] {
            auto& columns = *(rips::LoopColumns*)search;
            const rips::OpenRange range{until, ends, lengths, is_tied, begin, found, m, own, sides, children, n_sides};
            return columns.take(range) ? columns.is_done() : -1;
          }()))
HOST_TASK(rips_end_columns, (Index search), (Index)((rips::LoopColumns*)search)->finished().release())
HOST_TASK(rips_drop_columns, (Index search), (delete (rips::LoopColumns*)search, 0))
