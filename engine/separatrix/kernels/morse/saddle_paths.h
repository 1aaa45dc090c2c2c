// Cancellations of 2-saddles with 1-saddles, one after the other: each reverses its one V-path.
// The search knows no geometry: `Cells` says what bounds what and what is paired with what.
//
// A V-path from square p to edge q runs p = w0, e0, w1, e1, ..., wk, ek = q, where e_i is a facet of w_i
// and is paired with w_(i+1). Reversed, e_i is paired with w_i. Such paths pass squares and edges paired
// with each other alone, so canceled extrema neither help nor hinder them. Both ends are searched breadth
// first, the side with the smaller frontier next, until they meet: cost goes with the shorter reach. Whether
// the path is the only one is told by all that one end reaches: each step to it from the other end leads on
// to a path, so it is the only one if there is never a choice.
// Forman 1998, section 11 (reversal); Robins, Wood, Sheppard 2011, section 3.3 (V-paths).
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include <vector>

enum { NO_SUCH_PATH = -2 };

// Squares with one number each: open addressing. Emptied in O(1), however many there once were.
class SquareMap {
 public:
  SquareMap() : places(64) {}
  void clear() {
    n = 0;
    if (++round == 0) {
      places.assign(places.size(), Place());
      round = 1;
    }
  }
  bool has(Index square) const { return places[place_of(square)].round == round; }
  Index operator[](Index square) const { return places[place_of(square)].number; }
  // False when it is there already; then nothing changes.
  bool insert(Index square, Index number) {
    const std::size_t at = place_of(square);
    if (places[at].round == round) return false;
    places[at] = {square, number, round};
    if (2 * ++n > places.size()) grow();
    return true;
  }

 private:
  struct Place {
    Index square, number;
    Word round;
  };
  std::vector<Place> places;
  std::size_t n = 0;
  Word round = 1;

  std::size_t place_of(Index square) const {
    const std::size_t mask = places.size() - 1;
    std::size_t at = (std::size_t)((Wide)square * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (places[at].round == round && places[at].square != square) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Place> old(2 * places.size());
    old.swap(places);
    for (const Place& place : old)
      if (place.round == round) places[place_of(place.square)] = place;
  }
};

// The path between two saddles. Of `Cells`, ids being Index: for_edges_of(square, visit) and
// for_squares_at(edge, visit), which hands over ids of squares and edges in any form that id_of reads;
// leads_to_square(edge), square_of(edge id): the one that an edge is paired with; has_edge(square),
// edge_of(square): likewise; pair(square, edge).
template <class Cells>
class SaddlePath {
 public:
  explicit SaddlePath(Cells cells) : cells(cells) {}

  // The squares of the path from p to q, p first; false when there is none.
  bool find(Index p, Index q) {
    begin(p, q, true);
    while (meeting == NONE && !(front.empty() && back.empty())) {
      check_cancelled();
      advance(p, back.empty() || (!front.empty() && front.size() <= back.size()));
    }
    if (meeting == NONE) return false;
    squares.clear();
    for (Index at = meeting; at != NONE; at = from_p[at]) squares.push_back(at);
    for (std::size_t a = 0, b = squares.size() - 1; a < b; ++a, --b) {
      Index held = squares[a];
      squares[a] = squares[b];
      squares[b] = held;
    }
    for (Index at = from_q[meeting]; at != NONE; at = from_q[at]) squares.push_back(at);
    return true;
  }
  // Whether exactly one V-path leads from p to q.
  bool is_only(Index p, Index q) {
    begin(p, q, false);
    while (!front.empty() && !back.empty()) {
      check_cancelled();
      advance(p, front.size() <= back.size());
    }
    return back.empty() ? is_only_down(p, q) : is_only_up(p, q);
  }
  // Reverses the path found last: each of its squares is then paired with the edge by which it was left.
  void reverse(Index q) {
    edges.clear();
    for (std::size_t k = 1; k < squares.size(); ++k) edges.push_back(cells.edge_of(squares[k]));
    edges.push_back(q);
    for (std::size_t k = 0; k < squares.size(); ++k) cells.pair(squares[k], edges[k]);
  }
  Index n_squares() const { return (Index)squares.size(); }
  Index square(Index k) const { return squares[(std::size_t)k]; }
  Index edge(Index k) const { return edges[(std::size_t)k]; }
  const Cells& pairing() const { return cells; }

 private:
  Cells cells;
  SquareMap from_p, from_q;  // square: the one before it, the one after it
  std::vector<Index> front, back, now, squares, edges;
  Index meeting = NONE;
  bool ends_at_meeting = true;

  void begin(Index p, Index q, bool is_to_meet) {
    ends_at_meeting = is_to_meet;
    from_p.clear();
    from_q.clear();
    front.assign(1, p);
    back.clear();
    from_p.insert(p, NONE);
    meeting = NONE;
    cells.for_squares_at(q, [&](Index square) { step_back(square, NONE, p); });
  }
  void advance(Index p, bool forward) {
    now.clear();
    now.swap(forward ? front : back);
    for (Index square : now) {
      if (forward) leave(square);
      else enter(square, p);
      if (meeting != NONE) break;
    }
  }
  // All squares from which q is reached are known: down from p among them.
  bool is_only_down(Index p, Index q) const {
    for (Index at = p, next = NONE; at != q; at = next) {
      int n_ways = 0;
      cells.for_edges_of(at, [&](auto edge) {
        const Index id = cells.id_of(edge);
        if (id == q) next = q, ++n_ways;
        if (id == q || !cells.leads_to_square(edge)) return;
        const Index onward = cells.square_of(id);
        if (onward != at && from_q.has(onward)) next = onward, ++n_ways;
      });
      if (n_ways != 1) return false;
    }
    return true;
  }
  // All squares that p reaches are known: up from q among them.
  bool is_only_up(Index p, Index q) const {
    for (Index at = NONE, before = NONE; at != p; at = before) {
      int n_ways = 0;
      cells.for_squares_at(at == NONE ? q : cells.edge_of(at), [&](Index square) {
        if (square != at && from_p.has(square)) before = square, ++n_ways;
      });
      if (n_ways != 1) return false;
    }
    return true;
  }

  // On from a square by its edges that are paired with another square.
  void leave(Index square) {
    cells.for_edges_of(square, [&](auto edge) {
      if (meeting != NONE || !cells.leads_to_square(edge)) return;
      Index id = cells.square_of(cells.id_of(edge));
      if (id == square || !from_p.insert(id, square)) return;
      front.push_back(id);
      if (ends_at_meeting && from_q.has(id)) meeting = id;
    });
  }
  // Back from a square: the squares about the edge that it is paired with.
  void enter(Index square, Index p) {
    cells.for_squares_at(cells.edge_of(square), [&](Index before) {
      if (before != square) step_back(before, square, p);
    });
  }
  void step_back(Index square, Index after, Index p) {
    if (meeting != NONE || from_q.has(square)) return;
    if (square != p && !cells.has_edge(square)) return;  // none leads to it
    from_q.insert(square, after);
    if (ends_at_meeting && from_p.has(square)) meeting = square;
    else if (square != p) back.push_back(square);
  }
};
#endif

// Of the raw arcs whose saddles are canceled, each canceled extremum's own: the one that it flows out by.
// These arcs, without directions, are a forest over the raw extrema and OUTSIDE: each dies once; it is
// rooted at the survivors. In: ends (saddles, 2) of extrema, -1 OUTSIDE; of each extremum the saddle that
// kills it and the event. Out: sides, 2 * saddle + side whose end is the extremum. Their number is returned.
#if !ON_GPU
static Index root_at_survivors_of(const Int32* ends, const Int32* saddle, const Word* died, Int32 n, Word event,
                                  Int32* sides) {
  std::vector<Int32> offsets((std::size_t)n + 2, 0), side_at, queue;
  std::vector<Byte> seen((std::size_t)n + 1, 0);
  auto node = [&](Int32 side) { return ends[side] < 0 ? n : ends[side]; };
  for (Int32 k = 0; k < n; ++k)
    if (died[k] <= event)
      for (int side = 0; side < 2; ++side) ++offsets[node(2 * saddle[k] + side) + 1];
  for (Int32 k = 0; k <= n; ++k) offsets[k + 1] += offsets[k];
  side_at.resize((std::size_t)offsets[n + 1]);
  std::vector<Int32> next(offsets.begin(), offsets.end() - 1);
  for (Int32 k = 0; k < n; ++k)
    if (died[k] <= event)
      for (int side = 0; side < 2; ++side) side_at[next[node(2 * saddle[k] + side)]++] = 2 * saddle[k] + side;
  queue.reserve((std::size_t)n + 1);
  for (Int32 k = 0; k < n; ++k)
    if (died[k] > event) queue.push_back(k);
  queue.push_back(n);
  for (Int32 root : queue) seen[root] = 1;
  Index found = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (Int32 at = offsets[queue[head]]; at < offsets[queue[head] + 1]; ++at) {
      check_cancelled_at((Index)head);
      Int32 far = side_at[at] ^ 1, other = node(far);
      if (seen[other]) continue;
      seen[other] = 1;
      sides[found++] = far;
      queue.push_back(other);
    }
  return found;
}
#endif
HOST_TASK(root_at_survivors, (const Int32* ends, const Int32* saddle, const Word* died, Int32 n, Word event, Int32* sides),
          root_at_survivors_of(ends, saddle, died, n, event, sides))
