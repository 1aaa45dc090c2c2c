// One long column of a reduction over Z/2, in waves: all entries that have a pivot column are eliminated at once.
//
// An entry t of the coboundary of V is eliminated by its apparent facet, or by the V of a column further left whose
// pivot it is. Both have entries younger than t only, so not only the oldest entry may be eliminated: each wave adds
// what eliminates all entries, in any order. V may be any set of columns further left, and the pair is unique.
//
// Entries of ranks from `low` to `bound` are in a table: a key, its rank, and flags. No entry below `low` is left. A
// launch emits the cofacets of the given V, then runs waves until all entries that are left are open, that is, have no
// pivot column. The oldest open entry is the pivot. If no entry is left, the caller raises both bounds.
// In: ranks (n, stride), as in fate.h; pivots (n_pivots,) ascending with their columns, and the terms of these.
// In and out: the chain V, of which state[WAVE_TERMS] terms are given; by term, the vertex without which its simplex
// was an entry, or NONE, and the rank of the entry that it eliminated. state: see WaveState.
#pragma once
#include "common/hash_set.h"
#include "common/search.h"
#include "common/team_kernel.h"
#include "rips/fate.h"

enum { WAVE_THREADS = 256, WAVE_PRESENT = 1, WAVE_LISTED = 2, WAVE_OPEN = 4 };
// Terms of V, more than the chain has room for if it is too short. Whether the table is full. Lengths of both lists.
// Rank and negative key of the pivot, which the caller sets to the largest number. Waves.
enum WaveState { WAVE_TERMS, WAVE_FULL, WAVE_ENTRIES, WAVE_NEXT_ENTRIES, WAVE_RANK, WAVE_PIVOT, WAVE_COUNT };

#if ON_GPU
ITEM Word flip_bits(Word* word, Word bits) { return atomicXor(word, bits); }
ITEM Word set_bits(Word* word, Word bits) { return atomicOr(word, bits); }
#else
ITEM Word flip_bits(Word* word, Word bits) { return *word ^= bits, *word ^ bits; }
ITEM Word set_bits(Word* word, Word bits) {
  const Word before = *word;
  return *word |= bits, before;
}
#endif

// The lanes look for the largest v in (above, from] that rows reach within L, as in warps.h.
template <class Rank> struct RipsTeamMatrix : RipsMatrix<Rank> {
  ITEM_MEMBER Int32 highest(const Int32* s, int d, int without, Rank L, Int32 from, Int32 above) const {
    for (Int32 end = from; end > above; end -= LANES) {
      const Int32 v = end - lane();
      bool reached = v > above;
      for (int i = 0; i <= d && reached; ++i)
        if (i != without) reached = this->row(s[i])[v] <= L;
      if (any_lane(reached)) return end - first_lane(reached);
    }
    return NONE;
  }
};

struct RipsPivots {
  const Wide* keys;
  const Int32* columns;
  const Index* begins;
  const Wide* terms;
  Index n;
  Int32 own;  // the column that is reduced
  // The place of a column further left with this pivot, or NONE.
  ITEM_MEMBER Index place_of(Wide key) const {
    const Index place = place_among(keys, n, key);
    return place >= 0 && columns[place] < own ? place : (Index)NONE;
  }
};

// What a launch is given, except the ranks.
struct RipsWaveLists {
  Int32 k, bits;  // vertices of a facet, bits of each
  Word low, bound;
  RipsPivots pivots;
  Wide *slots, mask;
  Word *ranks, *flags;
  Int32* lists;  // two of them, each with room for all slots
  Wide* chain;
  Int32* skipped;
  Word* since;
  Index most_terms;
  Index* state;
  Wide* n_arrived;
};

template <class Rank> struct RipsWaves : RipsWaveLists {
  RipsTeamMatrix<Rank> graph;

  ITEM_MEMBER void unpack(Wide key, int n_vertices, Int32* s) const {
    for (int i = n_vertices; i-- > 0; key >>= bits) s[i] = (Int32)(key & (((Wide)1 << bits) - 1));
  }
  // The key without the vertex at a place of k + 1, and with a vertex at a place of k.
  ITEM_MEMBER Wide without(Wide key, int place) const {
    const int below = bits * (k - place);
    const Wide lower = key & (((Wide)1 << below) - 1);
    return place == 0 ? lower : key >> (below + bits) << below | lower;
  }
  ITEM_MEMBER Wide with(Wide key, const Int32* s, Int32 u) const {
    int place = 0;
    while (place < k && s[place] > u) ++place;
    const int below = bits * (k - place);
    const Wide lower = key & (((Wide)1 << below) - 1);
    return (place == 0 ? 0 : key >> below << (below + bits)) | (Wide)u << below | lower;
  }

  // Adds an entry modulo 2. An entry that may have to be eliminated is listed once.
  ITEM_MEMBER void toggle(Wide key, Word rank, int list) const {
    Wide slot = mixed(key) & mask;
    for (int probe = 0;; ++probe, slot = (slot + 1) & mask) {
      if (probe == MAX_PROBES) {
        state[WAVE_FULL] = 1;
        return;
      }
      Wide held = peek(slots + slot);
      if (held == EMPTY_SLOT) held = exchange_if(slots + slot, EMPTY_SLOT, key);
      if (held == EMPTY_SLOT || held == key) break;
    }
    ranks[slot] = rank;  // all threads write the same
    const Word before = flip_bits(flags + slot, WAVE_PRESENT);
    if (before & WAVE_OPEN || set_bits(flags + slot, WAVE_LISTED) & WAVE_LISTED) return;
    lists[list * (Index)(mask + 1) + next_place(state + WAVE_ENTRIES + list)] = (Int32)slot;
  }

  // Appends what eliminates a listed entry, or finds that it is open.
  ITEM_MEMBER void settle(Int32 slot) const {
    const Word flag = flags[slot] & ~(Word)WAVE_LISTED, L = ranks[slot];
    const Wide key = slots[slot];
    sync_lanes();
    if (!(flag & WAVE_PRESENT)) {
      if (lane() == 0) flags[slot] = flag;
      return;
    }
    Int32 t[RIPS_VERTICES];
    unpack(key, k + 1, t);
    const int m = rips_outside(graph, t, k, (Rank)L);
    if (graph.highest(t, k, m, (Rank)L, graph.n - 1, t[m]) < 0) {
      if (lane() != 0) return;
      flags[slot] = flag & ~(Word)WAVE_PRESENT;
      append(add_to(state + WAVE_TERMS, 1), without(key, m), t[m], L);
      return;
    }
    const Index found = pivots.place_of(key);
    if (lane() == 0) flags[slot] = found == NONE ? flag | WAVE_OPEN : flag;  // its own cofacets include the entry
    if (found == NONE) return;
    const Index begin = pivots.begins[found], size = pivots.begins[found + 1] - begin;
    const Index at = from_first_lane(lane() == 0 ? add_to(state + WAVE_TERMS, size) : 0);
    for (Index i = lane(); i < size; i += LANES) append(at + i, pivots.terms[begin + i], NONE, L);
  }
  ITEM_MEMBER void append(Index at, Wide key, Int32 vertex, Word rank) const {
    if (at >= most_terms) return;
    chain[at] = key;
    skipped[at] = vertex;
    since[at] = rank;
  }

  // The cofacets of terms from `begin` to `end` in the window; several warps share a term if there are few.
  ITEM_MEMBER void emit_all(Index begin, Index end, bool are_given, int list) const {
    const Index lines = (graph.n + LANES - 1) / LANES, parts = (end - begin) * lines <= n_warps() ? lines : 1;
    for (Index i = warp(); i < (end - begin) * parts; i += n_warps())
      emit(begin + i / parts, are_given, list, (Int32)(i % parts), (Int32)parts);
  }
  // Those of one term, or a part of them; of a term that eliminates an entry, those from its rank on, since older ones
  // cancel, and without the entry if it was taken out.
  ITEM_MEMBER void emit(Index term, bool is_given, int list, Int32 part, Int32 parts) const {
    const Wide key = chain[term];
    Int32 s[RIPS_VERTICES];
    unpack(key, k, s);
    const Int32 vertex = is_given ? (Int32)NONE : skipped[term];
    Word own = 0;
    const Word from = is_given ? low : since[term];
    if (vertex != NONE) own = from;
    else
      for (int i = 1; i < k; ++i)
        for (int j = 0; j < i; ++j) own = graph.at(s[i], s[j]) > own ? graph.at(s[i], s[j]) : own;
    for (Int32 u = LANES * part + lane(); u < graph.n; u += LANES * parts) {
      Word rank = own;
      for (int i = 0; i < k; ++i) rank = graph.row(s[i])[u] > rank ? graph.row(s[i])[u] : rank;
      if (rank >= from && rank < bound && u != vertex) toggle(with(key, s, u), rank, list);
    }
  }

  ITEM_MEMBER void run() const {
    Index done = state[WAVE_TERMS];
    emit_all(0, done, true, 0);
    barrier(n_arrived);
    // Numbers are read between a barrier and the next phase that may change them, so all threads read the same ones.
    Index n_waves = 0;
    for (int list = 0;; list = 1 - list, ++n_waves) {
      const Index n_listed = peek(state + WAVE_ENTRIES + list);
      if (peek(state + WAVE_FULL)) return;
      if (n_listed == 0) break;
      for (Index i = warp(); i < n_listed; i += n_warps()) settle(lists[list * (Index)(mask + 1) + i]);
      barrier(n_arrived);
      const Index end = peek(state + WAVE_TERMS);
      if (end > most_terms) return;
      if (thread() == 0) state[WAVE_ENTRIES + list] = 0;
      emit_all(done, end, false, 1 - list);
      done = end;
      barrier(n_arrived);
    }
    if (thread() == 0) state[WAVE_COUNT] += n_waves;
    for (Index slot = thread(); slot <= (Index)mask; slot += n_threads())
      if (flags[slot] & WAVE_PRESENT) lower_to(state + WAVE_RANK, (Index)ranks[slot]);
    barrier(n_arrived);
    const Index rank = peek(state + WAVE_RANK);
    for (Index slot = thread(); slot <= (Index)mask; slot += n_threads())
      if (flags[slot] & WAVE_PRESENT && ranks[slot] == rank) lower_to(state + WAVE_PIVOT, -(Index)slots[slot]);
  }
};

KERNEL(rips_clear_entries, (Wide* slots, Word* flags), slots[i] = EMPTY_SLOT, flags[i] = 0)

template <class Rank>
ITEM RipsTeamMatrix<Rank> rips_team_matrix(const Byte* rank, Index stride, Int32 n) {
  RipsTeamMatrix<Rank> graph;
  graph.rank = (const Rank*)rank, graph.stride = stride, graph.n = n;
  return graph;
}
template <class Rank> ITEM void rips_run_waves(const RipsTeamMatrix<Rank>& graph, const RipsWaveLists& lists) {
  RipsWaves<Rank> waves;
  (RipsWaveLists&)waves = lists;
  waves.graph = graph;
  waves.run();
}

// Ranks of 2 or 4 bytes.
TEAM_KERNEL(rips_eliminate_in_rounds,
            (const Byte* rank, Int32 n_bytes, Index stride, Int32 n, Int32 k, Int32 bits, Word low, Word bound,
             const Wide* pivots, const Int32* columns, const Index* begins, const Wide* terms, Index n_pivots, Int32 own,
             Wide* slots, Wide mask, Word* ranks, Word* flags, Int32* lists, Wide* chain, Int32* skipped, Word* since,
             Index most_terms, Index* state, Wide* n_arrived),
            WAVE_THREADS, {
              const RipsWaveLists lists_of{k, bits, low, bound, {pivots, columns, begins, terms, n_pivots, own}, slots, mask,
                                           ranks, flags, lists, chain, skipped, since, most_terms, state, n_arrived};
              if (n_bytes == 2) rips_run_waves(rips_team_matrix<HalfWord>(rank, stride, n), lists_of);
              else rips_run_waves(rips_team_matrix<Word>(rank, stride, n), lists_of);
            })
