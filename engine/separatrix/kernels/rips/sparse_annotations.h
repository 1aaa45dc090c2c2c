// Annotations over Z/p, or over Z/2 with many classes: values as lists of classes and coefficients.
//
// The same values and operations as in rips/annotations.h. The value of an edge is that of its
// orientation from its higher to its lower vertex; negative() gives the other.
#pragma once
#include "common/hash_set.h"
#include "rips/chains.h"

#if !ON_GPU
#include <unordered_map>

namespace rips {

class SparseAnnotations {
public:
  typedef Int32 Id;

  explicit SparseAnnotations(Index prime) : field(prime) {}

  Id find(Id id) {
    while (same_as[id] != id) id = same_as[id] = same_as[same_as[id]];
    return id;
  }
  bool is_zero(Id id) { return find(id) == 0; }
  Index n_alive() const { return (Index)age_in.size() - (Index)free_slots.size(); }
  Index n_values() const { return n_living; }
  Index work() const { return n_terms; }
  bool is_too_large() const { return n_kept > MOST_TERMS; }

  Id begin_class(Index age, Int32& slot) {
    slot = (Int32)age_in.size();
    if (free_slots.empty()) age_in.push_back(age), with.emplace_back();
    else slot = free_slots.back(), free_slots.pop_back(), age_in[slot] = age;
    result.assign(1, Entry(slot, 1));
    return known_or_added();
  }
  Id negative(Id a) {
    if (a == 0 || field.negative(1) == 1) return a;
    add(a, 0, 0, field.negative(1));
    return known_or_added();
  }
  Id sum(Id a, Id b) {
    if (a == 0 || b == 0) return a | b;
    add(a, b, 1, 1);
    return known_or_added();
  }
  bool is_older(Id value, Index age) { return value == 0 || age_in[terms[value][0].key] < age; }

  // Ends the youngest class of a value and returns its slot; multiples of the value are added to all that contain it.
  Int32 end_class(Id value) {
    const Terms z = terms[value];
    const Int32 slot = z[0].key;
    const Word inverse = field.inverse(z[0].value());
    std::vector<Id> containing;
    containing.swap(with[slot]);
    for (const Id id : containing) {
      if (same_as[id] != id || !has(id, slot)) continue;
      Word own = 0;
      for (const Entry& term : terms[id])
        if (term.key == slot) own = term.value();
      add_terms(z, field.negative(field.product(own, inverse)), terms[id], 1);
      forget(id);
      const Id same = result.empty() ? 0 : known();
      if (result.empty() || same != 0) {
        same_as[id] = same;
        --n_living;
        n_kept -= (Index)terms[id].size();
        Terms().swap(terms[id]);
        continue;
      }
      n_kept += (Index)result.size() - (Index)terms[id].size();
      terms[id].swap(result);
      remember(id);
      for (const Entry& term : z)
        if (has(id, term.key)) with[term.key].push_back(id);
    }
    free_slots.push_back(slot);
    return slot;
  }

private:
  typedef Term<Int32, Residue> Entry;  // of a slot
  typedef std::vector<Entry> Terms;    // youngest first
  enum { MOST_TERMS = 1 << 27 };

  bool has(Id id, Int32 slot) const {
    return std::any_of(terms[id].begin(), terms[id].end(), [=](const Entry& term) { return term.key == slot; });
  }
  void add(Id a, Id b, Word of_b, Word of_a) { add_terms(terms[a], of_a, terms[b], of_b); }
  // result = of_a a + of_b b
  void add_terms(const Terms& a, Word of_a, const Terms& b, Word of_b) {
    result.clear();
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      const bool from_a = j == b.size() || (i < a.size() && age_in[a[i].key] >= age_in[b[j].key]);
      const bool from_b = i == a.size() || (j < b.size() && age_in[b[j].key] >= age_in[a[i].key]);
      const Int32 slot = from_a ? a[i].key : b[j].key;
      const Word total = field.sum(from_a ? field.product(of_a, a[i].value()) : 0,
                                   from_b ? field.product(of_b, b[j].value()) : 0);
      if (total != 0) result.push_back(Entry(slot, total));
      i += from_a, j += from_b;
    }
    n_terms += (Index)(a.size() + b.size());
  }
  static Wide hash(const Terms& list) {
    Wide total = 0;
    for (const Entry& term : list) total = mixed(total ^ ((Wide)term.key << 32 | term.value()));
    return total;
  }
  Id known() const {
    const auto range = by_hash.equal_range(hash(result));
    for (auto at = range.first; at != range.second; ++at)
      if (std::equal(result.begin(), result.end(), terms[at->second].begin(), terms[at->second].end(),
                     [](const Entry& a, const Entry& b) { return a.key == b.key && a.value() == b.value(); }))
        return at->second;
    return 0;
  }
  Id known_or_added() {
    if (result.empty()) return 0;
    if (const Id same = known()) return same;
    const Id id = (Id)same_as.size();
    same_as.push_back(id);
    terms.push_back(result);
    n_kept += (Index)result.size();
    ++n_living;
    for (const Entry& term : result) with[term.key].push_back(id);
    remember(id);
    return id;
  }
  void remember(Id id) { by_hash.emplace(hash(terms[id]), id); }
  void forget(Id id) {
    auto at = by_hash.equal_range(hash(terms[id])).first;
    while (at->second != id) ++at;
    by_hash.erase(at);
  }

  const ModPrime field;
  Index n_terms = 0, n_kept = 0, n_living = 0;
  std::vector<Terms> terms = std::vector<Terms>(1);
  std::vector<Id> same_as{0};
  std::vector<std::vector<Id>> with;  // by slot: values with the class, and some that had it
  std::vector<Index> age_in;          // by slot
  std::vector<Int32> free_slots;
  Terms result;
  struct Same {
    size_t operator()(Wide hash) const { return (size_t)hash; }
  };
  std::unordered_multimap<Wide, Id, Same> by_hash;
};

}  // namespace rips
#endif
