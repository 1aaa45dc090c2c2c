// The working column of a Vietoris-Rips reduction: a cochain V and, without storing them, the entries of its coboundary.
//
// Entries are needed oldest first, and most lie beyond the column's pivot: only those within a window of ranks are
// made, and from V again for the next window. Within the window they lie in one list a rank; the rank at work is
// sorted, and what is added to it meanwhile goes into a heap. Ranks below the one at work have cancelled.
// Windows grow and shrink so that a window's entries are a few times as many as V's.
#pragma once
#include "bit_tree.h"
#include "rips_reduction_graph.h"

#if !ON_GPU
#include <utility>
#include <vector>

namespace rips {

// Coefficients of Z/2 take no memory, those of Z/p a word.
struct One {
  One(Word = 1) {}
  Word value() const { return 1; }
};
struct Residue {
  Word residue;
  Residue(Word residue = 0) : residue(residue) {}
  Word value() const { return residue; }
};

class ModTwo {
public:
  typedef One Coefficient;
  explicit ModTwo(Index) {}
  Word sum(Word a, Word b) const { return a ^ b; }
  Word product(Word, Word) const { return 1; }
  Word negative(Word a) const { return a; }
  Word inverse(Word a) const { return a; }
};

class ModPrime {
public:
  typedef Residue Coefficient;
  explicit ModPrime(Index prime) : prime((Word)prime) {}
  Word sum(Word a, Word b) const { return (a + b) % prime; }
  Word product(Word a, Word b) const { return a * b % prime; }  // prime < 2^16
  Word negative(Word a) const { return a == 0 ? 0 : prime - a; }
  Word inverse(Word a) const {  // Fermat: a^(p - 2)
    Word power = 1;
    for (Word exponent = prime - 2; exponent > 0; exponent >>= 1, a = product(a, a))
      if (exponent & 1) power = product(power, a);
    return power;
  }

private:
  Word prime;
};

template <class Key, class Coefficient>
struct Term : Coefficient {  // a simplex with its coefficient
  Key key;
  Term() {}
  Term(Key key, Word value) : Coefficient(value), key(key) {}
  bool operator<(const Term& other) const { return key < other.key; }
};

// Sorts the terms by key and adds up those of one simplex.
template <class Terms, class Field>
void collect(Terms& terms, const Field& field) {
  std::sort(terms.begin(), terms.end());
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    const auto key = terms[i].key;
    Word total = 0;
    for (; i < terms.size() && terms[i].key == key; ++i) total = field.sum(total, terms[i].value());
    if (total != 0) terms[kept++] = {key, total};
  }
  terms.resize(kept);
}

template <class Graph, class KeyType, class FieldType>
class WorkingColumn {
public:
  typedef KeyType Key;
  typedef FieldType Field;
  typedef rips::Term<Key, typename Field::Coefficient> Term;

  // Of facets with k vertices; ranks are below n_ranks.
  WorkingColumn(const Graph& graph, Packing<Key> packing, int k, Index n_ranks, Field field)
      : cofacets(0), windows(0), graph(graph), packing(packing), k(k), n_ranks((Word)n_ranks), field(field),
        most_ranks((Word)std::min<Index>(n_ranks, MOST_RANKS)), waiting(most_ranks), first(most_ranks, NOTHING) {}

  // Starts with the cochain V = chain, whose coboundary has nothing below rank `from`.
  template <class Terms>
  void begin(const Terms& given, Word from) {
    clear();
    chain.assign(given.begin(), given.end());
    collected = chain.size();
    width = (Word)std::min<Index>(1 + n_ranks / FIRST_WINDOW, most_ranks);
    end = from;
    open_window();
  }

  // The oldest entry with a coefficient; false if none is left. The caller takes it away or puts it back.
  bool pivot(Term& found) {
    do {
      while (sorted_at < sorted.size() || !fresh.empty()) {
        const bool from_heap = !fresh.empty() && (sorted_at == sorted.size() || sorted[sorted_at] < fresh.front());
        const Key key = from_heap ? fresh.front().key : sorted[sorted_at].key;
        Word total = 0;
        for (; sorted_at < sorted.size() && sorted[sorted_at].key == key; ++sorted_at)
          total = field.sum(total, sorted[sorted_at].value());
        while (!fresh.empty() && fresh.front().key == key) {
          total = field.sum(total, fresh.front().value());
          std::pop_heap(fresh.begin(), fresh.end());
          fresh.pop_back();
        }
        if (total == 0) continue;
        found = {key, total};
        return true;
      }
    } while (next_level());
    return false;
  }
  Word rank() const { return level; }
  void put_back(const Term& entry) { push_fresh(entry); }

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

  // Takes away the entry t = facet + m, m at place `at` of t: it is the facet's first cofacet.
  void eliminate(const Term& t, const Int32* facet, Int32 m, int at) {
    const Word with_sign = at % 2 == 0 ? t.value() : field.negative(t.value());
    const Term added(packing.pack(facet, k), field.negative(with_sign));
    chain.push_back(added);
    emit(added, facet, level, level, m);
  }

  const std::vector<Term>& collected_chain() {
    collect(chain, field);
    collected = chain.size();
    return chain;
  }

  Index cofacets, windows;

private:
  enum : Int32 { NOTHING = -1 };  // no vertex, no entry
  enum : Word { NO_LEVEL = ~(Word)0, MOST_RANKS = 1 << 18, FIRST_WINDOW = 1024 };
  struct Waiting : Term {
    Int32 next;
    Waiting(const Term& term, Int32 next) : Term(term), next(next) {}
  };
  void clear() {
    for (Int32 last = waiting.maximum(); last >= 0; last = waiting.maximum()) {
      waiting.flip(last);
      first[most_ranks - 1 - last] = NOTHING;
    }
    pool.clear(), sorted.clear(), fresh.clear();
    sorted_at = 0;
  }

  void push_fresh(const Term& term) {
    fresh.push_back(term);
    std::push_heap(fresh.begin(), fresh.end());
  }

  // Cofacets of s, of rank `own`, from rank `low` to the end of the window, s + skipped apart.
  void emit(const Term& term, const Int32* s, Word own, Word low, Int32 skipped) {
    Int32 place = k;  // number of vertices of s above u
    Key opened = packing.opened(term.key, k, k);
    int shift = 0;
    const Word minus = field.negative(term.value());
    graph.cofacets(s, k, own, low, end, [&](Int32 u, Word rank) {
      if (place > 0 && s[place - 1] < u) {
        while (place > 0 && s[place - 1] < u) --place;
        opened = packing.opened(term.key, k, place);
        shift = packing.shift(k, place);
      }
      if (u == skipped) return;
      const Term entry(opened | (Key)(Word)u << shift, place % 2 == 0 ? term.value() : minus);
      ++made;
      if (rank == level) return push_fresh(entry);
      Int32& head = first[rank - start];
      if (head == NOTHING) waiting.flip((Int32)(most_ranks - 1 - (rank - start)));
      pool.emplace_back(entry, head);
      head = (Int32)pool.size() - 1;
    });
  }

  // The window that begins where the last one ended, with the entries of V in it.
  void open_window() {
    start = end;
    end = (Word)std::min<Index>((Index)start + width, n_ranks);
    pool.clear();
    made = 0;
    ++windows;
    level = NO_LEVEL;
    Int32 s[MOST_VERTICES];
    for (const Term& term : chain) {
      packing.unpack(term.key, k, s);
      emit(term, s, diameter(graph, s, k), start, NOTHING);
    }
  }

  // On to the next rank with entries; false if there is none.
  bool next_level() {
    for (;;) {
      const Int32 last = waiting.maximum();
      if (last >= 0) {
        waiting.flip(last);
        const Word offset = most_ranks - 1 - (Word)last;
        level = start + offset;
        take(first[offset]);
        return true;
      }
      cofacets += made;
      if (end == n_ranks) return false;
      if (chain.size() > 2 * collected + 64) collected_chain();
      const Index size = (Index)chain.size();
      if (made < 4 * size + 64) width = std::min<Word>(2 * width, most_ranks);
      else if (made > 16 * size + 1024) width = std::max<Word>(width / 2, 1);
      open_window();
    }
  }

  void take(Int32& head) {
    sorted.clear();
    sorted_at = 0;
    for (Int32 at = head; at != NOTHING; at = pool[at].next) sorted.push_back(pool[at]);
    head = NOTHING;
    std::sort(sorted.begin(), sorted.end(), [](const Term& a, const Term& b) { return b < a; });
  }

  const Graph& graph;
  const Packing<Key> packing;
  const int k;
  const Word n_ranks;
  const Field field;
  const Word most_ranks;
  BitTree waiting;               // ranks of the window with entries, counted from its end: the first is the maximum
  std::vector<Int32> first;      // by rank of the window: its entries, in a list through the pool
  std::vector<Waiting> pool;
  std::vector<Term> chain, sorted, fresh;
  size_t sorted_at = 0, collected = 0;
  Word level = 0, start = 0, end = 0, width = 1;
  Index made = 0;
};

}  // namespace rips
#endif
