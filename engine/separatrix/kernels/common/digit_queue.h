// A priority queue, greatest key first; no key is inserted that is greater than the last one
// removed.
// It is a radix heap (Denardo, Fox 1979; Ahuja, Mehlhorn, Orlin, Tarjan 1990): a key lies in the
// bucket of the highest digit in which it differs from the last key removed, and moves only to
// lower digits, which avoids comparisons that a processor mispredicts. Entries are linked nodes of
// one pool, so a move writes one number. The digits of packed simplices are vertices, or halves of
// vertices with many bits.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <vector>

// Entry has a member `key`, of one or two words.
template <class Entry>
class LinkedPool {
public:
  enum : Int32 { END = -1 };
  struct Node : Entry {
    Int32 next;
    Node(const Entry& entry, Int32 next) : Entry(entry), next(next) {}
  };
  Int32 add(const Entry& entry, Int32 next) {
    if (free == END) {
      nodes.emplace_back(entry, next);
      return (Int32)nodes.size() - 1;
    }
    const Int32 at = free;
    free = nodes[at].next;
    nodes[at] = Node(entry, next);
    return at;
  }
  Int32 remove(Int32 at) {  // returns what comes after
    const Int32 next = nodes[at].next;
    nodes[at].next = free;
    free = at;
    return next;
  }
  Node& operator[](Int32 at) { return nodes[at]; }
  void clear() {
    nodes.clear();
    free = END;
  }

private:
  std::vector<Node> nodes;
  Int32 free = END;
};

template <class Entry>
class DigitQueue {
public:
  typedef decltype(Entry::key) Key;
  typedef LinkedPool<Entry> Pool;

  DigitQueue(Pool& pool, int n_bits, int digit_bits)
      : pool(pool), digit_bits(digit_bits), n_digits((n_bits + digit_bits - 1) / digit_bits),
        n_words((((Index)1 << digit_bits) + 63) / 64), first((size_t)n_digits << digit_bits, Pool::END),
        occupied((size_t)n_digits * n_words, 0) {
    for (int position = 0; position < BITS; ++position) digit_of_bit[position] = (Byte)(position / digit_bits);
  }

  // Empties the queue; any key may be inserted next. The caller removes the entries from the pool.
  void clear() {
    for (; levels != 0; levels &= levels - 1) {
      const int level = __builtin_ctzll(levels);
      for (Index word = 0; word < n_words; ++word)
        for (Wide& bits = occupied[level * n_words + word]; bits != 0; bits &= bits - 1)
          first[((size_t)level << digit_bits) + word * 64 + __builtin_ctzll(bits)] = Pool::END;
    }
    equal = Pool::END;
    last = greatest();
  }

  void push(const Entry& entry) { link(pool.add(entry, Pool::END)); }

  // Inserts an entry that is already in the pool.
  void link(Int32 at) {
    auto& node = pool[at];
    const Key difference = node.key ^ last;
    if (difference == 0) {
      node.next = equal;
      equal = at;
      return;
    }
    const int level = digit_of_bit[highest_bit(difference)];
    const size_t digit = (size_t)(node.key >> (level * digit_bits)) & (((size_t)1 << digit_bits) - 1);
    Int32& head = first[((size_t)level << digit_bits) + digit];
    if (head == Pool::END) {
      occupied[level * n_words + (digit >> 6)] |= (Wide)1 << (digit & 63);
      levels |= (Wide)1 << level;
    }
    node.next = head;
    head = at;
  }

  // Removes the entries with the greatest key and returns the head of their list, END if the queue
  // is empty. They stay in the pool.
  Int32 pop() {
    while (equal == Pool::END) {
      if (levels == 0) return Pool::END;
      const int level = __builtin_ctzll(levels);
      Wide* words = occupied.data() + level * n_words;
      Index word = n_words - 1;
      while (words[word] == 0) --word;
      const size_t digit = word * 64 + 63 - __builtin_clzll(words[word]);
      words[word] ^= (Wide)1 << (digit & 63);
      while (word > 0 && words[word] == 0) --word;
      if (words[word] == 0) levels &= levels - 1;
      Int32& head = first[((size_t)level << digit_bits) + digit];
      Int32 at = head;
      head = Pool::END;
      const int below = level * digit_bits;
      if (level == 0 || pool[at].next == Pool::END) {
        last = pool[at].key;
        return at;
      }
      last = pool[at].key | (((Key)1 << below) - 1);
      while (at != Pool::END) {
        const Int32 next = pool[at].next;
        link(at);
        at = next;
      }
    }
    const Int32 out = equal;
    equal = Pool::END;
    return out;
  }

private:
  enum { BITS = 8 * sizeof(Key) };
  Key greatest() const { return ~(Key)0 >> (BITS > n_digits * digit_bits ? BITS - n_digits * digit_bits : 0); }
  static int highest_bit(Wide key) { return 63 - __builtin_clzll(key); }
  static int highest_bit(unsigned __int128 key) {
    return key >> 64 ? 64 + highest_bit((Wide)(key >> 64)) : highest_bit((Wide)key);
  }

  Pool& pool;
  const int digit_bits, n_digits;
  const Index n_words;
  std::vector<Int32> first;   // by digit and its value: a list through the pool
  std::vector<Wide> occupied;  // a bit each
  Byte digit_of_bit[BITS];
  Wide levels = 0;            // digits with any entry
  Key last = greatest();
  Int32 equal = Pool::END;    // entries whose key is `last`
};
#endif
