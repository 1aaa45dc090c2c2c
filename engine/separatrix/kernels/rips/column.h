// The working column of a Vietoris-Rips reduction: a cochain V, and the active part of its
// coboundary.
//
// Entries are needed oldest first, and most lie beyond the pivot of the column. So only those
// within a window of ranks are generated, and V is enumerated again for the next window. They wait
// in groups of ranks, unsorted; those of the current group are in one list per rank. Entries of the
// current rank pass through a queue, because added entries are younger than those removed. All
// lower ranks have canceled. The width of windows is adapted so that they have five to twenty times
// as many entries as V.
#pragma once
#include "common/bit_tree.h"
#include "common/digit_queue.h"
#include "rips/chains.h"
#include "rips/link.h"
#include "rips/reduction_graph.h"

#if !ON_GPU
#include <type_traits>
#include <utility>
#include <vector>

namespace rips {

template <class Graph, class KeyType, class FieldType>
class WorkingColumn {
public:
  typedef KeyType Key;
  typedef FieldType Field;
  typedef rips::Term<Key, typename Field::Coefficient> Term;
  typedef typename LinkOf<Graph>::Type Linked;

  // Whether link.h processes the ranks that only one edge has: over Z/2, for a matrix of few
  // points.
  static bool uses_link(const Graph& graph, int k) {
    return Graph::HAS_ROWS && std::is_same<Field, ModTwo>::value && Linked::fits(graph.n, k - 1);
  }

  // Facets have k vertices, and ranks are below n_ranks. `edge_of` the ranks is empty unless
  // uses_link.
  WorkingColumn(const Graph& graph, Packing<Key> packing, int k, Index n_ranks, Field field,
                const std::vector<Int32>& edge_of)
      : graph(graph), packing(packing), k(k), n_ranks((Word)n_ranks), field(field),
        at_level(pool, packing.bits * (k + 1), packing.bits > 11 ? (packing.bits + 1) / 2 : packing.bits),
        edge_of(edge_of), link(graph, edge_of.empty() ? 0 : k - 1) {}

  // Starts with the cochain V = given, whose coboundary is zero below rank `from`.
  template <class Terms>
  void begin(const Terms& given, Word from) {
    clear();
    chain.assign(given.begin(), given.end());
    collected = chain.size();
    width = std::min<Word>(1 + n_ranks / FIRST_WINDOW, MOST_WIDTH);
    end = from;
    open_window();
  }

  // Removes the oldest entry with a nonzero coefficient; returns false if there is none. The caller
  // then eliminates the entry or puts it back.
  bool pivot(Term& found) {
    do {
      if (linked) {
        Int32 t[MOST_VERTICES];
        if (!link.pop(t)) continue;
        found = {packing.pack(t, k + 1), 1};
        return true;
      }
      for (Int32 at; (at = at_level.pop()) != NOTHING;) {
        const Key key = pool[at].key;
        Word total = 0;
        for (; at != NOTHING; at = pool.remove(at)) total = field.sum(total, pool[at].value());
        if (total == 0) continue;
        found = {key, total};
        return true;
      }
    } while (next_level());
    return false;
  }
  Word rank() const { return level; }
  void put_back(const Term& entry) {
    if (!linked) return at_level.push(entry);
    Int32 t[MOST_VERTICES];
    packing.unpack(entry.key, k + 1, t);
    link.flip(t);
  }
  // Place in t, an entry of the present rank, of the vertex m for which (t - m, t) is an apparent pair, and t - m.
  int apparent_facet(const Int32* t, Int32* facet) const {
    return linked ? link.apparent_facet(t, level, facet) : rips::apparent_facet(graph, t, k + 1, level, facet);
  }

  // Adds `multiple` of a cochain, whose coboundary has nothing below the present rank.
  template <class Terms>
  void add(const Terms& chain, Word multiple) {
    Int32 s[MOST_VERTICES];
    for (const Term& term : chain) {
      packing.unpack(term.key, k, s);
      const Term added(term.key, field.product(term.value(), multiple));
      this->chain.push_back(added);
      emit(added, s, diameter(graph, s, k), level, NOTHING);
    }
  }

  // Eliminates the entry t = facet + m by its facet, of which t is the first cofacet; m is at place
  // `at` of t.
  void eliminate(const Term& t, const Int32* facet, Int32 m, int at) {
    const Word with_sign = at % 2 == 0 ? t.value() : field.negative(t.value());
    const Term added(packing.pack(facet, k), field.negative(with_sign));
    chain.push_back(added);
    if (!linked) return emit(added, facet, level, level, m);
    Placed placed(*this, added);
    link.emit(facet, level, end, m, [&](Int32 u, Word rank) { wait(placed.with(facet, u), rank); });
  }

  const std::vector<Term>& collected_chain() {
    collect(chain, field);
    collected = chain.size();
    return chain;
  }

  Index cofacets() const { return n_cofacets + made; }  // entries made, those of the ranks at work apart
  Index windows() const { return n_windows; }

private:
  enum : Int32 { NOTHING = -1 };  // no vertex, no entry
  enum : Word { NO_LEVEL = ~(Word)0, FIRST_WINDOW = 1024, N_GROUPS = 256, MOST_WIDTH = N_GROUPS * 1024 };
  struct Ranked : Term {
    Word rank;
    Ranked(const Term& term, Word rank) : Term(term), rank(rank) {}
  };

  void clear() {
    for (Int32 last = waiting.maximum(); last >= 0; last = waiting.maximum()) {
      waiting.flip(last);
      first[last] = NOTHING;
    }
    for (Int32 g; (g = filled.maximum()) >= 0; filled.flip(g)) groups[N_GROUPS - 1 - g].clear();
    pool.clear();
    at_level.clear();
    link.clear();
    linked = false;
  }

  // The entries s + u of a facet s, one after the other with u ascending.
  struct Placed {
    Placed(const WorkingColumn& column, const Term& facet)
        : packing(column.packing), facet(facet), minus(column.field.negative(facet.value())), k(column.k), place(k),
          opened(packing.opened(facet.key, k, k)) {}
    Term with(const Int32* s, Int32 u) {
      if (place > 0 && s[place - 1] < u) {
        while (place > 0 && s[place - 1] < u) --place;
        opened = packing.opened(facet.key, k, place);
        shift = packing.shift(k, place);
      }
      return {opened | (Key)(Word)u << shift, place % 2 == 0 ? facet.value() : minus};
    }
    const Packing<Key>& packing;
    const Term& facet;
    const Word minus;
    const int k;
    int place, shift = 0;  // place: number of vertices of s above u
    Key opened;
  };

  // Adds the cofacets of s, which has rank `own`, from rank `low` to the end of the window, except
  // s + skipped.
  void emit(const Term& term, const Int32* s, Word own, Word low, Int32 skipped) {
    Placed placed(*this, term);
    graph.cofacets(s, k, own, low, end, [&](Int32 u, Word rank) {
      if (u == skipped) return;
      const Term entry = placed.with(s, u);
      if (rank == level) put_back(entry);
      else wait(entry, rank);
    });
  }

  void wait(const Term& entry, Word rank) {
    ++made;
    if (rank < group_end) enlist(entry, rank);
    else {
      const Int32 group = (Int32)((rank - start) >> group_bits);
      if (groups[group].empty()) filled.flip(N_GROUPS - 1 - group);
      groups[group].emplace_back(entry, rank);
    }
  }

  // Adds an entry to the list of its rank, in the current group. `waiting` counts down from the end
  // of the group, so its maximum is the lowest rank.
  void enlist(const Term& entry, Word rank) {
    const Int32 offset = (Int32)(group_end - 1 - rank);
    if (first[offset] == NOTHING) waiting.flip(offset);
    first[offset] = pool.add(entry, first[offset]);
  }

  // The window that begins where the last one ended, with the entries of V in it.
  void open_window() {
    start = end;
    end = (Word)std::min<Index>((Index)start + width, n_ranks);
    for (group_bits = 0; end - start > (Word)N_GROUPS << group_bits;) ++group_bits;
    group_end = start;
    n_cofacets += made;
    made = 0;
    ++n_windows;
    level = NO_LEVEL;
    Int32 s[MOST_VERTICES];
    for (const Term& term : chain) {
      packing.unpack(term.key, k, s);
      emit(term, s, diameter(graph, s, k), start, NOTHING);
    }
  }

  // Advances to the next rank with entries; returns false if there is none.
  bool next_level() {
    for (;;) {
      const Int32 last = waiting.maximum();
      if (last >= 0) {
        waiting.flip(last);
        level = group_end - 1 - (Word)last;
        begin_level(first[last]);
        first[last] = NOTHING;
        return true;
      }
      if (group_end < end) {
        next_group();
        continue;
      }
      if (end == n_ranks) return false;
      if (chain.size() > 2 * collected + 64) collected_chain();
      const Index size = (Index)chain.size();
      if (made < 5 * size + 64) width = std::min<Word>(2 * width, MOST_WIDTH);
      else if (made > 20 * size + 2048) width = std::max<Word>(width / 2, 1);
      open_window();
    }
  }

  // The entries of a rank, a list in the pool, into the queue or the link.
  void begin_level(Int32 at) {
    linked = !edge_of.empty() && edge_of[level] != NONE;
    if (linked) {
      link.begin(edge_of[level]);
      for (; at != NOTHING; at = pool.remove(at)) put_back(pool[at]);
      return;
    }
    at_level.clear();
    while (at != NOTHING) {
      const Int32 next = pool[at].next;
      at_level.link(at);
      at = next;
    }
  }

  // The next group with entries; the end of the window if there is none.
  void next_group() {
    const Int32 g = filled.maximum();
    group_end = end;
    pool.clear();
    if (g < 0) return;
    filled.flip(g);
    auto& group = groups[N_GROUPS - 1 - g];
    group_end = std::min(end, start + ((Word)(N_GROUPS - g) << group_bits));
    for (const Ranked& entry : group) enlist(entry, entry.rank);
    group.clear();
  }

  const Graph& graph;
  const Packing<Key> packing;
  const int k;
  const Word n_ranks;
  const Field field;
  std::vector<Ranked> groups[N_GROUPS];  // entries of the window by runs of ranks, as they came
  BitTree filled{N_GROUPS};  // groups that have entries, the last one first
  BitTree waiting{MOST_WIDTH / N_GROUPS};  // ranks of the present group that have entries
  std::vector<Int32> first = std::vector<Int32>(MOST_WIDTH / N_GROUPS, NOTHING);  // and the lists of these
  LinkedPool<Term> pool;
  DigitQueue<Term> at_level;  // entries of the rank at work
  std::vector<Term> chain;
  const std::vector<Int32>& edge_of;
  Linked link;  // in its place where one edge alone has the rank
  bool linked = false;
  size_t collected = 0;
  Word level = 0, start = 0, end = 0, group_end = 0, width = 1;
  int group_bits = 0;
  Index made = 0, n_cofacets = 0, n_windows = 0;
};

}  // namespace rips
#endif
