// The pairs of a packed gradient, one arrow each, and the codes of all cells of the doubled grid.
#pragma once
#include "cubical/grid.h"

ITEM int code_of_cell(Grid grid, const Word* words, Cell cell) {
  return direction_of(words[vertex_id(grid, cell.anchor)], cell.type);
}
KERNEL(unpack_codes, (Grid grid, const Word* words, Byte* codes),
       codes[i] = (Byte)code_of_cell(grid, words, cell_at(grid, i)))

// A cell is the tail of an arrow when its partner is a cofacet: its own axis is even.
ITEM bool is_tail(int direction, int type) {
  return direction != NO_CELL && direction != CRITICAL && !(type >> axis_of(direction) & 1);
}
ITEM Int32 n_tails(Word word) {
  Int32 n = 0;
  for (int type = 0; type < 8; ++type) n += is_tail(direction_of(word, type), type);
  return n;
}
KERNEL(count_arrows, (const Word* words, const Index* anchors, Int32* count), count[i] = n_tails(words[anchors[i]]))

ITEM void list_tails(Grid grid, const Word* words, Index anchor, Index at, Index* tails, Index* heads) {
  for (int type = 0; type < 8; ++type) {
    int direction = direction_of(words[anchor], type);
    if (!is_tail(direction, type)) continue;
    tails[at] = cell_id(grid, vertex_at(grid, (Anchor)anchor), type);
    heads[at] = cell_beside(grid, tails[at], axis_of(direction), sign_of(direction));
    ++at;
  }
}
KERNEL(list_arrows, (Grid grid, const Word* words, const Index* anchors, const Index* offsets, Index* tails, Index* heads),
       list_tails(grid, words, anchors[i], offsets[i], tails, heads))
