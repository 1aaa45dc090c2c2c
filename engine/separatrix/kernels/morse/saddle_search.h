// The V-paths from a 2-saddle p to a 1-saddle q of a volume, on a gradient that cancellations change.
//
// A V-path runs p = w0, e0, w1, e1, ..., wk, ek = q, where e_i is a facet of w_i and is paired with w_(i+1);
// reversed, e_i is paired with w_i. Squares and critical edges have heights g, initially those of
// their highest vertices, such that
//   (a) g(w) >= g(w') for every step w -> e -> w',   (b) g(w) >= g(e) for a critical edge e of w.
// Thus all squares between p and q lie in [g(q), g(p)]. Both ends are searched breadth first, the
// smaller frontier next, until one frontier is empty. The path is then followed from the other end
// within the set that the completed search has reached. If a square is seen at which two V-paths from p to q
// divide or meet, the search ends at once. A reversal preserves (a) and (b) by
// assigning one height to a whole set: g(q) to the squares that p reaches and their critical edges,
// or g(p) to the squares that reach q, including critical ones.
//
// A search depends only on the cells that it looks at: while none of them changes, it would return
// the same again. If it finds several V-paths, it would also do so while two of them remain, and if it finds
// none, while the cells do not change that one of the two completed searches has looked at.
//
// `Cells` defines the incidences and the pairs: for_edges_of(square, visit), for_squares_at(edge,
// visit), square_of(edge) and edge_of(square), which are NONE for a cell that is critical or paired
// with another dimension, for_steps(square, offer) and for_steps_to(square, offer), which offer at most most_steps(square)
// and most_steps_to(square) squares and their states, state_of(square), is_critical(cell), height(cell), which is
// height_in(cell, slot_of_height(cell)), place(cell), a number for cells near each other, and region(place),
// one for many places.
// Forman 1998, section 11 (reversal); Robins, Wood, Sheppard 2011, section 3.3 (V-paths).
#pragma once
#include "morse/reached_cells.h"

#if !ON_GPU
  #include <algorithm>

enum Outcome : Byte { ABSENT, SEVERAL, ONE, TOO_FAR };
enum { LAST_WAY = 4 };  // flag of the way to q
enum SquareState { OFF_PATHS, ON_PATHS, IS_CRITICAL };  // paired with a cube, or absent; with an edge; with neither
constexpr Index ANY_REACH = (Index)1 << 62;

struct SaddleSearchResult {
  Outcome outcome;
  std::vector<Int32> looked_at;       // places that the outcome depends on
  std::vector<Byte> ways;             // of two V-paths, if several were found: on each square, the number of the next edge
  std::vector<Index> squares, edges;  // of the only path, beginning at p; empty unless there is exactly one
  std::vector<Index> moved;           // cells that have another height after a reversal of the path
  Wide height;
  std::vector<Int32> changed;         // places of cells that a reversal changes
};

// The edge of a square with a number.
template <class Cells> Index edge_on(const Cells& cells, Index square, int number) {
  Index found = NONE;
  cells.for_edges_of(square, [&](Index edge) {
    if (number-- == 0) found = edge;
  });
  return found;
}
// Adds the place of a cell, unless it is that of the previous one.
template <class Cells> void look(const Cells& cells, Index cell, std::vector<Int32>& places) {
  const Int32 place = cells.place(cell);
  if (places.empty() || places.back() != place) places.push_back(place);
}

template <class Cells>
class SaddleSearch {
 public:
  explicit SaddleSearch(const Cells& cells) : cells(cells) {}

  // Finds whether no, several, or one V-path leads from p to q, unless it gives up beyond `most`
  // squares. Where it gives up depends on the order of the search and on all heights.
  void run(Index from, Index to, SaddleSearchResult& result, Index most) {
    p = from, q = to, reach = most;
    for (auto* list : {&result.squares, &result.edges, &result.moved, &critical_above}) list->clear();
    result.changed.clear();
    result.ways.clear();
    low = cells.height(q);
    high = cells.height(p);
    for (auto* places : {&result.looked_at, &looked_above}) {
      places->clear();
      look(cells, p, *places);
      look(cells, q, *places);
    }
    result.outcome = ABSENT;
    if (low > high) return;
    start(result.looked_at);
    for (Index step = 1; front_size() && back_size(); ++step) {
      throw_if_canceled_at(step);
      if ((Index)(reached.from_p.size() + reached.to_q.size()) > reach) {
        result.outcome = TOO_FAR;
        break;
      }
      expand();
      if (two_ways_at != NONE && reach == ANY_REACH) return set_ways_through(two_ways_at, result);
    }
    const bool is_down = !back_size();
    if (result.outcome != TOO_FAR) result.outcome = walk(is_down, result);
    if (result.outcome == SEVERAL && reach == ANY_REACH) return;
    if (result.outcome == ABSENT && reach == ANY_REACH) {
      if (is_down) result.looked_at.swap(looked_above);
      return;
    }
    result.looked_at.insert(result.looked_at.end(), looked_above.begin(), looked_above.end());
    if (result.outcome == ONE) prepare_reversal(is_down, result);
  }

 private:
  // A step of a V-path between two squares, in either direction, and the height of the second one, with its memory.
  struct Step {
    Index from, to;
    SquareState state;  // of the second one
    const Word* slot;
    Wide height;
  };
  static constexpr std::size_t AT_ONCE = 16;
  const Cells& cells;
  Index p = NONE, q = NONE, reach = ANY_REACH;
  Wide low = 0, high = 0;
  ReachedCells reached;
  std::size_t next_below = 0, next_above = 0;  // of the reached cells, those from here on are to be expanded
  std::size_t p_above = 0;                     // the place of p among those that reach q
  Index two_ways_at = NONE;                    // a square at which two V-paths from p to q divide or meet
  Index meeting = NONE;                        // the last square whose step to another connected p with q
  std::vector<Index> critical_above;           // critical squares that reach q
  std::vector<Step> steps;
  std::vector<Int32>* looked_below = nullptr;
  std::vector<Int32> looked_above;

  void start(std::vector<Int32>& looked_at) {
    reached.clear();
    next_below = next_above = 0;
    p_above = (std::size_t)-1;
    two_ways_at = NONE;
    looked_below = &looked_at;
    add(FROM_P, {p, high}, reached.find(p));
    cells.for_squares_at(q, [&](Index square) {
      const SquareState state = cells.state_of(square);
      if (state != OFF_PATHS) go_back({NONE, square, state, nullptr, cells.height(square)});
    });
  }
  std::size_t front_size() const { return reached.from_p.size() - next_below; }
  std::size_t back_size() const {
    const std::size_t end = reached.to_q.size();
    return end - next_above - (p_above >= next_above && p_above < end);
  }
  // Expands the smaller frontier, a few squares at once: all cells are read before what is found decides on
  // anything, so that the reads overlap.
  void expand() {
    const bool forward = front_size() <= back_size();
    const std::vector<ReachedCell>& squares = forward ? reached.from_p : reached.to_q;
    std::size_t& next = forward ? next_below : next_above;
    meeting = NONE;
    for (const std::size_t end = squares.size(); next < end;) {
      std::size_t n = 0;
      for (const std::size_t stop = std::min(end, next + AT_ONCE); next < stop; ++next) {
        const Index square = squares[next].cell;
        if (!forward && next == p_above) continue;
        const Index most = forward ? cells.most_steps(square) : cells.most_steps_to(square);
        if (n + (std::size_t)most >= steps.size()) steps.resize(2 * steps.size() + (std::size_t)most);
        Step* const all = steps.data();
        const auto offer = [&](Index to, SquareState state) {  // without branches, which would be mispredicted
          all[n].from = square, all[n].to = to, all[n].state = state;
          n += state != OFF_PATHS;
        };
        if (forward) cells.for_steps(square, offer);
        else cells.for_steps_to(square, offer);
      }
      Step* const first = steps.data();
      for (Step* step = first; step < first + n; ++step) step->slot = cells.slot_of_height(step->to);
      for (Step* step = first; step < first + n; ++step) step->height = cells.height_in(step->to, step->slot);
      if (forward)
        for (const Step* step = first; step < first + n; ++step) go_on(*step);
      else
        for (const Step* step = first; step < first + n; ++step) go_back(*step);
    }
  }
  void add(ReachedFrom end, ReachedCell square, ReachedCells::Found found) {
    reached.add(end, square, found);
    cells.prefetch(square.cell);
  }
  // Adds the square that a V-path continues with.
  void go_on(const Step& step) {
    const ReachedCells::Found found = reached.find(step.to);
    const int ends = found.ends;
    if (ends & FROM_P) {
      if (ends & TO_Q) two_ways_at = step.to;
      return;
    }
    look(cells, step.to, *looked_below);
    if (step.height < low) return;
    add(FROM_P, {step.to, step.height}, found);
    if (ends & TO_Q) note_meeting(step.from);
  }
  // Adds a square from which a V-path continues with another, or with q.
  void go_back(const Step& step) {
    const bool is_critical = step.to != p && step.state == IS_CRITICAL;
    const ReachedCells::Found found = reached.find(step.to);
    const int ends = found.ends;
    if (ends & TO_Q) {
      if (ends & FROM_P) two_ways_at = step.to;
      return;
    }
    look(cells, step.to, looked_above);
    if (is_critical) {
      if (step.height < high) critical_above.push_back(step.to);
      return;
    }
    if (step.height > high) return;
    if (step.to == p) p_above = reached.to_q.size();
    add(TO_Q, {step.to, step.height}, found);
    if (ends & FROM_P) note_meeting(step.from);
  }
  void note_meeting(Index square) {
    if (square != NONE && meeting == square) two_ways_at = square;
    meeting = square;
  }
  // Follows the V-paths from p to q within the squares that the completed search has reached.
  Outcome walk(bool is_down, SaddleSearchResult& result) const {
    bool divides = false;
    if (is_down) {
      if (!(reached.ends_of(p) & TO_Q)) return ABSENT;
      divides = walk_down(p, false, result.squares);
    } else {
      divides = walk_up(NONE, false, result.squares);
      if (result.squares.empty()) return ABSENT;
    }
    if (!divides) return ONE;
    if (reach == ANY_REACH) result.looked_at.clear();  // otherwise it could also give up if others change
    add_ways(result.squares, result);
    result.squares.clear();
    if (is_down) walk_down(p, true, result.squares);
    else walk_up(NONE, true, result.squares);
    add_ways(result.squares, result);
    result.squares.clear();
    return SEVERAL;
  }
  // Sets the ways of two V-paths through a square that divide there or before, or meet there or later.
  void set_ways_through(Index square, SaddleSearchResult& result) const {
    result.outcome = SEVERAL;
    result.looked_at.clear();
    for (const bool takes_last : {false, true}) {
      walk_up(square, takes_last, result.squares);
      walk_down(square, takes_last, result.squares);
      add_ways(result.squares, result);
      result.squares.clear();
    }
  }
  // Appends the squares of the first or the last path on from a square. Returns whether there are
  // others.
  bool walk_down(Index at, bool takes_last, std::vector<Index>& squares) const {
    bool divides = false;
    for (Index next = NONE; at != q; at = next) {
      squares.push_back(at);
      int n_ways = 0;
      cells.for_edges_of(at, [&](Index edge) {
        const Index onward = edge == q ? q : cells.square_of(edge);
        if (onward == NONE || onward == at || (onward != q && !(reached.ends_of(onward) & TO_Q))) return;
        if (n_ways++ == 0 || takes_last) next = onward;
      });
      divides |= n_ways > 1;
    }
    return divides;
  }
  // Sets the squares of the first or the last path from p to before a square, or to q, if there is one.
  bool walk_up(Index at, bool takes_last, std::vector<Index>& squares) const {
    bool divides = false;
    for (Index before = NONE; at != p; at = before) {
      int n_ways = 0;
      cells.for_squares_at(at == NONE ? q : cells.edge_of(at), [&](Index square) {
        if (square == at || !(reached.ends_of(square) & FROM_P)) return;
        if (n_ways++ == 0 || takes_last) before = square;
      });
      if (n_ways == 0) return false;
      divides |= n_ways > 1;
      squares.push_back(before);
    }
    std::reverse(squares.begin(), squares.end());
    return divides;
  }
  void add_ways(const std::vector<Index>& squares, SaddleSearchResult& result) const {
    for (std::size_t k = 0; k < squares.size(); ++k) {
      const bool is_last = k + 1 == squares.size();
      const Index next = is_last ? q : cells.edge_of(squares[k + 1]);
      if (k) look(cells, squares[k], result.looked_at);
      Byte way = 0;
      while (edge_on(cells, squares[k], way) != next) ++way;
      result.ways.push_back(is_last ? way | LAST_WAY : way);
    }
  }
  void prepare_reversal(bool is_down, SaddleSearchResult& result) {
    for (std::size_t k = 1; k < result.squares.size(); ++k) result.edges.push_back(cells.edge_of(result.squares[k]));
    result.edges.push_back(q);
    result.height = is_down ? high : low;
    if (is_down) {
      for (const ReachedCell& square : reached.to_q)
        if (square.height < high) result.moved.push_back(square.cell);
      result.moved.insert(result.moved.end(), critical_above.begin(), critical_above.end());
    } else {
      for (const ReachedCell& square : reached.from_p) {
        if (square.height > low) result.moved.push_back(square.cell);
        cells.for_edges_of(square.cell, [&](Index edge) {
          if (!cells.is_critical(edge)) return;
          look(cells, edge, result.looked_at);
          if (cells.height(edge) > low) result.moved.push_back(edge);
        });
      }
    }
    const auto change = [&](Index cell) { look(cells, cell, result.changed); };
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
