// Chains and cochains over Z/p: packed simplices with coefficients, and how they are handed to the caller.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <algorithm>
#include <memory>
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

// Several of them as rows of a CSR table, kept until the caller has made room and takes them over.
struct Kept {
  std::vector<Index> offsets;
  std::vector<Int32> vertices, coefficients;
};

}  // namespace rips
#endif

HOST_TASK(count_kept_chains, (Index kept), (Index)((rips::Kept*)kept)->coefficients.size())

HOST_TASK(take_kept_chains, (Index kept, Index* offsets, Int32* vertices, Int32* coefficients),
          ([&] {
            const std::unique_ptr<rips::Kept> taken((rips::Kept*)kept);
            std::copy(taken->offsets.begin(), taken->offsets.end(), offsets);
            std::copy(taken->vertices.begin(), taken->vertices.end(), vertices);
            std::copy(taken->coefficients.begin(), taken->coefficients.end(), coefficients);
            return 0;
          }()))

HOST_TASK(drop_kept_chains, (Index kept), (delete (rips::Kept*)kept, 0))
