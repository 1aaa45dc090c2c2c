// Edges in the layer after a cut of a volume, in which V-paths between saddles cross the cut or end.
//
// A port is an edge that is paired with a square: a V-path that reaches it from one side of the cut continues
// in that square, which is in the layer or after it, or before the cut. Edges of the layer are numbered in the
// order of their cell ids: rows of edges along x and along y alternate. Ids are those of a grid that begins
// with the layer, so squares before the cut have negative ids.
#pragma once
#include "cubical/grid.h"

enum { NOT_IN_CUT = 0, PORT_ONWARD = 1, PORT_BACK = 2, CRITICAL_IN_CUT = 3 };

ITEM Cell edge_of_layer(Grid grid, Index number) {
  Int32 row = (Int32)(number / grid.nx);
  return {{(Int32)(number - (Index)row * grid.nx), row >> 1, 0}, row & 1 ? 2 : 1};
}
ITEM int kind_in_cut(Word word, int type) {
  int to = direction_of(word, type);
  if (to == CRITICAL) return CRITICAL_IN_CUT;
  if (to == NO_CELL || type >> axis_of(to) & 1) return NOT_IN_CUT;
  return to == MINUS_Z ? PORT_BACK : PORT_ONWARD;
}
ITEM Byte kind_of_edge(Grid grid, const Word* words, Cell edge) {
  return (Byte)kind_in_cut(words[vertex_id(grid, edge.anchor)], edge.type);
}
KERNEL(describe_cut, (Grid grid, const Word* words, Byte* kinds),
       kinds[i] = kind_of_edge(grid, words, edge_of_layer(grid, i)))

ITEM Index id_of(Grid grid, Cell cell) { return cell_id(grid, cell.anchor, cell.type); }
KERNEL(identify_cut_edges, (Grid grid, const Index* numbers, Index* edges),
       edges[i] = id_of(grid, edge_of_layer(grid, numbers[i])))

ITEM Cell square_of_port(Grid grid, const Word* words, Cell edge) {
  int to = direction_of(words[vertex_id(grid, edge.anchor)], edge.type);
  return stepped(grid, edge, axis_of(to), sign_of(to));
}
KERNEL(follow_ports, (Grid grid, const Word* words, const Index* numbers, Index* squares),
       squares[i] = id_of(grid, square_of_port(grid, words, edge_of_layer(grid, numbers[i]))))

// Ports of one kind become critical, so that paths end there.
ITEM Word with_exits(Word word, Int32 kind) {
  for (int type = 1; type <= 2; ++type)
    if (kind_in_cut(word, type) == kind) word |= (Word)CRITICAL << 4 * type;
  return word;
}
KERNEL(end_at_exits, (Word* words, Int32 kind), words[i] = with_exits(words[i], kind))
