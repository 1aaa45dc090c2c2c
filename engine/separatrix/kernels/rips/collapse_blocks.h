// Edge collapse on a GPU: the waves of collapse.h, to the same bits, on a matrix of ranks.
//
// A wave takes two launches: first, one warp per edge computes its move; then one block decides
// which moves are valid, executes them, and queues the others. The state stays on the device, so
// many waves can be launched without synchronization.
// In: rank_of (n, n) symmetric, 0 on the diagonal, NO_RANK where there is no edge; ends (2 E,); order
// (E,). By slot of a wave: edge_of, target, length, by and until (COLLAPSE_CHAIN each), holds, and
// three rows (wave_size, 3, n). Lists of moved edges by their ends: head (n,) NONE, next (2 wave_size,).
#pragma once
#include "rips/collapse.h"

#if ON_GPU

enum { COLLAPSE_WARPS = 8, COMMIT_THREADS = 1024 };
constexpr Word WHOLE_WARP = 0xFFFFFFFFu;

// The common neighbors of the edge (u, v) by ascending vertices, shared by a warp; as DenseRanks::Link. Each has a place.
struct WarpLink {
  Int32 n, u, v, lane, size;
  const Word* rank_of;
  Int32* vertices;
  Word *arrival, *open;

  ITEM_MEMBER void begin() {
    const Word *to_u = rank_of + (Index)u * n, *to_v = rank_of + (Index)v * n;
    size = 0;
    for (Int32 first = 0; first < n; first += 32) {
      const Int32 x = first + lane;
      Word since = NO_RANK;
      if (x < n && x != u && x != v) since = to_u[x] > to_v[x] ? to_u[x] : to_v[x];
      const Word found = __ballot_sync(WHOLE_WARP, since != NO_RANK);
      const Int32 place = size + population(found & (bit(lane) - 1));
      if (since != NO_RANK) vertices[place] = x, arrival[place] = open[place] = since;
      size += population(found);
    }
    __syncwarp();
  }
  // The last candidate before `end`, NONE if there is none.
  ITEM_MEMBER Int32 last_open(Int32 end, Word now) const {
    for (Int32 first = end - 32; first > -32; first -= 32) {
      const Int32 place = first + lane;
      const Word found = __ballot_sync(WHOLE_WARP, place >= 0 && open[place] <= now);
      if (found) return first + 31 - __clz((int)found);
    }
    return NONE;
  }
  ITEM_MEMBER Int32 dominator(Word now, Word& until) {
    for (Int32 w = last_open(size, now); w != NONE; w = last_open(w, now)) {
      const Word* row = rank_of + (Index)vertices[w] * n;
      Wide farthest = 0;  // rank, then vertex
      Word first = NO_RANK;
      for (Int32 place = lane; place < size; place += 32) {
        const Int32 x = vertices[place];
        const Word at = arrival[place], to = row[x], since = at > now ? at : now;
        const Wide key = (Wide)to << 32 | (Word)x;
        if (at <= now && key > farthest) farthest = key;
        if (to > since && since < first) first = since;
      }
      for (int step = 16; step; step >>= 1) {
        const Wide other = __shfl_xor_sync(WHOLE_WARP, farthest, step);
        const Word sooner = __shfl_xor_sync(WHOLE_WARP, first, step);
        farthest = other > farthest ? other : farthest;
        first = sooner < first ? sooner : first;
      }
      if ((Word)(farthest >> 32) <= now) {
        until = first;
        return vertices[w];
      }
      const Word* seen = rank_of + (Index)(Word)farthest * n;
      for (Int32 place = lane; place < size; place += 32)
        open[place] = open[place] > seen[vertices[place]] ? open[place] : seen[vertices[place]];
      __syncwarp();
    }
    return NONE;
  }
};

ITEM Index collapse_wave_size(const Index* state, Index n_edges, Int32 wave_size) {
  const Index left = state[1] + n_edges - state[0];
  return left < wave_size ? left : wave_size;
}

extern "C" __global__ void __launch_bounds__(COLLAPSE_WARPS * 32) collapse_wave(
    Int32 n, const Word* rank_of, const Int32* ends, const Word* rank, const Int32* order, Index n_edges,
    const Index* state, Int32 wave_size, Word* rows, Int32* edge_of, Word* target, Int32* length, Int32* by,
    Word* until, Int32* head, Int32* next) {
  const Index slot = (Index)blockIdx.x * COLLAPSE_WARPS + threadIdx.x / 32;
  if (slot >= collapse_wave_size(state, n_edges, wave_size)) return;
  const Int32 lane = threadIdx.x % 32;
  const Int32 edge = slot < state[1] ? edge_of[slot] : order[state[0] + slot - state[1]];
  const Int32 u = ends[2 * (Index)edge], v = ends[2 * (Index)edge + 1];
  Word* const own = rows + slot * 3 * n;
  WarpLink link = {n, u, v, lane, 0, rank_of, (Int32*)own, own + n, own + 2 * n};
  link.begin();
  Word now = rank[edge];
  Int32 k = 0;
  while (k < COLLAPSE_CHAIN && now != NO_RANK) {
    Word end = NO_RANK;
    const Int32 w = link.dominator(now, end);
    if (w == NONE) break;
    now = end;
    if (lane == 0) by[slot * COLLAPSE_CHAIN + k] = w, until[slot * COLLAPSE_CHAIN + k] = end;
    ++k;
  }
  if (lane) return;
  edge_of[slot] = edge;
  target[slot] = now;
  length[slot] = k;
  if (k == 0) return;
  next[2 * slot] = atomicExch(head + u, (Int32)(2 * slot));
  next[2 * slot + 1] = atomicExch(head + v, (Int32)(2 * slot + 1));
}

// Whether a move leans on an edge that an earlier slot moves.
ITEM bool leans_on_moved(Int32 n, const Word* rank_of, const Int32* ends, Index slot, const Int32* edge_of,
                         const Int32* length, const Int32* by, const Word* until, const Int32* head,
                         const Int32* next) {
  const Int32* own = ends + 2 * (Index)edge_of[slot];
  for (Int32 k = 0; k < length[slot]; ++k)
    for (Int32 at = head[by[slot * COLLAPSE_CHAIN + k]]; at != NONE; at = next[at]) {
      if (at >> 1 >= slot) continue;
      const Int32 x = ends[2 * (Index)edge_of[at >> 1] + 1 - (at & 1)];
      if (x == own[0] || x == own[1]) return true;
      const Word to_u = rank_of[(Index)own[0] * n + x], to_v = rank_of[(Index)own[1] * n + x];
      if ((to_u > to_v ? to_u : to_v) < until[slot * COLLAPSE_CHAIN + k]) return true;
    }
  return false;
}

extern "C" __global__ void __launch_bounds__(COMMIT_THREADS) collapse_commit(
    Int32 n, Word* rank_of, const Int32* ends, Word* rank, Index n_edges, Index* state, Int32 wave_size,
    Int32* edge_of, const Word* target, const Int32* length, const Int32* by, const Word* until, Byte* holds,
    Int32* head, const Int32* next) {
  __shared__ Int32 in_warp[COMMIT_THREADS / 32], n_refused;
  const Index size = collapse_wave_size(state, n_edges, wave_size);
  if (size == 0) return;
  const Int32 thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  if (thread == 0) n_refused = 0;
  for (Index slot = thread; slot < size; slot += COMMIT_THREADS)
    holds[slot] = !leans_on_moved(n, rank_of, ends, slot, edge_of, length, by, until, head, next);
  __syncthreads();
  Index left = 0;
  for (Index first = 0; first < size; first += COMMIT_THREADS) {
    const Index slot = first + thread;
    const bool is_slot = slot < size;
    Int32 edge = 0;
    bool waits = false;
    if (is_slot) {
      edge = edge_of[slot];
      const Int32 u = ends[2 * (Index)edge], v = ends[2 * (Index)edge + 1];
      head[u] = head[v] = NONE;
      if (holds[slot] && length[slot])
        rank[edge] = rank_of[(Index)u * n + v] = rank_of[(Index)v * n + u] = target[slot];
      waits = !holds[slot] || (length[slot] == COLLAPSE_CHAIN && target[slot] != NO_RANK);
      if (!holds[slot]) atomicAdd(&n_refused, 1);
    }
    const Word waiting = __ballot_sync(WHOLE_WARP, waits);
    if (lane == 0) in_warp[warp] = population(waiting);
    __syncthreads();  // all slots of this turn are read: their places may be written
    Index before = left;
    for (Int32 other = 0; other < COMMIT_THREADS / 32; ++other) {
      before += other < warp ? in_warp[other] : 0;
      left += in_warp[other];
    }
    if (waits) edge_of[before + population(waiting & (bit(lane) - 1))] = edge;
    __syncthreads();
  }
  if (thread) return;
  state[0] += size - state[1];
  state[1] = left;
  state[2] += 1;
  state[3] += size;
  state[4] += n_refused;
}
#endif
