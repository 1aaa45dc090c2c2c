// Annotations over Z/2: the values of edges on the living classes; equal values are stored once.
//
// A value is the set of living classes on which an edge is not zero (Busaryev et al. 2012). Each
// edge stores the id of its value, 0 for zero. There are few distinct values (Boissonnat, Dey,
// Maria 2013). The id of a sum is looked up by a hash, the exclusive or of one random word per
// class, and confirmed by its bits. When a class ends, values can become equal and their ids are
// merged, so find() must resolve ids. Each bit is a slot, which is reused after its class has
// ended. The age of a class is the position of its edge in the order of all edges.
#pragma once
#include "common/hash_set.h"

#if !ON_GPU
#include <algorithm>
#include <vector>

namespace rips {

class Annotations {
public:
  typedef Int32 Id;

  explicit Annotations(Index) {}

  Id find(Id id) {
    while (same_as[id] != id) id = same_as[id] = same_as[same_as[id]];
    return id;
  }
  bool is_zero(Id id) { return find(id) == 0; }
  Index n_alive() const { return (Index)age_in.size() - (Index)free_slots.size(); }
  Index n_values() const { return n_living; }
  Index work() const { return n_words; }  // words of values read or written
  bool is_too_large() const { return n_rows * width > MOST_WORDS; }

  // The value of an edge that begins a class, and the slot of the class.
  Id begin_class(Index age, Int32& slot) {
    slot = (Int32)age_in.size();
    if (free_slots.empty()) age_in.push_back(age), with.emplace_back();
    else slot = free_slots.back(), free_slots.pop_back(), age_in[slot] = age;
    if (slot >= 64 * width) widen();
    std::fill(sum_of.begin(), sum_of.end(), 0);
    sum_of[slot / 64] = (Wide)1 << slot % 64;
    return added(mixed((Wide)age + 1));
  }

  Id negative(Id a) const { return a; }
  // The id of the sum of two values. Their ids must have been resolved by find().
  Id sum(Id a, Id b) {
    if (a == 0 || b == 0) return a | b;
    if (a == b) return 0;
    std::copy_n(bits_of(a), width, sum_of.data());
    add_to(sum_of.data(), bits_of(b));
    n_words += width;
    const Wide hash = hash_of[a] ^ hash_of[b];
    const Id known = id_with(hash, sum_of.data());
    return known != 0 ? known : added(hash);
  }

  // Slot of the youngest class of a value that is not zero, and its age.
  Int32 youngest(Id value) {
    const Wide* z = bits_of(value);
    Int32 slot = -1;
    for (Index k = 0; k < width; ++k)
      for (Wide bits = z[k]; bits != 0; bits &= bits - 1) {
        const Int32 at = (Int32)(64 * k) + __builtin_ctzll(bits);
        if (slot < 0 || age_in[at] > age_in[slot]) slot = at;
      }
    return slot;
  }
  bool is_older(Id value, Index age) { return value == 0 || age_in[youngest(value)] < age; }

  // Ends the youngest class of a value and returns its slot; the value is added to all that contain the class.
  Int32 end_class(Id value) {
    const std::vector<Wide> z(bits_of(value), bits_of(value) + width);
    const Wide hash = hash_of[value];
    const Int32 slot = youngest(value);
    containing.clear();
    ++n_ended;
    find_containing(slot, with[slot]);
    find_containing(slot, crowded);
    n_words += (Index)containing.size() * width;
    with[slot].clear();
    for (const Id id : containing) forget(id);  // all of them, before any gets another hash
    for (const Id id : containing) {
      Wide* const bits = bits_of(id);
      add_to(bits, z.data());
      hash_of[id] ^= hash;
      const Id known = id == value ? 0 : id_with(hash_of[id], bits);
      if (known == 0 && id != value) {
        remember(id);
        list(id, z.data());
        continue;
      }
      same_as[id] = known;
      --n_living;
      free_rows.push_back(row_of[id]);
    }
    free_slots.push_back(slot);
    return slot;
  }

private:
  Wide* bits_of(Id id) { return words.data() + row_of[id] * width; }

  void add_to(Wide* __restrict bits, const Wide* __restrict others) const {
    for (Index k = 0, n = width; k < n; ++k) bits[k] ^= others[k];
  }

  Id added(Wide hash) {
    const Id id = (Id)same_as.size();
    Index row = n_rows;
    if (free_rows.empty()) words.resize((size_t)(++n_rows * width));
    else row = free_rows.back(), free_rows.pop_back();
    same_as.push_back(id);
    hash_of.push_back(hash);
    row_of.push_back(row);
    is_crowded.push_back(false);
    seen_at.push_back(0);
    ++n_living;
    std::copy(sum_of.begin(), sum_of.end(), bits_of(id));
    remember(id);
    list(id, bits_of(id));
    return id;
  }

  // Lists a value with those of its classes that are in `news`, or in `crowded` if it has many
  // classes.
  void list(Id id, const Wide* news) {
    if (is_crowded[id]) return;
    const Wide* const bits = bits_of(id);
    int n_classes = 0;
    for (Index k = 0; k < width; ++k) n_classes += __builtin_popcountll(bits[k]);
    if (n_classes > FEW) {
      is_crowded[id] = true;
      crowded.push_back(id);
      return;
    }
    for (Index k = 0; k < width; ++k)
      for (Wide in = bits[k] & news[k]; in != 0; in &= in - 1) with[64 * k + __builtin_ctzll(in)].push_back(id);
  }
  // Appends the values of a list that contain the class in this slot to `containing`, and removes
  // merged ids from the list.
  void find_containing(Int32 slot, std::vector<Id>& listed) {
    size_t kept = 0;
    for (size_t i = 0; i < listed.size(); ++i) {
      const Id id = listed[i];
      if (i + AHEAD < listed.size()) __builtin_prefetch(bits_of(listed[i + AHEAD]) + slot / 64);
      if (same_as[id] != id) continue;
      listed[kept++] = id;
      if (seen_at[id] == n_ended || !(bits_of(id)[slot / 64] >> slot % 64 & 1)) continue;
      seen_at[id] = n_ended;
      containing.push_back(id);
    }
    n_words += (Index)listed.size();
    listed.resize(kept);
  }

  void widen() {
    const Index wider = width + std::max<Index>(1, width / 4);
    std::vector<Wide> moved((size_t)(n_rows * wider), 0);
    for (Index row = 0; row < n_rows; ++row)
      std::copy_n(words.begin() + row * width, width, moved.begin() + row * wider);
    words.swap(moved);
    width = wider;
    sum_of.resize((size_t)width);
  }

  // Open addressing; forget() moves later values of the same run up to fill the gap.
  Id id_with(Wide hash, const Wide* bits) {
    const size_t mask = table.size() - 1;
    for (size_t at = hash & mask; table[at] != 0; at = (at + 1) & mask)
      if (hash_of[table[at]] == hash && std::equal(bits, bits + width, bits_of(table[at]))) return table[at];
    return 0;
  }
  void remember(Id id) {
    if (2 * ++n_known > table.size()) {
      std::vector<Id> old(2 * table.size(), 0);
      old.swap(table);
      for (const Id known : old)
        if (known != 0) place(known);
    }
    place(id);
  }
  void place(Id id) {
    const size_t mask = table.size() - 1;
    size_t at = hash_of[id] & mask;
    while (table[at] != 0) at = (at + 1) & mask;
    table[at] = id;
  }
  void forget(Id id) {
    const size_t mask = table.size() - 1;
    size_t hole = hash_of[id] & mask;
    while (table[hole] != id) hole = (hole + 1) & mask;
    for (size_t at = (hole + 1) & mask; table[at] != 0; at = (at + 1) & mask) {
      const size_t home = hash_of[table[at]] & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      table[hole] = table[at];
      hole = at;
    }
    table[hole] = 0;
    --n_known;
  }

  enum {
    MOST_WORDS = 1 << 26,  // of values: 512 MiB
    FEW = 8,               // classes of a value that is listed under each of them
    AHEAD = 16             // values whose bits are fetched before they are read
  };
  Index width = 1, n_rows = 0, n_words = 0, n_living = 0, n_ended = 0;
  std::vector<Wide> words, sum_of = std::vector<Wide>(1);
  std::vector<Id> same_as{0}, containing, crowded, table = std::vector<Id>(1 << 10);
  std::vector<Wide> hash_of{0};
  std::vector<Index> row_of{0}, seen_at{0}, free_rows;
  std::vector<std::vector<Id>> with;  // by slot: values with the class, and some that had it
  std::vector<bool> is_crowded{false};
  std::vector<Index> age_in;  // by slot
  std::vector<Int32> free_slots;
  size_t n_known = 0;
};

}  // namespace rips
#endif
