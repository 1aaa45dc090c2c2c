// Pairing of the simplices of one lower star of a mesh: Robins, Wood, Sheppard 2011, algorithm 1.
//
// The lower star of v holds the simplices whose highest vertex is v; vertices are ordered by `rank`.
// Without v it is the lower link, one dimension less: edges are its points, triangles its edges,
// tetrahedra its triangles. Simplices compare by their vertices in descending order, prefix first
// ("G order"). Lower neighbors are numbered in ascending order, so that G order is the order of the
// numbers r1 > r2 > r3 of a simplex, and each simplex has a place in that order within its dimension:
// the least of a set of places is its lowest bit.
//
// Entries, one Wide per simplex of the star, are filled by star_entries.h:
//   edge        rank of the lower neighbor << 33 | it has a lower mesh id than v << 32 | edge
//   others      r1 << 56 | r2 << 48 | r3 << 40 | corners << 32 | triangle or tetrahedron
// `corners` holds for k = 1, 2, 3, in two bits each, which corner (0..3 in mesh order) has number rk.
// Codes: 0..3 the facet paired with; facet k of a d-simplex lacks corner d - k.
#pragma once
#include "common/types.h"

enum { PAIRED_UP = 4, CRITICAL_SIMPLEX = 5, ABSENT_SIMPLEX = 6 };
enum { SMALL_STAR_EDGES = 32, SMALL_STAR_TRIANGLES = 64, SMALL_STAR_TETS = 64 };

ITEM int lowest_place(Wide mask) {
  return (Word)mask ? lowest_bit((Word)mask) : 32 + lowest_bit((Word)(mask >> 32));
}
ITEM Wide wide_bit(int place) { return (Wide)1 << place; }
ITEM Wide first_places(int n) { return n >= 64 ? ~(Wide)0 : wide_bit(n) - 1; }

ITEM int number_in(Wide entry, int k) { return (int)(entry >> (64 - 8 * k) & 255); }
ITEM int corner_in(Wide entry, int k) { return (int)(entry >> (30 + 2 * k) & 3); }
ITEM Wide with_corner(int corner, int k) { return (Wide)corner << (30 + 2 * k); }
ITEM Int32 simplex_in(Wide entry) { return (Int32)(Word)entry; }

// A star in progress: n entries of a dimension.
struct StarEntries {
  const Wide *edges, *triangles, *tets;
  int n_edges, n_triangles, n_tets;
};
// The codes of all simplices, by dimension.
struct SimplexCodes {
  Byte *edges, *triangles, *tets;
};

// Number of facets of each simplex that are not assigned yet, in two planes of bits.
struct FacetCounts {
  Wide low, high;
  ITEM_MEMBER void take_one(Wide of) {
    Wide borrow = of & ~low;
    low ^= of;
    high ^= borrow;
  }
  ITEM_MEMBER Wide none() const { return ~low & ~high; }
  ITEM_MEMBER Wide one() const { return low & ~high; }
};

struct SmallStar {
  StarEntries star;
  Word below[SMALL_STAR_EDGES];               // by number: the lower numbers that a triangle joins to it
  Byte first_triangle[SMALL_STAR_EDGES];      // number of triangles before those of this r1
  Byte triangle_at[SMALL_STAR_TRIANGLES];     // place in G order -> entry
  Word tet_at[SMALL_STAR_TETS];               // r1, r2, r3 and the entry, ascending
  Wide triangles_of[SMALL_STAR_EDGES];        // cofacets
  Wide tets_of[SMALL_STAR_TRIANGLES];

  ITEM_MEMBER int place_of(int r1, int r2) const {
    return first_triangle[r1] + population(below[r1] & (bit(r2) - 1));
  }
  ITEM_MEMBER Wide triangle(int place) const { return star.triangles[triangle_at[place]]; }
  ITEM_MEMBER Wide tet(int place) const { return star.tets[tet_at[place] & 255]; }
};

ITEM void arrange_triangles(SmallStar& s) {
  for (int r = 0; r < s.star.n_edges; ++r) s.below[r] = 0, s.triangles_of[r] = 0;
  for (int j = 0; j < s.star.n_triangles; ++j) {
    const Wide entry = s.star.triangles[j];
    s.below[number_in(entry, 1)] |= bit(number_in(entry, 2));
  }
  int before = 0;
  for (int r = 0; r < s.star.n_edges; ++r) {
    s.first_triangle[r] = (Byte)before;
    before += population(s.below[r]);
  }
  for (int j = 0; j < s.star.n_triangles; ++j) {
    const Wide entry = s.star.triangles[j];
    const int r1 = number_in(entry, 1), r2 = number_in(entry, 2), place = s.place_of(r1, r2);
    s.triangle_at[place] = (Byte)j;
    s.tets_of[place] = 0;
    s.triangles_of[r1] |= wide_bit(place);
    s.triangles_of[r2] |= wide_bit(place);
  }
}
ITEM void arrange_tets(SmallStar& s) {
  for (int j = 0; j < s.star.n_tets; ++j) {
    const Word key = (Word)(s.star.tets[j] >> 32) & ~255u;
    int at = j;
    for (; at > 0 && s.tet_at[at - 1] > key; --at) s.tet_at[at] = s.tet_at[at - 1];
    s.tet_at[at] = key | (Word)j;
  }
  for (int place = 0; place < s.star.n_tets; ++place) {
    const Wide entry = s.tet(place);
    const int r1 = number_in(entry, 1), r2 = number_in(entry, 2), r3 = number_in(entry, 3);
    s.tets_of[s.place_of(r1, r2)] |= wide_bit(place);
    s.tets_of[s.place_of(r1, r3)] |= wide_bit(place);
    s.tets_of[s.place_of(r2, r3)] |= wide_bit(place);
  }
}

// Numbers of the first simplex of a set, as an integer that compares like G order; all ones if the set is
// empty. A prefix has the same number as its lowest extension and is tried first.
ITEM Word first_triangle_key(const SmallStar& s, Wide places) {
  return places ? (Word)(s.triangle(lowest_place(places)) >> 40) : ~0u;
}
ITEM Word first_tet_key(const SmallStar& s, Wide places) {
  return places ? s.tet_at[lowest_place(places)] >> 8 : ~0u;
}

// In: a star of at most SMALL_STAR_* simplices, its edges ascending, the others in any order. Out:
// the codes of all its simplices except v, which is PAIRED_UP unless the star is empty.
//
// The paper's queues are the simplices that are `alive`, not yet assigned, and have one facet alive
// or none: both sets are read from the counts. v counts as assigned from the start.
ITEM void pair_small_star(const StarEntries& star, SimplexCodes codes) {
  if (!star.n_edges) return;
  SmallStar s;
  s.star = star;
  arrange_triangles(s);
  arrange_tets(s);
  Word edges = (Word)first_places(star.n_edges);
  Wide triangles = first_places(star.n_triangles), tets = first_places(star.n_tets);
  FacetCounts triangle_facets = {0, ~(Wide)0}, tet_facets = {~(Wide)0, ~(Wide)0};

  codes.edges[simplex_in(star.edges[0])] = (Byte)(star.edges[0] >> 32 & 1);
  edges &= edges - 1;
  triangle_facets.take_one(s.triangles_of[0]);
  while (edges | triangles | tets) {
    const Wide one_triangle = triangles & triangle_facets.one(), one_tet = tets & tet_facets.one();
    if (one_triangle | one_tet) {
      if (first_triangle_key(s, one_triangle) <= first_tet_key(s, one_tet)) {
        const int place = lowest_place(one_triangle);
        const Wide entry = s.triangle(place);
        const int r1 = number_in(entry, 1), lacking = edges >> r1 & 1 ? 2 : 1;
        const int r = lacking == 2 ? r1 : number_in(entry, 2);
        codes.triangles[simplex_in(entry)] = (Byte)(2 - corner_in(entry, lacking));
        codes.edges[simplex_in(star.edges[r])] = PAIRED_UP;
        edges &= ~bit(r);
        triangles &= ~wide_bit(place);
        triangle_facets.take_one(s.triangles_of[r]);
        tet_facets.take_one(s.tets_of[place]);
      } else {
        const int place = lowest_place(one_tet);
        const Wide entry = s.tet(place);
        const int r1 = number_in(entry, 1), r2 = number_in(entry, 2), r3 = number_in(entry, 3);
        int facet = s.place_of(r1, r2), lacking = 3;
        if (!(triangles >> facet & 1)) facet = s.place_of(r1, r3), lacking = 2;
        if (!(triangles >> facet & 1)) facet = s.place_of(r2, r3), lacking = 1;
        codes.tets[simplex_in(entry)] = (Byte)(3 - corner_in(entry, lacking));
        codes.triangles[simplex_in(s.triangle(facet))] = PAIRED_UP;
        tets &= ~wide_bit(place);
        triangles &= ~wide_bit(facet);
        tet_facets.take_one(s.tets_of[facet]);
      }
    } else {  // the least simplex alive has no facet alive, because its facets are before it
      const Wide no_triangle = triangles & triangle_facets.none(), no_tet = tets & tet_facets.none();
      const Word edge_key = edges ? (Word)lowest_bit(edges) << 16 : ~0u;
      const Word triangle_key = first_triangle_key(s, no_triangle), tet_key = first_tet_key(s, no_tet);
      if (edge_key <= triangle_key && edge_key <= tet_key) {
        const int r = lowest_bit(edges);
        codes.edges[simplex_in(star.edges[r])] = CRITICAL_SIMPLEX;
        edges &= edges - 1;
        triangle_facets.take_one(s.triangles_of[r]);
      } else if (triangle_key <= tet_key) {
        const int place = lowest_place(no_triangle);
        codes.triangles[simplex_in(s.triangle(place))] = CRITICAL_SIMPLEX;
        triangles &= ~wide_bit(place);
        tet_facets.take_one(s.tets_of[place]);
      } else {
        const int place = lowest_place(no_tet);
        codes.tets[simplex_in(s.tet(place))] = CRITICAL_SIMPLEX;
        tets &= ~wide_bit(place);
      }
    }
  }
}
