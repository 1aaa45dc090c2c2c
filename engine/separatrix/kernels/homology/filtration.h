// Filtration of a complex of up to three dimensions: orders, columns of triangles, and pairs.
//
// In: facets (m, d + 1), rows of dimension d - 1; order (m,), the rows of one dimension in the filtration; death_of
// (m,), the row of dimension d + 1 that ends the class of each row, or NONE; is_death (m,), rows that end one.
#pragma once
#include "common/order.h"
#include "homology/column_reduction.h"
#include "homology/merge_rounds.h"

KERNEL(invert_order, (const Int32* order, Int32* place), place[order[i]] = (Int32)i)

// Both tetrahedra (n, 2) of each triangle, in any order; NONE before.
ITEM void add_coface(Int32 tet, Int32* tets) {
  if (!replace_if(tets, NONE, tet)) replace_if(tets + 1, NONE, tet);
}
KERNEL(list_cofaces, (const Int32* facets, Int32* cofaces), add_coface((Int32)(i / 4), cofaces + 2 * (Index)facets[i]))

// === columns (k, 4) of triangles: the number of entries, and the entries
ITEM void swap_if(bool is_wrong, Int32& a, Int32& b) {
  const Int32 first = is_wrong ? b : a;
  b = is_wrong ? a : b;
  a = first;
}
// The places of the edges that have one, the last one first. In a periodic box, two edges may be copies, which cancel.
ITEM void list_column(const Int32* edges, const Int32* place, Int32* column) {
  Int32 a = place[edges[0]], b = place[edges[1]], c = place[edges[2]];
  swap_if(a < b, a, b);
  swap_if(b < c, b, c);
  swap_if(a < b, a, b);
  if (a == b) a = c, b = c = NONE;
  else if (b == c) b = c = NONE;
  column[0] = (a != NONE) + (b != NONE) + (c != NONE);
  column[1] = a, column[2] = b, column[3] = c;
}
// The first column that ends at a place owns it.
ITEM void list_owned_column(Index i, const Int32* edges, const Int32* place, Int32* column, Int32* owner) {
  list_column(edges, place, column);
  if (column[0]) lower_to(owner + column[1], (Int32)i);
}
KERNEL(list_columns, (const Int32* triangles, const Int32* facets, const Int32* place, Int32* columns, Int32* owner),
       list_owned_column(i, facets + 3 * (Index)triangles[i], place, columns + 4 * i, owner))
KERNEL(flag_waiting, (const Int32* columns, const Int32* owner, Byte* waits),
       waits[i] = columns[4 * i] && owner[columns[4 * i + 1]] != (Int32)i)

// === pairs
KERNEL(record_deaths, (const Int32* victim, Int32* death_of), if (victim[i] != NONE) death_of[victim[i]] = (Int32)i)
KERNEL(mark_victims, (const Int32* victim, Byte* is_victim), if (victim[i] != NONE) is_victim[victim[i]] = 1)
// Pairs of edges (n,) with the triangles of the columns that own their places.
ITEM void pair_edge(Int32 edge, Int32 column, const Int32* triangles, Int32* death_of, Byte* is_death) {
  if (column == NO_COLUMN) return;
  death_of[edge] = triangles[column];
  is_death[triangles[column]] = 1;
}
KERNEL(pair_edges, (const Int32* edges, const Int32* owner, const Int32* triangles, Int32* death_of, Byte* is_death),
       pair_edge(edges[i], owner[i], triangles, death_of, is_death))

ITEM Byte is_shown(Int32 row, const Byte* is_death, const Int32* death_of, const Real* value, const Real* above,
                   Index with_zeros) {
  if (is_death[row]) return 0;
  return with_zeros || death_of[row] == NONE || above[death_of[row]] > value[row];
}
KERNEL(flag_births, (const Int32* order, const Byte* is_death, const Int32* death_of, const Real* value,
                     const Real* above, Index with_zeros, Byte* flags),
       flags[i] = is_shown(order[i], is_death, death_of, value, above, with_zeros))
ITEM void fill_pair(Int32 row, Int32 death, const Real* value, const Real* above, Index own_first, Index first_above,
                    Real* birth, Real* died, Real* persistence, Index* birth_row, Index* death_row) {
  const Real end = death == NONE ? from_bits(0x7ff0000000000000ull) : above[death];
  *birth = value[row];
  *died = end;
  *persistence = end - value[row];
  *birth_row = own_first + row;
  *death_row = death == NONE ? NONE : first_above + death;
}
KERNEL(describe_pairs, (const Index* chosen, const Int32* order, const Int32* death_of, const Real* value, const Real* above,
                    Index own_first, Index first_above, Real* birth, Real* death, Real* persistence, Index* birth_row,
                    Index* death_row), {
  const Int32 row = order[chosen[i]];
  fill_pair(row, death_of[row], value, above, own_first, first_above, birth + i, death + i, persistence + i, birth_row + i,
            death_row + i);
})
