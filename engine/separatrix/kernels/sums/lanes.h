// Order of summation, equal on every device: 16 lanes, folded per chunk of 4096 columns.
//
// A pair whose column has the sorted position c is added to lane c mod 16, in ascending order of c.
// At the end of each chunk of 4096 positions the lanes are folded, 8, 4, 2, 1, and the chunk is
// added to the row's total in float64, in ascending order of the chunks. Thus a result depends only
// on the set of pairs, not on cuts of their intervals, threads, or vectorization: adding zero for a pair
// that is not in the set does not change a sum that begins at +0.
//
// `Lane` is a scalar, or on the host a vector of 16; functions do not branch on its values.
#pragma once
#include "common/exponential.h"

enum { SUM_LANES = 16, CHUNK = 4096 };
enum SumKind { PLAIN_SUM = 0, WIDE_SUM = 1, COMPENSATED_SUM = 2 };

// One lane of a sum. PLAIN: the type of the values. WIDE: float64. COMPENSATED: a sum and
// the errors of its additions; Ogita, Rump, Oishi 2005, algorithm 4.4 (Sum2).
template <class Lane> struct PlainSum {
  Lane sum;
  ITEM_MEMBER void add(const Lane& v) { sum += v; }
  ITEM_MEMBER void fold(const PlainSum& other) { sum += other.sum; }
};
template <class Lane> struct CompensatedSum {
  Lane sum, error;
  ITEM_MEMBER void add(const Lane& v) {
    Lane total = sum + v, part = total - sum;
    error += (sum - (total - part)) + (v - part);
    sum = total;
  }
  ITEM_MEMBER void fold(const CompensatedSum& other) {
    add(other.sum);
    error += other.error;
  }
};

// Total of a row over its chunks.
struct SumTotal {
  double sum, error;
  ITEM_MEMBER void add(double chunk) { sum += chunk; }
  ITEM_MEMBER void add_compensated(double chunk, double chunk_error) {
    CompensatedSum<double> both = {sum, error};
    both.add(chunk);
    sum = both.sum;
    error = both.error + chunk_error;
  }
};
template <class Lane> ITEM void add_chunk(SumTotal& total, const PlainSum<Lane>& chunk) { total.add((double)chunk.sum); }
template <class Lane> ITEM void add_chunk(SumTotal& total, const CompensatedSum<Lane>& chunk) {
  total.add_compensated((double)chunk.sum, (double)chunk.error);
}

// log of a sum of exponentials as (m, s) = s e^m, where m is the largest so far; initially (-inf, 0).
// Values of -inf are skipped, to avoid inf - inf.
template <class Float> struct LogSum {
  Float m, s;
  ITEM_MEMBER void add(Float v, bool counts) {
    bool above = v > m;
    Float t = decay((above ? v : m) - (above ? m : v));
    Float next = above ? fused(s, t, (Float)1) : s + t;
    s = counts ? next : s;
    m = counts && above ? v : m;
  }
  ITEM_MEMBER void fold(const LogSum& other) {
    bool above = other.m > m;
    Float t = decay((above ? other.m : m) - (above ? m : other.m));
    Float next = above ? fused(s, t, other.s) : fused(other.s, t, s);
    s = other.s > 0 ? next : s;
    m = other.s > 0 && above ? other.m : m;
  }
  ITEM_MEMBER double logarithm() const { return s > 0 ? (double)m + natural_log((double)s) : -infinity(0.0); }
};
template <class Float> ITEM LogSum<Float> no_terms() { return {-infinity((Float)0), (Float)0}; }

// (value, caller's index) ascending: the order of arg reductions. Ties go to the lower index.
template <class Float> ITEM bool comes_first(Float v, Index index, Float other, Index other_index) {
  return v < other || (v == other && index < other_index);
}
