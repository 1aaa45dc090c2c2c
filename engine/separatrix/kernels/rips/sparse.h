// Sparse Rips filtration: greedy permutation, and the edges that balls which stop growing still make.
//
// Each next point of a greedy permutation is the one farthest from all before it, by its insertion
// radius (Gonzalez 1985); ties go to the lower index. The ball of a point grows with the scale until it
// is `reach` = (1 + epsilon) / epsilon times the insertion radius large, and stays so; an edge comes when its
// balls touch (Cavanna, Jahanseir, Sheehy 2015, section 4). On the scale of diameters: at the distance d,
// if that is at most twice the smaller last radius r, else at 2 (d - r), else never.
#pragma once
#include "common/types.h"

#if ON_GPU
enum { SPARSE_RUN = 1 };
#else
#include <cmath>
#include <vector>
enum { SPARSE_RUN = 128 };  // columns of a row whose distances a CPU computes at once
#endif

enum { GREEDY_RUN = 512 };
constexpr Real LARGEST_TIME = 1.7976931348623157e308, NO_TIME = -1;

// `larger` and `smaller`: the last radii of the two balls.
ITEM Real sparse_time(Real d, Real larger, Real smaller) {
  if (d <= 2 * smaller) return d;
  if (d > larger + smaller) return NO_TIME;
  const Real time = 2 * (d - smaller);
  return time > d ? time : d;
}

// The edges from point j of the permutation to earlier ones up to a threshold: counted, and written from
// `at` on where `ends` is not null. coordinates (d, n) and last radii (n,), falling, in its order.
ITEM Index sparse_row(const Real* coordinates, Index n, Int32 d, const Real* last, const Int32* order, Real threshold,
                      Index j, Index at, Int32* ends, Real* values) {
  Index count = 0;
  Real distance[SPARSE_RUN];
  for (Index first = 0; first < j; first += SPARSE_RUN) {
    const Index size = j - first < SPARSE_RUN ? j - first : SPARSE_RUN;
    for (Index k = 0; k < size; ++k) distance[k] = 0;
    for (Int32 axis = 0; axis < d; ++axis) {
      const Real *x = coordinates + axis * n + first, here = coordinates[axis * n + j];
      for (Index k = 0; k < size; ++k) distance[k] += (x[k] - here) * (x[k] - here);
    }
    for (Index k = 0; k < size; ++k) {
      const Real time = sparse_time(sqrt(distance[k]), last[first + k], last[j]);
      if (!(time >= 0 && time <= threshold && time <= LARGEST_TIME)) continue;
      if (ends) {
        const Int32 u = order[first + k], v = order[j];
        ends[2 * (at + count)] = u < v ? u : v;
        ends[2 * (at + count) + 1] = u < v ? v : u;
        values[at + count] = time;
      }
      ++count;
    }
  }
  return count;
}

ROW_KERNEL(rips_sparse_count, (const Real* coordinates, Index n, Int32 d, const Real* last, const Int32* order,
                               Real threshold, Index* counts),
           counts[i] = sparse_row(coordinates, n, d, last, order, threshold, i, 0, 0, 0))
ROW_KERNEL(rips_sparse_edges, (const Real* coordinates, Index n, Int32 d, const Real* last, const Int32* order,
                               Real threshold, const Index* offsets, Int32* ends, Real* values),
           sparse_row(coordinates, n, d, last, order, threshold, i, offsets[i], ends, values))

#if !ON_GPU
// Greedy permutation from `first` on. `row_of(p, begin, end, out)` gives the distances of p to a run of
// points, or their squares. radius (n,): of each point's insertion, by that distance; infinite first.
template <class RowOf> Index greedy_order(Index n, Index first, Int32* order, Real* radius, RowOf row_of) {
  typedef Real Lanes __attribute__((vector_size(64)));
  enum { LANES = 8 };
  const Index n_runs = (n + GREEDY_RUN - 1) / GREEDY_RUN;
  std::vector<Real> nearest((size_t)(n_runs * GREEDY_RUN), HUGE_VAL);
  for (Index k = n; k < n_runs * GREEDY_RUN; ++k) nearest[k] = -1;
  Index point = first;
  for (Index step = 0; step < n; ++step) {
    throw_if_canceled();
    order[step] = (Int32)point;
    radius[step] = nearest[point];
    nearest[point] = -1;
    Real best = -1;
    Index best_run = 0;
    for (Index run = 0; run < n_runs; ++run) {
      Real distance[GREEDY_RUN] = {};
      const Index begin = run * GREEDY_RUN, end = begin + GREEDY_RUN < n ? begin + GREEDY_RUN : n;
      row_of(point, begin, end, distance);
      Lanes most = Lanes{} - 1;
      for (Index k = 0; k < GREEDY_RUN; k += LANES) {
        Lanes here, to_point;
        __builtin_memcpy(&here, &nearest[begin + k], sizeof here);
        __builtin_memcpy(&to_point, distance + k, sizeof here);
        here = to_point < here ? to_point : here;
        __builtin_memcpy(&nearest[begin + k], &here, sizeof here);
        most = here > most ? here : most;
      }
      Real farthest = -1;
      for (int k = 0; k < LANES; ++k) farthest = most[k] > farthest ? most[k] : farthest;
      if (farthest > best) best = farthest, best_run = run;
    }
    point = best_run * GREEDY_RUN;
    if (step + 1 < n)
      while (nearest[point] != best) ++point;
  }
  return n;
}

inline Index greedy_by_points(const Real* coordinates, Index n, Int32 d, Index first, Int32* order, Real* radius) {
  return greedy_order(n, first, order, radius, [=](Index p, Index begin, Index end, Real* out) {
    for (Int32 axis = 0; axis < d; ++axis) {
      const Real *x = coordinates + axis * n, at = x[p];
      for (Index k = begin; k < end; ++k) out[k - begin] += (x[k] - at) * (x[k] - at);
    }
  });
}
inline Index greedy_by_matrix(const Real* matrix, Index n, Index first, Int32* order, Real* radius) {
  return greedy_order(n, first, order, radius, [=](Index p, Index begin, Index end, Real* out) {
    for (Index k = begin; k < end; ++k) out[k - begin] = matrix[p * n + k];
  });
}
#endif

HOST_TASK(greedy_points, (const Real* coordinates, Index n, Int32 d, Index first, Int32* order, Real* squared_radius),
          greedy_by_points(coordinates, n, d, first, order, squared_radius))
HOST_TASK(greedy_matrix, (const Real* matrix, Index n, Index first, Int32* order, Real* radius),
          greedy_by_matrix(matrix, n, first, order, radius))
