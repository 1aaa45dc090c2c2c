// Edges of a distance matrix, and matrices of their ranks.
#pragma once
#include "common/order.h"

// The row of entry i of a matrix (n, n); dividing 32 bits takes a fraction of the time.
ITEM Index row_of_entry(Index i, Index n) { return n < 65536 ? (Index)((Word)i / (Word)n) : i / n; }

// In: matrix (n, n). Whether each entry is an edge: above the diagonal, finite, and at most the limit.
ITEM bool is_edge(const Real* matrix, Index n, Real limit, Index i) {
  const Index row = row_of_entry(i, n);
  return row < i - row * n && matrix[i] <= limit && is_finite(matrix[i]);
}
KERNEL(flag_edges, (const Real* matrix, Index n, Real limit, Byte* flags), flags[i] = is_edge(matrix, n, limit, i))

ITEM void list_ends_of(Index entry, Index n, Int32* ends) {
  const Index row = row_of_entry(entry, n);
  ends[0] = (Int32)row;
  ends[1] = (Int32)(entry - row * n);
}
KERNEL(list_ends, (const Index* entries, Index n, Int32* ends), list_ends_of(entries[i], n, ends + 2 * i))

// Sets both entries of an edge in ranks (n, n).
ITEM void place_rank(Index a, Index b, Word rank, Index n, Word* ranks) {
  ranks[a * n + b] = rank;
  ranks[b * n + a] = rank;
}
KERNEL(place_ranks, (const Int32* ends, const Word* rank, Index n, Word* ranks),
       place_rank(ends[2 * i], ends[2 * i + 1], rank[i], n, ranks))

// Copies entry i of ranks (n, n) to rows of `stride`, with all bits set on the diagonal.
template <class Rank> ITEM void place_in_row(const Word* ranks, Index n, Index stride, Index i, Rank* rows) {
  const Index row = row_of_entry(i, n), column = i - row * n;
  rows[row * stride + column] = row == column ? (Rank)~(Rank)0 : (Rank)ranks[i];
}
KERNEL(fill_short_rows, (const Word* ranks, Index n, Index stride, HalfWord* rows), place_in_row(ranks, n, stride, i, rows))
KERNEL(fill_rows, (const Word* ranks, Index n, Index stride, Word* rows), place_in_row(ranks, n, stride, i, rows))
