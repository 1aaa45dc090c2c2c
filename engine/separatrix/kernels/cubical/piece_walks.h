// V-paths to extrema through the layers of several pieces. A piece follows a path through its own vertices or top
// cells, from `begin` to `end`, and hands it on with the direction in which the path enters the next one.
#pragma once
#include "cubical/reversal.h"

struct PieceWalk {
  Grid grid;  // of the layers that the piece reads
  const Word* words;
  Index begin, end;
  Int32 type;

  ITEM_MEMBER bool owns(Index anchor) const { return anchor >= begin && anchor < end; }
  // Pairs the cell between the last one and this one with this one, if the piece owns it.
  ITEM_MEMBER void turn_between(Anchor anchor, int direction, Word* turned) const {
    const Cell between = stepped(grid, {vertex_at(grid, anchor), type}, axis_of(direction), -sign_of(direction));
    if (owns(vertex_id(grid, between.anchor))) turn(grid, words, between, direction, turned);
  }
  // Out: the number of cells; their directions, if `chain` is not null; turns, if `turned` is not null.
  // In and out: the next cell, NONE after the last one, and the direction from the cell before it.
  ITEM_MEMBER Int32 follow(Index* at, Byte* direction, Byte* chain, Word* turned) const {
    Anchor anchor = (Anchor)*at;
    int to = *direction;
    Int32 n = 0;
    if (turned && anchor != NONE) turn_between(anchor, to, turned);
    while (anchor != NONE && owns(anchor)) {
      const int onward = direction_of(words[anchor], type);
      if (onward == NO_CELL) {
        anchor = NONE;
        break;
      }
      if (chain) chain[n] = (Byte)onward;
      ++n;
      if (turned) turn(grid, words, {vertex_at(grid, anchor), type}, opposite(to), turned);
      anchor = parent_of(grid, words, type, anchor);  // NONE after an extremum
      to = onward;
      if (turned && anchor != NONE) turn_between(anchor, to, turned);
    }
    *at = anchor;
    *direction = (Byte)to;
    return n;
  }
};

ITEM void start_walk(Grid grid, const Index* saddles, Int32 type, Index side, Index* at, Byte* direction) {
  const Arc arc = arc_of(grid, saddles[side >> 1], (int)(side & 1), type);
  *at = arc.first;
  *direction = (Byte)(2 * arc.axis + (arc.sign > 0 ? PLUS_X : MINUS_X));
}
// `sides`: arcs 2 * saddle + side.
KERNEL(start_walks, (Grid grid, const Index* saddles, Int32 type, const Index* sides, Index* at, Byte* direction),
       start_walk(grid, saddles, type, sides[i], at + i, direction + i))

ITEM void measure_walk(PieceWalk walk, Index at, Byte direction, Int32* length) {
  *length = walk.follow(&at, &direction, nullptr, nullptr);
}
ROW_KERNEL(measure_walks, (Grid grid, const Word* words, Index begin, Index end, Int32 type, const Index* at,
                           const Byte* direction, Int32* length),
           measure_walk({grid, words, begin, end, type}, at[i], direction[i], length + i))
ROW_KERNEL(fill_walks, (Grid grid, const Word* words, Index begin, Index end, Int32 type, const Index* offsets, Index* at,
                        Byte* direction, Byte* chain),
           PieceWalk{grid, words, begin, end, type}.follow(at + i, direction + i, chain + offsets[i], nullptr))
ROW_KERNEL(turn_walks, (Grid grid, const Word* words, Index begin, Index end, Int32 type, Index* at, Byte* direction,
                        Word* turned),
           PieceWalk{grid, words, begin, end, type}.follow(at + i, direction + i, nullptr, turned))
