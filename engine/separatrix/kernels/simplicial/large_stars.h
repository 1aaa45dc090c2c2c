// Pairing of lower stars that are too large for bits: hubs, with any number of simplices.
//
// The same algorithm as in lower_star.h, with the queues of the paper: simplices are sorted in
// G order, looked up by bisection, and their places wait in binary heaps. O(n log n) for a star of
// n simplices, one item per star. Working memory, LARGE_STAR_WORDS Int32 per simplex: records of (ranks
// of the other corners in descending order, NONE after the last; id; corners' places in mesh
// order, two bits each), lists of cofacets (head, next by facet), two heaps, facets to be assigned.
#pragma once
#include "simplicial/simplices.h"
#include "simplicial/star_entries.h"

enum { STAR_RECORD = 5, LARGE_STAR_WORDS = 12 };

struct LargeStar {
  Int32 *records, *head, *next, *one, *zero, *waits;  // waits: facets alive, ASSIGNED when assigned
  Int32 n, n_one, n_zero;
  ITEM_MEMBER Int32* record(Int32 at) const { return records + (Index)STAR_RECORD * at; }
};
enum { ASSIGNED = 9 };
ITEM LargeStar large_star_in(Int32* room, Index n) {
  return {room, room + 5 * n, room + 6 * n, room + 9 * n, room + 10 * n, room + 11 * n, (Int32)n, 0, 0};
}

// === records, sorted
ITEM bool is_less_record(const Int32* a, const Int32* b) {
  return a[0] != b[0] ? a[0] < b[0] : a[1] != b[1] ? a[1] < b[1] : a[2] < b[2];
}
ITEM void swap_records(Int32* a, Int32* b) {
  for (int k = 0; k < STAR_RECORD; ++k) {
    const Int32 held = a[k];
    a[k] = b[k], b[k] = held;
  }
}
ITEM void sink_record(const LargeStar& s, Int32 at, Int32 n) {
  for (Int32 child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && is_less_record(s.record(child), s.record(child + 1))) ++child;
    if (!is_less_record(s.record(at), s.record(child))) return;
    swap_records(s.record(at), s.record(child));
    at = child;
  }
}
ITEM void sort_records(const LargeStar& s) {
  for (Int32 at = s.n / 2 - 1; at >= 0; --at) sink_record(s, at, s.n);
  for (Int32 last = s.n - 1; last > 0; --last) {
    swap_records(s.record(0), s.record(last));
    sink_record(s, 0, last);
  }
}
ITEM Int32 place_of_record(const LargeStar& s, Int32 r1, Int32 r2, Int32 r3) {
  const Int32 wanted[3] = {r1, r2, r3};
  Int32 first = 0;
  for (Int32 step = s.n; step > 1;) {
    const Int32 half = step / 2;
    first += is_less_record(wanted, s.record(first + half)) ? 0 : half;
    step -= half;
  }
  return first;
}
ITEM void put_record(Int32* record, const Corners& corners, Int32 id) {
  record[3] = id, record[4] = 0;
  for (int k = 1; k < 4; ++k) {
    record[k - 1] = k < corners.n ? corners.rank(k) : NONE;
    if (k < corners.n) record[4] |= corners.place(k) << 2 * (k - 1);
  }
}
ITEM int dimension_of(const Int32* record) { return record[2] != NONE ? 3 : record[1] != NONE ? 2 : 1; }
ITEM int place_of_corner(const Int32* record, int k) { return record[4] >> 2 * (k - 1) & 3; }

// Facet of a record without its k-th corner, 1 <= k; those of edges are v, which has no record.
ITEM Int32 facet_of_record(const LargeStar& s, const Int32* record, int k) {
  const Int32 r1 = record[0], r2 = record[1], r3 = record[2];
  return k == 1 ? place_of_record(s, r2, r3, NONE) : k == 2 ? place_of_record(s, r1, r3, NONE)
                                                                    : place_of_record(s, r1, r2, NONE);
}

// === heaps of places
ITEM void push_place(Int32* heap, Int32& n, Int32 place) {
  Int32 at = n++;
  for (; at > 0 && heap[(at - 1) / 2] > place; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = place;
}
ITEM Int32 pop_place(Int32* heap, Int32& n) {
  const Int32 least = heap[0], place = heap[--n];
  Int32 at = 0;
  for (Int32 child = 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && heap[child + 1] < heap[child]) ++child;
    if (heap[child] >= place) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = place;
  return least;
}

ITEM void put_code(const Int32* record, int code, SimplexCodes codes) {
  const int dimension = dimension_of(record);
  (dimension == 1 ? codes.edges : dimension == 2 ? codes.triangles : codes.tets)[record[3]] = (Byte)code;
}
// Marks a simplex as paired or critical; its cofacets wait for one facet fewer.
ITEM void assign_simplex(LargeStar& s, Int32 place, int code, SimplexCodes codes) {
  put_code(s.record(place), code, codes);
  s.waits[place] = ASSIGNED;
  for (Int32 link = s.head[place]; link != NONE; link = s.next[link]) {
    const Int32 cofacet = link / 3;
    if (s.waits[cofacet] == ASSIGNED) continue;
    --s.waits[cofacet];
    if (s.waits[cofacet] == 1) push_place(s.one, s.n_one, cofacet);
    else if (s.waits[cofacet] == 0) push_place(s.zero, s.n_zero, cofacet);
  }
}
ITEM void pair_with_facet(LargeStar& s, Int32 place, SimplexCodes codes) {
  const Int32* record = s.record(place);
  const int dimension = dimension_of(record);
  int lacking = dimension;
  Int32 facet = facet_of_record(s, record, lacking);
  while (s.waits[facet] == ASSIGNED) facet = facet_of_record(s, record, --lacking);
  assign_simplex(s, place, dimension - place_of_corner(record, lacking), codes);
  assign_simplex(s, facet, PAIRED_UP, codes);
}

// In: s, all records of the star in any order. Out: the codes of its simplices.
ITEM void pair_large_star(LargeStar s, SimplexCodes codes) {
  sort_records(s);
  for (Int32 at = 0; at < s.n; ++at) s.head[at] = NONE, s.waits[at] = 0;
  for (Int32 at = 0; at < s.n; ++at) {
    const Int32* record = s.record(at);
    const int dimension = dimension_of(record);
    if (dimension == 1) {
      if (at) push_place(s.zero, s.n_zero, at);
      continue;
    }
    s.waits[at] = dimension;
    for (int k = 1; k <= dimension; ++k) {
      const Int32 facet = facet_of_record(s, record, k), link = 3 * at + k - 1;
      s.next[link] = s.head[facet];
      s.head[facet] = link;
    }
  }
  assign_simplex(s, 0, 1 - place_of_corner(s.record(0), 1), codes);  // with v: the steepest edge
  while (s.n_one || s.n_zero) {
    if (s.n_one) {
      const Int32 place = pop_place(s.one, s.n_one);
      if (s.waits[place] == 1) pair_with_facet(s, place, codes);
    } else {
      const Int32 place = pop_place(s.zero, s.n_zero);
      if (s.waits[place] == 0) assign_simplex(s, place, CRITICAL_SIMPLEX, codes);
    }
  }
}

// === entry point
ITEM void pair_large_star_of(Int32 n, Int32 n_edges, Int32 v, const Int32* rank, const Int32* edge_lower,
                             const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third,
                             const Int32* tets, const Index* offsets, const Wide* entries, Int32* room,
                             SimplexCodes codes) {
  const StarRows rows = rows_of_star(n, v, offsets);
  const LargeStar s = large_star_in(room, rows.n());
  Int32* record = s.records;
  for (Index k = 0; k < rows.n_edges; ++k, record += STAR_RECORD) {
    const Wide entry = entries[rows.edges + k];
    const Wide other_place = 1 - (entry >> 32 & 1);  // 0 if the neighbor has the lower mesh id
    put_record(record, {{0, (entry >> 33) << 2 | other_place, 0, 0}, 2}, simplex_in(entry));
  }
  for (Index k = 0; k < rows.n_triangles; ++k, record += STAR_RECORD) {
    const Int32 t = simplex_in(entries[rows.triangles + k]), e = interval_of(triangle_begin, n_edges, t);
    put_record(record, corners_of_triangle(edge_lower[e], edge_upper[e], triangle_third[t], rank), t);
  }
  for (Index k = 0; k < rows.n_tets; ++k, record += STAR_RECORD) {
    const Int32 t = simplex_in(entries[rows.tets + k]);
    put_record(record, corners_of_tet(tets + 4 * (Index)t, rank), t);
  }
  pair_large_star(s, codes);
}
// In: large (k,) vertices, room_begin (k,) simplices of the stars before each. Out: codes.
COARSE_KERNEL(pair_large_stars, (Int32 n, Int32 n_edges, const Int32* large, const Index* room_begin, const Int32* rank, const Int32* edge_lower, const Int32* edge_upper, const Int32* triangle_begin, const Int32* triangle_third, const Int32* tets, const Index* offsets, const Wide* entries, Int32* room, Byte* edge_codes, Byte* triangle_codes, Byte* tet_codes),
       pair_large_star_of(n, n_edges, large[i], rank, edge_lower, edge_upper, triangle_begin, triangle_third, tets, offsets, entries, room + LARGE_STAR_WORDS * room_begin[i], {edge_codes, triangle_codes, tet_codes}))
