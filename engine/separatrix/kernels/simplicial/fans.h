// Fans of a vertex: sets of tetrahedra around it that triangles at it join.
//
// The link of a vertex is a sphere or a disc if it has the Euler characteristic of one and its triangles form a
// single fan. Several fans may also have this Euler characteristic if they are disjoint (a torus and a sphere) or
// pinched at points (two spheres with two common points).
#pragma once
#include "simplicial/build.h"

enum { MOST_IN_FAN = 160 };  // tetrahedra, 8 bytes each of a thread's local memory; the host checks larger stars

// Both contain v, so if they have two other corners in common, they share a triangle at v.
ITEM bool share_a_triangle(const Int32* row, const Int32* other) {
  int n = 0;
  UNROLL for (int a = 0; a < 4; ++a) UNROLL for (int b = 0; b < 4; ++b) n += row[a] == other[b];
  return n == 3;
}
ITEM Word bit_of_corner(Int32 u) { return (Word)1 << ((Word)u * 2654435769u >> 27); }
ITEM bool is_one_fan(Int32 v, const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                     const Int32* star_tets) {
  const Int32 n_own = tet_begin[v + 1] - tet_begin[v], n = star_begin[v + 1] - star_begin[v] + n_own;
  if (n > MOST_IN_FAN) return false;
  Int32 star[MOST_IN_FAN], n_listed = 0, n_reached = n > 0;
  Word bits[MOST_IN_FAN];  // of a tetrahedron's corners, a bit each; at most one is not shared
  visit_star(v, tets, tet_begin, star_begin, star_tets, [&](Int32 t, const Int32* row) {
    star[n_listed] = t;
    bits[n_listed++] = bit_of_corner(row[0]) | bit_of_corner(row[1]) | bit_of_corner(row[2]) | bit_of_corner(row[3]);
  });
  for (Int32 k = 0; k < n_reached; ++k) {  // reached tetrahedra first
    const Int32* row = tets + 4 * (Index)star[k];
    for (Int32 j = n_reached; j < n; ++j) {
      const Word apart = bits[j] & ~bits[k];
      if (apart & (apart - 1) || !share_a_triangle(row, tets + 4 * (Index)star[j])) continue;
      const Int32 t = star[j];
      const Word own = bits[j];
      star[j] = star[n_reached], bits[j] = bits[n_reached];
      star[n_reached] = t, bits[n_reached++] = own;
    }
  }
  return n_reached == n;
}
// Out: is_one (V,): whether the tetrahedra around a vertex are one fan, of at most MOST_IN_FAN.
KERNEL(find_single_fans, (const Int32* tets, const Int32* tet_begin, const Int32* star_begin,
                          const Int32* star_tets, Byte* is_one),
       is_one[i] = is_one_fan((Int32)i, tets, tet_begin, star_begin, star_tets))
