// Cancellation of pairs of saddles on the graph of paths.h, and the log of its reversals.
//
// Nodes and edges that are not on a V-path between saddles never become part of one: a reversal turns squares
// that lead to a 1-saddle, and the others lead where they led before. So the raw graph bounds the search, and
// only the pairing changes.
#pragma once
#include "morse/cancellation.h"

#if !ON_GPU
struct PathCells {
  const Int32* below;
  const Index* above_offsets;
  const Int32* above;
  const Int32* own_edge;  // NONE at sources
  Int32 n_nodes;
  Int32* square_at;  // terminal: the node that its edge is paired with
  Int32* edge_at;    // node: the terminal whose edge it is paired with

  Index id_of(Index edge) const { return edge; }
  bool leads_to_square(Index edge) const { return square_at[edge] != NONE; }
  Index square_of(Index edge) const { return square_at[edge]; }
  bool has_edge(Index square) const { return edge_at[square] != NONE; }
  Index edge_of(Index square) const { return edge_at[square]; }
  template <class Visit> void for_edges_of(Index square, Visit visit) const {
    for (int k = 0; k < 3; ++k)
      if (below[3 * square + k] != NONE) visit((Index)below[3 * square + k]);
    if (own_edge[square] != NONE) visit(square);
  }
  template <class Visit> void for_squares_at(Index edge, Visit visit) const {
    for (Index at = above_offsets[edge]; at < above_offsets[edge + 1]; ++at) visit((Index)above[at]);
    if (edge < n_nodes && own_edge[edge] != NONE) visit(edge);
  }
  void pair(Index square, Index edge) {
    edge_at[square] = (Int32)edge;
    square_at[edge] = (Int32)square;
  }
};

// As reverse_saddle_paths in cubical/grid_paths.h: which node turns to which terminal's edge.
static Index log_path_turns_in(PathCells cells, const Index* uppers, const Index* lowers, Index begin, Index end,
                               Index capacity, Int32* nodes, Int32* edges, Index* where) {
  SaddlePath<PathCells> path(cells);
  where[0] = 0;
  for (Index k = begin; k < end; ++k) {
    check_cancelled();
    if (!path.find(uppers[k], lowers[k])) return NO_SUCH_PATH;
    Index used = where[k - begin];
    if (used + path.n_squares() > capacity) return k - begin;
    path.reverse(lowers[k]);
    for (Index at = 0; at < path.n_squares(); ++at) {
      nodes[used + at] = (Int32)path.square(at);
      edges[used + at] = (Int32)path.edge(at);
    }
    where[k - begin + 1] = used + path.n_squares();
  }
  return end - begin;
}
#endif

// The first arguments and the last ones are those of cancel_pairs; upper_nodes and lower_terminals name saddles.
HOST_TASK(cancel_path_pairs, (Index n_upper, Index n_lower, const Index* offsets, const Int32* arc_lower,
                              const Wide* arc_multiplicity, Index n_pairs, const Int32* pair_upper,
                              const Int32* pair_lower, const Real* persistence, Index max_fill, Index max_versions,
                              const Int32* below, const Index* above_offsets, const Int32* above,
                              const Int32* own_edge, Int32 n_nodes, Int32* square_at, Int32* edge_at,
                              const Index* upper_nodes, const Index* lower_terminals, Word* event, Word* turn,
                              Word* dead_upper, Word* dead_lower, Int32* upper, Int32* lower, Wide* multiplicity,
                              Word* born, Word* dead),
          cancel_in_order<PathCells>({n_upper, n_lower, offsets, arc_lower, arc_multiplicity, n_pairs, pair_upper,
                                      pair_lower, persistence, max_fill, max_versions,
                                      {true, {below, above_offsets, above, own_edge, n_nodes, square_at, edge_at},
                                       upper_nodes, lower_terminals}, event, turn, dead_upper, dead_lower},
                                     upper, lower, multiplicity, born, dead))
HOST_TASK(log_path_turns, (const Int32* below, const Index* above_offsets, const Int32* above, const Int32* own_edge,
                           Int32 n_nodes, Int32* square_at, Int32* edge_at, const Index* uppers, const Index* lowers,
                           Index begin, Index end, Index capacity, Int32* nodes, Int32* edges, Index* where),
          log_path_turns_in({below, above_offsets, above, own_edge, n_nodes, square_at, edge_at}, uppers, lowers, begin,
                            end, capacity, nodes, edges, where))
