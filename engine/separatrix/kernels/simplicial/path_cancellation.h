// Squares and edges of a mesh for morse/saddle_search.h: nodes and terminals of the graph of
// paths.h.
//
// Nodes and edges that are not on a V-path between saddles never become part of one, because a reversal only
// changes the partners of squares that lead to a 1-saddle. So the raw graph contains all cells that are searched,
// and only the pairs change. The log's code of a node is the number of the facet that becomes its partner,
// `width` for the edge that it is paired with in the raw complex. Nodes are triangles, of width 3, or chains
// of squares, of width 4: cubical/path_chains.h.
#pragma once
#include "morse/saddle_log.h"

enum { OWN_FACET = 3 };  // of a triangle

#if !ON_GPU
class PathCells {
 public:
  PathCells(Int32 width, const Int32* below, const Index* above_offsets, const Int32* above, const Int32* own_edge,
            Int32 n_nodes, Int32* square_at, Int32* edge_at, Int32* heights)
      : width(width), below(below), above_offsets(above_offsets), above(above), own_edge(own_edge), n_nodes(n_nodes),
        square_at(square_at), edge_at(edge_at), heights(heights) {}

  Index square_of(Index edge) const { return square_at[edge]; }
  Index edge_of(Index square) const { return edge_at[square]; }
  bool is_critical(Index cell) const { return (cell < n_nodes ? edge_at : square_at)[cell] == NONE; }
  SquareState state_of(Index square) const { return edge_at[square] == NONE ? IS_CRITICAL : ON_PATHS; }
  template <class Offer> void for_steps(Index square, Offer offer) const {
    for_edges_of(square, [&](Index edge) {
      const Index onward = square_of(edge);
      offer(onward, onward == NONE || onward == square ? OFF_PATHS : ON_PATHS);
    });
  }
  template <class Offer> void for_steps_to(Index square, Offer offer) const {
    for_squares_at(edge_of(square), [&](Index from) { offer(from, from == square ? OFF_PATHS : state_of(from)); });
  }
  Index most_steps(Index) const { return 4; }
  Index most_steps_to(Index square) const {
    const Index edge = edge_of(square);
    return above_offsets[edge + 1] - above_offsets[edge] + 1;
  }
  template <class Visit> void for_edges_of(Index square, Visit visit) const {
    for (int k = 0; k < width; ++k)
      if (below[width * square + k] != NONE) visit((Index)below[width * square + k]);
    if (own_edge[square] != NONE) visit(square);
  }
  template <class Visit> void for_squares_at(Index edge, Visit visit) const {
    for (Index at = above_offsets[edge]; at < above_offsets[edge + 1]; ++at) visit((Index)above[at]);
    if (edge < n_nodes && own_edge[edge] != NONE) visit(edge);
  }
  Wide height(Index cell) const { return (Wide)heights[cell]; }
  const Word* slot_of_height(Index) const { return nullptr; }
  Wide height_in(Index cell, const Word*) const { return height(cell); }
  void set_height(Index cell, Wide height) { heights[cell] = (Int32)height; }
  void pair(Index square, Index edge) {
    edge_at[square] = (Int32)edge;
    square_at[edge] = (Int32)square;
  }
  Index log_cell(Index square) const { return square; }
  int log_code(Index square, Index edge) const {
    if (edge == square) return width;
    int k = 0;
    while (below[width * square + k] != edge) ++k;
    return k;
  }
  Int32 place(Index cell) const { return (Int32)(cell % n_nodes); }  // critical edges share those of nodes
  Index n_places() const { return n_nodes; }
  Int32 region(Int32 place) const { return place >> 10; }
  Index n_regions() const { return (n_nodes >> 10) + 1; }
  void prefetch(Index) const {}

 private:
  const Int32 width;
  const Int32* below;
  const Index* above_offsets;
  const Int32* above;
  const Int32* own_edge;  // NONE at sources
  const Int32 n_nodes;
  Int32* square_at;  // terminal: the node that its edge is paired with
  Int32* edge_at;    // node: the terminal whose edge it is paired with
  Int32* heights;    // of nodes, then of critical edges
};
#endif

#if !ON_GPU
static Index cancel_path_saddles_in(PathCells&& cells, const Index* nodes, const Index* terminals, SaddlePairs pairs, Word* upper,
                                    Word* lower, bool joins_others, int n_threads, Index* sizes) {
  const CellsInPlace squares(upper, pairs.n, 0, [&](Word k) { return nodes[k]; });
  const CellsInPlace edges(lower, pairs.n, 0, [&](Word k) { return terminals[k]; });
  pairs.upper = squares.cells();
  pairs.lower = edges.cells();
  return saddle_log_of(cells, pairs, joins_others, n_threads, sizes);
}
#endif

// Pairs consist of the upper[k]-th node and the lower[k]-th terminal listed; the output is that of cancel_grid_saddles.
HOST_TASK(cancel_path_saddles, (Int32 width, const Int32* below, const Index* above_offsets, const Int32* above,
                                const Int32* own_edge, Int32 n_nodes, Int32* square_at, Int32* edge_at, Int32* heights,
                                const Index* nodes, const Index* terminals, Index n_pairs, Word* upper, Word* lower,
                                const Real* persistence, const Real* upper_value, const Real* lower_value, Byte joins_others,
                                Int32 n_threads, Index* sizes),
          cancel_path_saddles_in(PathCells(width, below, above_offsets, above, own_edge, n_nodes, square_at, edge_at, heights), nodes,
                                 terminals, {n_pairs, {}, {}, persistence, upper_value, lower_value}, upper, lower,
                                 joins_others != 0, n_threads, sizes))

// `own`: the raw codes of triangles.
ITEM void turn_path_node(const Int32* triangles, const Byte* own, Wide entry, Byte* codes) {
  const Int32 triangle = triangles[logged_cell(entry)];
  const int facet = logged_code(entry);
  codes[triangle] = facet == OWN_FACET ? own[triangle] : (Byte)facet;
}
KERNEL(replay_path_turns, (const Int32* triangles, const Byte* own, const Wide* entries, Index n,
                           Word event, Byte* codes),
       if (is_last_logged(entries, n, event, i)) turn_path_node(triangles, own, entries[i], codes))
