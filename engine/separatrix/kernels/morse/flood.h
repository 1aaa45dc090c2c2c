// Simplification of an order of vertices: floods in both directions remove all extrema except chosen ones.
//
// An upward flood starts at the chosen minima and always visits the lowest adjacent vertex next. If each vertex
// takes the highest value visited so far, the order of visits has no other minima, because their basins are filled.
// It differs from the given order only within these basins, so the given order is scanned, and a heap contains the
// vertices that the scan has passed. Chosen maxima wait for all of their neighbors and remain maxima. A downward
// flood from the chosen maxima and the boundary removes the other maxima in the same way. A flood that reverses
// part of an order may create extrema of equal values, so floods alternate, two to four times, until none remain.
// Tierny, Pascucci 2012; Barnes, Lehman, Mulla 2014 (priority flood).
#pragma once
#include "common/types.h"

#if !ON_GPU
  #include "common/host_stop.h"

  #include <functional>
  #include <queue>
  #include <vector>

enum Role { KEPT_MINIMUM = 1, KEPT_MAXIMUM = 2, ON_BOUNDARY = 4, AT_RIM = 8, IS_ABSENT = 16, NEAR_KEPT = 32, IS_VISITED = 64, IS_PASSED = 128 };

// `Neighbors` asks for those by an edge, any_edge(v, rim, f), and for those in common cells, any_around(v, rim, f),
// whether f is true: a vertex without a lower one of the former is a minimum, an inner one without a higher one of
// the latter is a maximum. `at` (n,): vertices in ascending order; `source` (n,): each vertex, then the one whose value it takes.
template <class Neighbors> class Flood {
public:
  Flood(Neighbors neighbors, Byte* role, Anchor* at, Anchor* source, Index n)
      : near(neighbors), role(role), at(at), source(source), n((Anchor)n), rank((size_t)n), order((size_t)n),
        front((size_t)n) {}

  // Returns the number of floods.
  Index run() {
    for (Anchor i = 0; i < n; ++i) {
      rank[at[i]] = i;
      source[i] = i;
    }
    Index n_floods = 0;
    bool upward = true;
    for (int n_clean = 0; n_clean < 2; upward = !upward) {
      if (upward ? !has_other<true>() : !has_other<false>()) {
        ++n_clean;
        continue;
      }
      if (upward) flood<true>();
      else flood<false>();
      ++n_floods;
      n_clean = 1;
    }
    return n_floods;
  }

private:
  Neighbors near;
  Byte* role;
  Anchor *at, *source, n;
  std::vector<Anchor> rank, order, front;
  std::priority_queue<Anchor, std::vector<Anchor>, std::greater<Anchor>> behind;

  template <bool UP, class Function> bool any_beside(Anchor v, Function f) const {
    return UP ? near.any_edge(v, role[v] & AT_RIM, f) : near.any_around(v, role[v] & AT_RIM, f);
  }
  template <bool UP, class Function> void beside(Anchor v, Function f) const {
    any_beside<UP>(v, [&](Anchor w) { return f(w), false; });
  }
  template <bool UP> static constexpr int kept() { return UP ? KEPT_MINIMUM : KEPT_MAXIMUM; }
  template <bool UP> static constexpr int sources() { return UP ? KEPT_MINIMUM : KEPT_MAXIMUM | ON_BOUNDARY; }
  template <bool UP> Anchor key(Anchor v) const { return UP ? rank[v] : n - 1 - rank[v]; }
  template <bool UP> Anchor vertex(Anchor key) const { return UP ? at[key] : at[n - 1 - key]; }

  // Whether there is an extremum that was not chosen.
  template <bool UP> bool has_other() {
    for (Anchor v = 0; v < n; ++v) {
      throw_if_canceled_at(v);
      if (role[v] & (sources<UP>() | IS_ABSENT)) continue;
      const Anchor own = rank[v];
      if (!any_beside<UP>(v, [&](Anchor w) { return UP ? rank[w] < own : rank[w] > own; })) return true;
    }
    return false;
  }
  template <bool UP> bool must_wait(Anchor v) {
    return role[v] & kept<!UP>() && any_beside<!UP>(v, [&](Anchor w) { return !(role[w] & IS_VISITED); });
  }
  template <bool UP> bool is_reached(Anchor v) {
    return role[v] & (sources<UP>() | IS_ABSENT) || any_beside<UP>(v, [&](Anchor w) { return role[w] & IS_VISITED; });
  }
  // Adds a vertex that the scan has passed to the heap.
  template <bool UP> void put_behind(Anchor v) {
    if (!(role[v] & IS_PASSED)) return;
    role[v] &= (Byte)~IS_PASSED;
    behind.push(key<UP>(v));
  }
  // Visits a vertex, which takes the value of the vertex that is scanned.
  template <bool UP> void visit(Anchor v, Anchor scanned, Anchor& n_visited) {
    role[v] = (Byte)((role[v] | IS_VISITED) & ~IS_PASSED);
    order[n_visited++] = v;
    front[v] = scanned;
    if (role[v] & IS_ABSENT) return;
    beside<UP>(v, [&](Anchor w) { put_behind<UP>(w); });
    if (role[v] & NEAR_KEPT)
      beside<!UP>(v, [&](Anchor w) {
        if (role[w] & kept<!UP>()) put_behind<UP>(w);
      });
  }
  template <bool UP> void scan(Anchor& n_visited) {
    for (Anchor k = 0; k < n; ++k) {
      throw_if_canceled_at(k);
      const Anchor v = vertex<UP>(k);
      if (role[v] & IS_VISITED) continue;
      if (!is_reached<UP>(v) || must_wait<UP>(v)) {
        role[v] |= IS_PASSED;
        continue;
      }
      visit<UP>(v, v, n_visited);
      while (!behind.empty()) {
        const Anchor u = vertex<UP>(behind.top());
        behind.pop();
        if (must_wait<UP>(u)) role[u] |= IS_PASSED;
        else visit<UP>(u, v, n_visited);
      }
    }
  }
  // Chooses the lowest vertex (upward) of each piece that was not visited, and resets all visits. A piece is a
  // component without a chosen vertex or, on a line, a part that is cut off by waiting vertices.
  template <bool UP> void keep_one_each() {
    std::vector<bool> is_joined((size_t)n);
    std::vector<Anchor> way;
    for (Anchor k = 0; k < n; ++k) {
      throw_if_canceled_at(k);
      const Anchor lowest = vertex<UP>(k);
      if (role[lowest] & IS_VISITED || is_joined[(size_t)lowest] || must_wait<UP>(lowest)) continue;
      role[lowest] |= kept<UP>();
      is_joined[(size_t)lowest] = true;
      for (way.push_back(lowest); !way.empty();) {
        const Anchor v = way.back();
        way.pop_back();
        beside<UP>(v, [&](Anchor w) {
          if (is_joined[(size_t)w] || role[w] & IS_VISITED || must_wait<UP>(w)) return;
          is_joined[(size_t)w] = true;
          way.push_back(w);
        });
      }
    }
    for (Anchor v = 0; v < n; ++v) role[v] &= (Byte)~(IS_VISITED | IS_PASSED);
  }
  template <bool UP> void flood() {
    for (Anchor v = 0; v < n; ++v)
      if (role[v] & kept<!UP>()) beside<!UP>(v, [&](Anchor w) { role[w] |= NEAR_KEPT; });
    Anchor n_visited = 0;
    for (; scan<UP>(n_visited), n_visited < n; n_visited = 0) keep_one_each<UP>();
    for (Anchor i = 0; i < n; ++i) {
      if (front[i] != i) source[i] = source[front[i]];  // those in front take their own
      at[i] = UP ? order[i] : order[n - 1 - i];
    }
    for (Anchor i = 0; i < n; ++i) {
      rank[at[i]] = i;
      role[i] &= (Byte)~(IS_VISITED | NEAR_KEPT);
    }
  }
};
#endif
