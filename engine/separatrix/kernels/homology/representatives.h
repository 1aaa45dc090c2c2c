// Cycles of pairs of a filtration whose tetrahedra are embedded in space: loops of edges, shells of triangles.
//
// A loop ends with a triangle: it is the column of this triangle in the reduced boundary matrix over Z/2, so it consists of
// edges up to the one that creates it, and the triangle fills it. Only columns that the reduction adds are computed; which
// they are follows from the pairs. A shell ends with a tetrahedron, the last of a region that is filled: the tetrahedra
// connected to it by triangles after the one that creates the shell. The shell is the boundary of this region.
// Edelsbrunner, Letscher, Zomorodian 2002; Delfinado, Edelsbrunner 1995.
//
// In: places of faces in the filtration; offsets[0] = 0. Out: offsets (n + 1,) and rows of faces, ascending per cycle, as
// far as they fit; the tasks return the number of all.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <queue>
#include <unordered_map>
#include <vector>

struct Cycles {
  Index* offsets;
  Int32* rows;
  Index room, n;

  void add(Index cycle, std::vector<Int32>& own) {
    std::sort(own.begin(), own.end());
    for (size_t k = 0; k < own.size() && n + (Index)k < room; ++k) rows[n + k] = own[k];
    n += (Index)own.size();
    offsets[cycle + 1] = n;
  }
};

// A column as places, of which those that occur an even number of times vanish.
struct LatestFirst {
  std::priority_queue<Int32> places;

  // Removes the last place, or returns NONE.
  Int32 pop() {
    while (!places.empty()) {
      const Int32 place = places.top();
      bool is_odd = false;
      for (; !places.empty() && places.top() == place; places.pop()) is_odd = !is_odd;
      if (is_odd) return place;
    }
    return NONE;
  }
};
// Reduced columns of triangles, as places of edges, the last one first.
class Loops {
public:
  Loops(const Int32* edges_of, const Int32* place_of, const Int32* order, const Int32* killer_of)
      : edges_of(edges_of), place_of(place_of), order(order), killer_of(killer_of) {}

  const std::vector<Int32>& column(Int32 triangle) {
    std::vector<Work> stack;
    if (!known.count(triangle)) stack.push_back(begun(triangle));
    for (Index step = 0; !stack.empty(); ++step) {
      throw_if_canceled_at(step);
      LatestFirst& left = stack.back().left;
      const Int32 last = left.pop();
      if (last == NONE) {  // not the killer of a loop
        known[stack.back().triangle];
        stack.pop_back();
        continue;
      }
      const Int32 owner = killer_of[order[last]];
      const auto found = known.find(owner);
      if (owner == stack.back().triangle || owner == NONE) {
        std::vector<Int32>& own = known[stack.back().triangle];
        for (Int32 place = last; place != NONE; place = left.pop()) own.push_back(place);
        stack.pop_back();
      } else if (found != known.end()) {
        for (size_t k = 1; k < found->second.size(); ++k) left.places.push(found->second[k]);
      } else {
        left.places.push(last);
        stack.push_back(begun(owner));
      }
    }
    return known[triangle];
  }

private:
  struct Work {
    Int32 triangle;
    LatestFirst left;
  };
  Work begun(Int32 triangle) const {
    Work work = {triangle, {}};
    for (int k = 0; k < 3; ++k) work.left.places.push(place_of[edges_of[3 * (Index)triangle + k]]);
    return work;
  }

  const Int32 *edges_of, *place_of, *order, *killer_of;
  std::unordered_map<Int32, std::vector<Int32>> known;
};
inline Index gather_loops_of(const Int32* edges_of, const Int32* place_of, const Int32* order, const Int32* killer_of,
                             const Int32* triangles, Index n, Cycles found) {
  Loops loops(edges_of, place_of, order, killer_of);
  std::vector<Int32> loop;
  for (Index i = 0; i < n; ++i) {
    loop.clear();
    for (const Int32 place : loops.column(triangles[i])) loop.push_back(order[place]);
    found.add(i, loop);
  }
  return found.n;
}
// cofaces (n_triangles, 2), NONE outside.
inline Index gather_shells_of(const Int32* triangles_of, const Int32* cofaces, const Int32* place_of, Index n_tets,
                              const Int32* births, const Int32* tets, Index n, Cycles found) {
  std::vector<Int32> region_of((size_t)n_tets, NONE), region, shell;
  for (Index i = 0; i < n; ++i) {
    const Int32 birth = place_of[births[i]];
    region.assign(1, tets[i]);
    region_of[tets[i]] = (Int32)i;
    for (size_t next = 0; next < region.size(); ++next) {
      throw_if_canceled_at((Index)next);
      for (int k = 0; k < 4; ++k) {
        const Int32 triangle = triangles_of[4 * (Index)region[next] + k];
        const Int32* pair = cofaces + 2 * (Index)triangle;
        const Int32 other = pair[pair[0] == region[next]];
        if (place_of[triangle] <= birth || other == NONE || region_of[other] == (Int32)i) continue;
        region_of[other] = (Int32)i;
        region.push_back(other);
      }
    }
    shell.clear();
    for (const Int32 tet : region)
      for (int k = 0; k < 4; ++k) {
        const Int32 triangle = triangles_of[4 * (Index)tet + k];
        const Int32* pair = cofaces + 2 * (Index)triangle;
        const Int32 other = pair[pair[0] == tet];
        if (other == NONE || region_of[other] != (Int32)i) shell.push_back(triangle);
      }
    found.add(i, shell);
  }
  return found.n;
}
#endif

HOST_TASK(gather_loops, (const Int32* edges_of, const Int32* place_of, const Int32* order, const Int32* killer_of,
                         const Int32* triangles, Index n, Index* offsets, Int32* rows, Index room),
          gather_loops_of(edges_of, place_of, order, killer_of, triangles, n, {offsets, rows, room, 0}))
HOST_TASK(gather_shells, (const Int32* triangles_of, const Int32* cofaces, const Int32* place_of, Index n_tets,
                          const Int32* births, const Int32* tets, Index n, Index* offsets, Int32* rows, Index room),
          gather_shells_of(triangles_of, cofaces, place_of, n_tets, births, tets, n, {offsets, rows, room, 0}))
