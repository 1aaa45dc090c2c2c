// The gradient after cancellations: V-paths between canceled cells, reversed (Forman 1998, section 11).
//
// A V-path from a saddle s to an extremum x passes cells c0, c1, ... of x's dimension and the cells
// b0, b1, ... between them; c_k is paired with b_k. Reversed, s is paired with c0, b_k with c_(k+1), and
// so x is no longer critical. The arcs of one call do not share cells: they end in different basins. Paths
// are read from the raw words, and nibbles of a copy are changed by exclusive or, so that the order of
// threads does not matter, although arcs share words.
#pragma once
#include "cubical/separatrices.h"
#include "cubical/star.h"
#include "cubical/surfaces.h"

#if ON_GPU
ITEM void xor_into(Word* word, Word bits) { atomicXor(word, bits); }
#else
ITEM void xor_into(Word* word, Word bits) { __atomic_fetch_xor(word, bits, __ATOMIC_RELAXED); }
#endif

// From `raw` to `words` the cell's partner changes to the one in `direction`.
ITEM void turn(Grid grid, const Word* raw, Cell cell, int direction, Word* words) {
  Anchor anchor = vertex_id(grid, cell.anchor);
  xor_into(words + anchor, (Word)(direction_of(raw[anchor], cell.type) ^ direction) << 4 * cell.type);
}
// `side`: arc 2 * saddle + side of the extremum arcs of this type (0: down to minima, the top type: up
// to maxima), which must end at an extremum.
ITEM void reverse_arc(Grid grid, const Word* raw, const Index* saddles, Int32 type, Int32 side, Word* words) {
  Cell cell = cell_at(grid, saddles[side >> 1]);
  int direction = 2 * lowest_bit((Word)(cell.type ^ type)) + (side & 1 ? PLUS_X : MINUS_X);
  while (true) {
    turn(grid, raw, cell, direction, words);  // pair the saddle, or the cell between, with the next cell
    cell = stepped(grid, cell, axis_of(direction), sign_of(direction));
    int onward = direction_of(raw[vertex_id(grid, cell.anchor)], type);
    turn(grid, raw, cell, opposite(direction), words);
    if (onward == CRITICAL) return;
    direction = onward;
    cell = stepped(grid, cell, axis_of(direction), sign_of(direction));
  }
}
KERNEL(reverse_arcs, (Grid grid, const Word* raw, const Index* saddles, Int32 type, const Int32* sides, Word* words),
       reverse_arc(grid, raw, saddles, type, sides[i], words))
