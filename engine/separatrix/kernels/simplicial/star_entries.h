// The lower stars of a mesh, one after another: every simplex is an entry (lower_star.h) in the
// star of its highest vertex. Counted, scanned, filled; then each star is paired independently.
//
// In, all in mesh order: rank (n,) of each vertex by (value, user's point id);
// edge_lower, edge_upper (E,), triangle_begin (E + 1,), triangle_third (F,), tets (T, 4) ascending.
// Rows of counts and offsets: edges of vertex v at v, triangles at n + v, tetrahedra at 2n + v. The
// order inside a row is that of the atomics until the pairing sorts it, so no result depends on it.
#pragma once
#include "simplicial/lower_star.h"

// === the highest vertex
ITEM Int32 higher_of(Int32 a, Int32 b, const Int32* rank) { return rank[a] > rank[b] ? a : b; }

// The corners of a simplex, descending by rank; each as rank << 2 | its place in mesh order.
struct Corners {
  Wide of[4];
  int n;
  ITEM_MEMBER Int32 rank(int k) const { return (Int32)(of[k] >> 2); }
  ITEM_MEMBER int place(int k) const { return (int)(of[k] & 3); }
};
ITEM void exchange_if_above(Wide& first, Wide& second) {
  const Wide greater = first > second ? first : second, less = first > second ? second : first;
  first = greater, second = less;
}
ITEM Corners corners_of_triangle(Int32 a, Int32 b, Int32 c, const Int32* rank) {
  Corners corners = {{(Wide)rank[a] << 2, (Wide)rank[b] << 2 | 1, (Wide)rank[c] << 2 | 2, 0}, 3};
  exchange_if_above(corners.of[0], corners.of[1]);
  exchange_if_above(corners.of[1], corners.of[2]);
  exchange_if_above(corners.of[0], corners.of[1]);
  return corners;
}
ITEM Corners corners_of_tet(const Int32* tet, const Int32* rank) {
  Corners corners = {{(Wide)rank[tet[0]] << 2, (Wide)rank[tet[1]] << 2 | 1, (Wide)rank[tet[2]] << 2 | 2,
                      (Wide)rank[tet[3]] << 2 | 3}, 4};
  exchange_if_above(corners.of[0], corners.of[1]);
  exchange_if_above(corners.of[2], corners.of[3]);
  exchange_if_above(corners.of[0], corners.of[2]);
  exchange_if_above(corners.of[1], corners.of[3]);
  exchange_if_above(corners.of[1], corners.of[2]);
  return corners;
}

// === counts
ITEM void count_at_edge(Int32 n, Index e, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper,
                        const Int32* triangle_begin, const Int32* triangle_third, Index* count) {
  const Int32 owner = higher_of(edge_lower[e], edge_upper[e], rank), own_rank = rank[owner];
  Index n_own = 0;
  for (Int32 t = triangle_begin[e]; t < triangle_begin[e + 1]; ++t) {
    const Int32 third = triangle_third[t];
    if (rank[third] < own_rank) ++n_own;
    else add_to(count + n + third, 1);
  }
  add_to(count + owner, 1);
  if (n_own) add_to(count + n + owner, n_own);
}
KERNEL(count_lower_edges, (Int32 n, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third, Index* count),
       count_at_edge(n, i, rank, edge_lower, edge_upper, triangle_begin, triangle_third, count))

ITEM Int32 highest_of_tet(const Int32* tet, const Int32* rank) {
  return higher_of(higher_of(tet[0], tet[1], rank), higher_of(tet[2], tet[3], rank), rank);
}
KERNEL(count_lower_tets, (Int32 n, const Int32* rank, const Int32* tets, Index* count),
       add_to(count + 2 * (Index)n + highest_of_tet(tets + 4 * i, rank), 1))

// === entries. `at` (3n,) starts as the offsets and is modified; a star too large for bytes gets its
// simplices without their numbers.
ITEM void enter_edge(Index e, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper,
                    Index* at, Wide* entries) {
  const Int32 a = edge_lower[e], b = edge_upper[e];
  const bool a_is_lower = rank[a] < rank[b];
  const Int32 v = a_is_lower ? b : a, x = a_is_lower ? a : b;
  entries[add_to(at + v, 1)] = (Wide)rank[x] << 33 | (Wide)a_is_lower << 32 | (Wide)e;
}
KERNEL(fill_lower_edges, (const Int32* rank, const Int32* edge_lower, const Int32* edge_upper, Index* at, Wide* entries),
       enter_edge(i, rank, edge_lower, edge_upper, at, entries))

ITEM void sort_small_row(Wide* row, Index n) {
  if (n > SMALL_STAR_EDGES) return;
  for (Index j = 1; j < n; ++j) {
    const Wide entry = row[j];
    Index k = j;
    for (; k > 0 && row[k - 1] > entry; --k) row[k] = row[k - 1];
    row[k] = entry;
  }
}
KERNEL(sort_lower_edges, (const Index* offsets, Wide* entries),
       sort_small_row(entries + offsets[i], offsets[i + 1] - offsets[i]))

// Number of the lower neighbor of this rank; the sorted row contains it.
ITEM int number_of(Int32 rank, const Wide* row, int n) {
  int first = 0;
  for (int step = n; step > 1;) {
    const int half = step / 2;
    first += (Int32)(row[first + half] >> 33) <= rank ? half : 0;
    step -= half;
  }
  return first;
}
ITEM Wide entry_of(const Corners& corners, Int32 simplex, const Wide* row, Index n) {
  Wide entry = (Wide)simplex;
  if (n > SMALL_STAR_EDGES) return entry;
  UNROLL for (int k = 1; k < 4; ++k)
    if (k < corners.n)
      entry |= (Wide)number_of(corners.rank(k), row, (int)n) << (64 - 8 * k) | with_corner(corners.place(k), k);
  return entry;
}
ITEM void enter_triangles_of(Int32 n, Index e, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper,
                            const Int32* triangle_begin, const Int32* triangle_third, const Index* offsets,
                            Index* at, Wide* entries) {
  const Int32 a = edge_lower[e], b = edge_upper[e];
  for (Int32 t = triangle_begin[e]; t < triangle_begin[e + 1]; ++t) {
    const Int32 c = triangle_third[t];
    const Corners corners = corners_of_triangle(a, b, c, rank);
    const Int32 v = corners.place(0) == 0 ? a : corners.place(0) == 1 ? b : c;
    const Index begin = offsets[v], n_edges = offsets[v + 1] - begin;
    entries[add_to(at + n + v, 1)] = entry_of(corners, t, entries + begin, n_edges);
  }
}
KERNEL(fill_lower_triangles, (Int32 n, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third, const Index* offsets, Index* at, Wide* entries),
       enter_triangles_of(n, i, rank, edge_lower, edge_upper, triangle_begin, triangle_third, offsets, at, entries))

ITEM void enter_tet(Int32 n, Index t, const Int32* rank, const Int32* tets, const Index* offsets, Index* at,
                   Wide* entries) {
  const Corners corners = corners_of_tet(tets + 4 * t, rank);
  const Int32 v = tets[4 * t + corners.place(0)];
  const Index begin = offsets[v], n_edges = offsets[v + 1] - begin;
  entries[add_to(at + 2 * (Index)n + v, 1)] = entry_of(corners, (Int32)t, entries + begin, n_edges);
}
KERNEL(fill_lower_tets, (Int32 n, const Int32* rank, const Int32* tets, const Index* offsets, Index* at, Wide* entries),
       enter_tet(n, i, rank, tets, offsets, at, entries))

// === pairing
struct StarRows {
  Index edges, triangles, tets, n_edges, n_triangles, n_tets;
  ITEM_MEMBER bool is_small() const {
    return n_edges <= SMALL_STAR_EDGES && n_triangles <= SMALL_STAR_TRIANGLES && n_tets <= SMALL_STAR_TETS;
  }
  ITEM_MEMBER Index n() const { return n_edges + n_triangles + n_tets; }
};
ITEM StarRows rows_of_star(Int32 n, Int32 v, const Index* offsets) {
  const Index e = offsets[v], f = offsets[(Index)n + v], t = offsets[2 * (Index)n + v];
  return {e, f, t, offsets[v + 1] - e, offsets[(Index)n + v + 1] - f, offsets[2 * (Index)n + v + 1] - t};
}
// Out: codes of the star's simplices, that of v by dimension 0; v among `large`, if it is to be
// paired by large_stars.h.
ITEM void pair_star_of(Int32 n, Int32 v, const Index* offsets, const Wide* entries, const Byte* is_used,
                       Byte* vertex_codes, SimplexCodes codes, Int32* large, Index* n_large) {
  const StarRows rows = rows_of_star(n, v, offsets);
  vertex_codes[v] = rows.n_edges ? PAIRED_UP : is_used[v] ? CRITICAL_SIMPLEX : ABSENT_SIMPLEX;
  if (!rows.is_small()) {
    large[add_to(n_large, 1)] = v;
    return;
  }
  const StarEntries star = {entries + rows.edges, entries + rows.triangles, entries + rows.tets,
                            (int)rows.n_edges, (int)rows.n_triangles, (int)rows.n_tets};
  pair_small_star(star, codes);
}

#if ON_GPU

// A block takes a run of vertices and pairs their stars in order of size, largest first: the lanes
// of a warp do equal work, and read adjacent memory.
enum { MESH_STAR_THREADS = 128, MESH_STAR_BLOCKS = 6, MESH_STAR_RUN = 512, MESH_STAR_SIZES = 128 };

extern "C" __global__ void __launch_bounds__(MESH_STAR_THREADS, MESH_STAR_BLOCKS) pair_stars_of_mesh(
    Int32 n, const Index* offsets, const Wide* entries, const Byte* is_used, Byte* vertex_codes, Byte* edge_codes, Byte* triangle_codes, Byte* tet_codes, Int32* large, Index* n_large) {
  __shared__ unsigned short by_size[MESH_STAR_RUN];
  __shared__ Int32 n_of_size[MESH_STAR_SIZES];
  const Int32 thread = threadIdx.x, first = blockIdx.x * MESH_STAR_RUN;
  const Int32 n_held = n - first < MESH_STAR_RUN ? n - first : MESH_STAR_RUN;
  const SimplexCodes codes = {edge_codes, triangle_codes, tet_codes};
  for (Int32 s = thread; s < MESH_STAR_SIZES; s += MESH_STAR_THREADS) n_of_size[s] = 0;
  __syncthreads();
  enum { STARS_OF_THREAD = MESH_STAR_RUN / MESH_STAR_THREADS };
  Int32 size[STARS_OF_THREAD], place[STARS_OF_THREAD];
  UNROLL for (int k = 0; k < STARS_OF_THREAD; ++k) {
    const Int32 at = thread + k * MESH_STAR_THREADS;
    size[k] = -1;
    if (at < n_held) {
      const Index cells = rows_of_star(n, first + at, offsets).n();
      size[k] = MESH_STAR_SIZES - 1 - (Int32)(cells < MESH_STAR_SIZES ? cells : MESH_STAR_SIZES - 1);
      place[k] = atomicAdd(&n_of_size[size[k]], 1);
    }
  }
  __syncthreads();
  if (thread == 0) {
    Int32 sum = 0;
    for (int s = 0; s < MESH_STAR_SIZES; ++s) {
      const Int32 of_size = n_of_size[s];
      n_of_size[s] = sum;
      sum += of_size;
    }
  }
  __syncthreads();
  UNROLL for (int k = 0; k < STARS_OF_THREAD; ++k)
    if (size[k] >= 0) by_size[n_of_size[size[k]] + place[k]] = (unsigned short)(thread + k * MESH_STAR_THREADS);
  __syncthreads();
  for (Int32 at = thread; at < n_held; at += MESH_STAR_THREADS)
    pair_star_of(n, first + by_size[at], offsets, entries, is_used, vertex_codes, codes, large, n_large);
}

#else

ITEM void pair_with_codes(Int32 n, Int32 v, const Index* offsets, const Wide* entries, const Byte* is_used,
                          Byte* vertex_codes, Byte* edge_codes, Byte* triangle_codes, Byte* tet_codes,
                          Int32* large, Index* n_large) {
  pair_star_of(n, v, offsets, entries, is_used, vertex_codes, {edge_codes, triangle_codes, tet_codes}, large, n_large);
}
ROW_KERNEL(pair_stars_of_mesh, (Int32 n, const Index* offsets, const Wide* entries, const Byte* is_used, Byte* vertex_codes, Byte* edge_codes, Byte* triangle_codes, Byte* tet_codes, Int32* large, Index* n_large),
           pair_with_codes(n, (Int32)i, offsets, entries, is_used, vertex_codes, edge_codes, triangle_codes, tet_codes, large, n_large))

#endif
