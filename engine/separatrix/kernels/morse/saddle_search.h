// The V-paths from a 2-saddle p to a 1-saddle q of a volume, on a gradient that cancellations change.
//
// A V-path runs p = w0, e0, w1, e1, ..., wk, ek = q, where e_i is a facet of w_i and is paired with w_(i+1);
// reversed, e_i is paired with w_i. Squares and critical edges have heights g, initially those of
// their highest vertices, such that
//   (a) g(w) >= g(w') for every step w -> e -> w',   (b) g(w) >= g(e) for a critical edge e of w.
// Thus all squares between p and q lie in [g(q), g(p)]. Both ends are searched breadth first, the
// smaller frontier next, until one frontier is empty. The path is then followed from the other end
// within the set that the completed search has reached. A reversal preserves (a) and (b) by
// assigning one height to a whole set: g(q) to the squares that p reaches and their critical edges,
// or g(p) to the squares that reach q, including critical ones.
//
// A search depends only on the cells that it looks at: while none of them changes, it would return
// the same again. If it finds several V-paths, it would also do so while two of them remain.
//
// `Cells` defines the incidences and the pairs: for_edges_of(square, visit), for_squares_at(edge,
// visit), square_of(edge) and edge_of(square), which are NONE for a cell that is critical or paired
// with another dimension, is_critical(cell), height(cell), and place(cell), a number for cells near
// each other.
// Forman 1998, section 11 (reversal); Robins, Wood, Sheppard 2011, section 3.3 (V-paths).
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <algorithm>
  #include <vector>

// Map from cells to values by open addressing, cleared in O(1) regardless of its size.
template <class Value>
class CellMap {
 public:
  CellMap() : places(64) {}
  void clear() {
    n = 0;
    if (++round == 0) {
      places.assign(places.size(), Place());
      round = 1;
    }
  }
  std::size_t size() const { return n; }
  bool has(Index cell) const { return places[place_of(cell)].round == round; }
  const Value* find(Index cell) const {
    const Place& place = places[place_of(cell)];
    return place.round == round ? &place.value : nullptr;
  }
  // False when it is there already; then nothing changes.
  bool insert(Index cell, Value value) {
    const std::size_t at = place_of(cell);
    if (places[at].round == round) return false;
    places[at] = {cell, value, round};
    if (2 * ++n > places.size()) grow();
    return true;
  }
  void set(Index cell, Value value) {
    const std::size_t at = place_of(cell);
    if (places[at].round == round) places[at].value = value;
    else insert(cell, value);
  }

 private:
  struct Place {
    Index cell;
    Value value;
    Word round;
  };
  std::vector<Place> places;
  std::size_t n = 0;
  Word round = 1;

  std::size_t place_of(Index cell) const {
    const std::size_t mask = places.size() - 1;
    std::size_t at = (std::size_t)((Wide)cell * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (places[at].round == round && places[at].cell != cell) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Place> old(2 * places.size());
    old.swap(places);
    for (const Place& place : old)
      if (place.round == round) places[place_of(place.cell)] = place;
  }
};

enum Outcome : Byte { ABSENT, SEVERAL, ONE, TOO_FAR };
enum { LAST_WAY = 4 };  // flag of the way to q

struct SaddleSearchResult {
  Outcome outcome;
  std::vector<Int32> looked_at;       // places that the outcome depends on
  std::vector<Byte> ways;             // of two V-paths, if several were found: on each square, the number of the next edge
  std::vector<Index> squares, edges;  // of the only path, beginning at p; empty unless there is exactly one
  std::vector<Index> moved;           // cells that have another height after a reversal of the path
  Wide height;
  std::vector<Int32> changed;         // places of cells that a reversal changes
};

template <class Cells>
class SaddleSearch {
 public:
  explicit SaddleSearch(const Cells& cells) : cells(cells) {}

  // Finds whether no, several, or one V-path leads from p to q, unless it gives up beyond `reach`
  // squares.
  void run(Index p, Index q, SaddleSearchResult& result, Index reach) {
    looked_at = &result.looked_at;
    for (auto* path : {&result.squares, &result.edges, &result.moved}) path->clear();
    result.changed.clear();
    result.ways.clear();
    looked_at->clear();
    low = cells.height(q);
    high = cells.height(p);
    look(p);
    look(q);
    result.outcome = ABSENT;
    if (low > high) return;
    from_p.clear();
    from_q.clear();
    below.assign(1, p);
    above.clear();
    critical_above.clear();
    front.assign(1, p);
    back.clear();
    from_p.insert(p, 0);
    cells.for_squares_at(q, [&](Index square) { step_back(square, p); });
    for (Index step = 1; !front.empty() && !back.empty(); ++step) {
      throw_if_canceled_at(step);
      if ((Index)(below.size() + above.size()) > reach) {
        result.outcome = TOO_FAR;
        return;
      }
      const bool forward = front.size() <= back.size();
      now.clear();
      now.swap(forward ? front : back);
      for (Index square : now) {
        if (forward) leave(square);
        else enter(square, p);
      }
    }
    const bool is_down = back.empty();
    result.outcome = walk(p, q, is_down, result);
    if (result.outcome == ONE) prepare_reversal(q, is_down, result);
  }
  // Whether `ways` still describe two V-paths from p to q. Sets the places that this depends on.
  bool leads_along(Index p, Index q, const std::vector<Byte>& ways, std::vector<Int32>& places) {
    looked_at = &places;
    looked_at->clear();
    Index at = p;
    for (const Byte way : ways) {
      const Index edge = edge_on(at, way & ~LAST_WAY);
      if (way & LAST_WAY && edge != q) return false;
      const Index next = way & LAST_WAY ? p : cells.square_of(edge);
      if (next == NONE || next == at) return false;  // or the square is paired with this edge
      at = next;
      if (at != p) look(at);
    }
    return true;
  }

 private:
  const Cells& cells;
  CellMap<Byte> from_p, from_q;
  std::vector<Index> below, above, critical_above;  // reached from p; reaching q, and the critical ones among these
  std::vector<Index> front, back, now;
  std::vector<Int32>* looked_at = nullptr;
  Wide low = 0, high = 0;

  void look(Index cell) {
    const Int32 place = cells.place(cell);
    if (looked_at->empty() || looked_at->back() != place) looked_at->push_back(place);
  }
  // Expands a square forward: through its edges that are paired with another square.
  void leave(Index square) {
    cells.for_edges_of(square, [&](Index edge) {
      const Index onward = cells.square_of(edge);
      if (onward == NONE || onward == square || from_p.has(onward)) return;
      look(onward);
      if (cells.height(onward) < low) return;
      from_p.insert(onward, 0);
      below.push_back(onward);
      front.push_back(onward);
      cells.prefetch(onward);
      cells.prefetch_heights(onward);
    });
  }
  // Expands a square backward: to the other squares at the edge that it is paired with.
  void enter(Index square, Index p) {
    cells.for_squares_at(cells.edge_of(square), [&](Index before) {
      if (before != square) step_back(before, p);
    });
  }
  void step_back(Index square, Index p) {
    look(square);
    if (square != p && cells.edge_of(square) == NONE) {
      if (cells.is_critical(square) && cells.height(square) < high) critical_above.push_back(square);
      return;
    }
    if (from_q.has(square) || cells.height(square) > high) return;
    from_q.insert(square, 0);
    above.push_back(square);
    if (square == p) return;
    back.push_back(square);
    cells.prefetch(square);
    cells.prefetch_heights(square);
  }
  // Follows the V-paths from p to q within the squares that the completed search has reached.
  Outcome walk(Index p, Index q, bool is_down, SaddleSearchResult& result) {
    if (is_down && !from_q.has(p)) return ABSENT;
    const auto follow = [&](bool takes_last) {
      return is_down ? walk_down(p, q, takes_last, result.squares) : walk_up(p, q, takes_last, result.squares);
    };
    const bool divides = follow(false);
    if (result.squares.empty()) return ABSENT;
    if (!divides) return ONE;
    looked_at->clear();
    for (const bool takes_last : {false, true}) {
      if (takes_last) follow(takes_last);
      add_ways(result.squares, q, result.ways);
    }
    result.squares.clear();
    return SEVERAL;
  }
  // Follows the first or the last path from p. Returns whether there are others.
  bool walk_down(Index p, Index q, bool takes_last, std::vector<Index>& squares) const {
    bool divides = false;
    squares.clear();
    for (Index at = p, next = NONE; at != q; at = next) {
      squares.push_back(at);
      int n_ways = 0;
      cells.for_edges_of(at, [&](Index edge) {
        const Index onward = edge == q ? q : cells.square_of(edge);
        if (onward == NONE || onward == at || (onward != q && !from_q.has(onward))) return;
        if (n_ways++ == 0 || takes_last) next = onward;
      });
      divides |= n_ways > 1;
    }
    return divides;
  }
  // Follows the first or the last path back from q, if there is one.
  bool walk_up(Index p, Index q, bool takes_last, std::vector<Index>& squares) const {
    bool divides = false;
    squares.clear();
    for (Index at = NONE, before = NONE; at != p; at = before) {
      int n_ways = 0;
      cells.for_squares_at(at == NONE ? q : cells.edge_of(at), [&](Index square) {
        if (square == at || !from_p.has(square)) return;
        if (n_ways++ == 0 || takes_last) before = square;
      });
      if (n_ways == 0) return false;
      divides |= n_ways > 1;
      squares.push_back(before);
    }
    std::reverse(squares.begin(), squares.end());
    return divides;
  }
  void add_ways(const std::vector<Index>& squares, Index q, std::vector<Byte>& ways) {
    for (std::size_t k = 0; k < squares.size(); ++k) {
      const bool is_last = k + 1 == squares.size();
      const Index next = is_last ? q : cells.edge_of(squares[k + 1]);
      if (k) look(squares[k]);
      Byte way = 0;
      while (edge_on(squares[k], way) != next) ++way;
      ways.push_back(is_last ? way | LAST_WAY : way);
    }
  }
  Index edge_on(Index square, int way) const {
    Index found = NONE;
    cells.for_edges_of(square, [&](Index edge) {
      if (way-- == 0) found = edge;
    });
    return found;
  }
  void prepare_reversal(Index q, bool is_down, SaddleSearchResult& result) {
    for (std::size_t k = 1; k < result.squares.size(); ++k) result.edges.push_back(cells.edge_of(result.squares[k]));
    result.edges.push_back(q);
    result.height = is_down ? high : low;
    const auto raise = [&](Index square) {
      if (cells.height(square) < high) result.moved.push_back(square);
    };
    const auto lower = [&](Index cell) {
      if (cells.height(cell) > low) result.moved.push_back(cell);
    };
    if (is_down) {
      for (Index square : above) raise(square);
      for (Index square : critical_above) raise(square);
    } else {
      for (Index square : below) {
        lower(square);
        cells.for_edges_of(square, [&](Index edge) {
          if (!cells.is_critical(edge)) return;
          look(edge);
          lower(edge);
        });
      }
    }
    const auto change = [&](Index cell) {
      const Int32 place = cells.place(cell);
      if (result.changed.empty() || result.changed.back() != place) result.changed.push_back(place);
    };
    for (Index cell : result.moved) change(cell);
    for (Index edge : result.edges) cells.for_squares_at(edge, change);
  }
};

// Reverses the path that was found: each of its squares is then paired with the edge through which
// the path left it.
template <class Cells>
void reverse_path(Cells& cells, const SaddleSearchResult& path) {
  for (Index cell : path.moved) cells.set_height(cell, path.height);
  for (std::size_t k = 0; k < path.squares.size(); ++k) cells.pair(path.squares[k], path.edges[k]);
}
#endif
