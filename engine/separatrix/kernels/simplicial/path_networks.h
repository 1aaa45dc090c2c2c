// Networks of V-paths between saddles on the graph of paths.h; morse/networks.h draws their lines.
//
// Keys are of a source or a connector << 33 | node << 2. An id drawn is 2 * the edge's, or 2 * the
// triangle's + 1.
#pragma once
#include "morse/networks.h"

struct PathReach {
  const Int32* below;
  const Index* above_offsets;
  const Int32* above;
  const Int32* own_edge;  // NONE at sources
  Int32 n_nodes;
  Wide* slots;
  Wide mask;
  Index capacity;
  Wide* reached;
  Index* counters;  // keys that did not fit; keys reached

  ITEM_MEMBER Wide reach(Wide key, Wide other) const {
    return reach_key(key, slots, mask, capacity, reached, counters) ? key : other;
  }
  // Both return a new key, or EMPTY_SLOT.
  ITEM_MEMBER Wide down_from(Int32 node, Wide source) const {
    Wide last = EMPTY_SLOT;
    for (int k = 0; k < 3; ++k) {
      const Int32 to = below[3 * (Index)node + k];
      if (to >= 0 && to < n_nodes) last = reach(source << 33 | (Wide)to << 2, last);
    }
    return last;
  }
  ITEM_MEMBER Wide up_from(Int32 terminal, Wide connector, Wide source, const Wide* found, Wide found_mask) const {
    Wide last = EMPTY_SLOT;
    for (Index at = above_offsets[terminal]; at < above_offsets[terminal + 1]; ++at) {
      if (own_edge[above[at]] < 0) continue;  // the upper saddle itself, or another
      const Wide node = (Wide)above[at] << 2;
      if (holds_key(found, found_mask, source << 33 | node)) last = reach(connector << 33 | node, last);
    }
    return last;
  }
};
ITEM Int32 node_of_key(Wide key) { return (Int32)(key >> 2 & 0x7fffffff); }
struct PathReachDown {
  PathReach from;
  ITEM_MEMBER Wide onward(Wide key) const { return from.down_from(node_of_key(key), key >> 33); }
};
struct PathReachUp {
  PathReach from;
  const Int32* source_of;
  const Wide* found;
  Wide found_mask;
  ITEM_MEMBER Wide onward(Wide key) const {
    const Wide connector = key >> 33;
    return from.up_from(node_of_key(key), connector, (Wide)source_of[connector], found, found_mask);
  }
};

ROW_KERNEL(start_path_below, (const Int32* below, const Index* above_offsets, const Int32* above, const Int32* own_edge,
                              Int32 n_nodes, const Int32* sources, Wide* slots, Wide mask, Index capacity,
                              Wide* reached, Index* counters),
           PathReach from = {below, above_offsets, above, own_edge, n_nodes, slots, mask, capacity, reached, counters};
           from.down_from(sources[i], (Wide)i))
ROW_KERNEL(expand_path_below, (const Int32* below, const Index* above_offsets, const Int32* above,
                               const Int32* own_edge, Int32 n_nodes, Index begin, Wide* slots, Wide mask,
                               Index capacity, Wide* reached, Index* counters),
           PathReach from = {below, above_offsets, above, own_edge, n_nodes, slots, mask, capacity, reached, counters};
           follow_key(PathReachDown{from}, reached[begin + i]))
// `sinks`: the terminal of each connector's 1-saddle; `source_of`: its number among the sources from which `found` was started.
ROW_KERNEL(start_path_networks, (const Int32* below, const Index* above_offsets, const Int32* above,
                                 const Int32* own_edge, Int32 n_nodes, const Int32* sinks, const Int32* source_of,
                                 const Wide* found, Wide found_mask, Wide* slots, Wide mask, Index capacity,
                                 Wide* reached, Index* counters),
           PathReach from = {below, above_offsets, above, own_edge, n_nodes, slots, mask, capacity, reached, counters};
           from.up_from(sinks[i], (Wide)i, (Wide)source_of[i], found, found_mask))
ROW_KERNEL(expand_path_networks, (const Int32* below, const Index* above_offsets, const Int32* above,
                                  const Int32* own_edge, Int32 n_nodes, Index begin, const Int32* source_of,
                                  const Wide* found, Wide found_mask, Wide* slots, Wide mask, Index capacity,
                                  Wide* reached, Index* counters),
           PathReach from = {below, above_offsets, above, own_edge, n_nodes, slots, mask, capacity, reached, counters};
           follow_key(PathReachUp{from, source_of, found, found_mask}, reached[begin + i]))

struct PathNetwork;
struct PathWays {
  const PathNetwork* network;
  Int32 terminal;
  Int32 n;
  ITEM_MEMBER Int32 at(Int32 k) const;
};
struct PathNetwork {
  typedef PathWays Ways;
  const Int32* below;
  const Index* above_offsets;
  const Int32* above;
  const Int32* own_edge;
  Int32 n_nodes;
  const Int32* triangles;   // of the nodes
  const Int32* sink_edges;  // of the terminals after them
  const Wide* slots;
  Wide mask;
  Wide connector;
  Int32 lower, upper;  // the lower saddle's terminal, the upper one's node

  ITEM_MEMBER bool holds(Int32 node) const { return holds_key(slots, mask, connector << 33 | (Wide)node << 2); }
  ITEM_MEMBER bool is_above(Int32 node) const { return own_edge[node] < 0 ? node == upper : holds(node); }
  ITEM_MEMBER PathWays up(Int32 terminal) const {
    const Index begin = above_offsets[terminal], end = above_offsets[terminal + 1];
    PathWays ways = {this, terminal, 0};
    if (end - begin == 1) ways.n = 1;  // there is always one way on
    else
      for (Index at = begin; at < end; ++at) ways.n += is_above(above[at]);
    return ways;
  }
  ITEM_MEMBER int n_down(Int32 node) const {
    int n = 0, all = 0;
    for (int k = 0; k < 3; ++k) all += below[3 * (Index)node + k] >= 0;
    if (all == 1) return 1;
    for (int k = 0; k < 3; ++k) {
      const Int32 to = below[3 * (Index)node + k];
      if (to >= 0) n += to < n_nodes ? holds(to) : to == lower;
    }
    return n;
  }
  ITEM_MEMBER Int32 partner(Int32 node) const { return node; }
  ITEM_MEMBER Int32 square_of_key(Wide key) const { return node_of_key(key); }
  ITEM_MEMBER Int32 lower_saddle() const { return lower; }
  ITEM_MEMBER bool is_upper(Int32 node) const { return node == upper; }
  ITEM_MEMBER Index id_of_square(Int32 node) const { return 2 * (Index)triangles[node] + 1; }
  ITEM_MEMBER Index id_of_edge(Int32 terminal) const {
    return 2 * (Index)(terminal < n_nodes ? own_edge[terminal] : sink_edges[terminal - n_nodes]);
  }
};
ITEM_MEMBER Int32 PathWays::at(Int32 k) const {
  Index place = network->above_offsets[terminal];
  if (n == 1 && network->above_offsets[terminal + 1] - place == 1) return network->above[place];
  for (;; ++place)
    if (network->is_above(network->above[place]) && k-- == 0) return network->above[place];
}

ROW_KERNEL(measure_path_lines, (const Int32* below, const Index* above_offsets, const Int32* above,
                                const Int32* own_edge, Int32 n_nodes, const Int32* triangles, const Int32* sink_edges,
                                const Wide* keys, const Wide* slots, Wide mask, const Int32* lower,
                                const Int32* upper, Int32* n_lines, Index* n_cells),
           const Index k = source_of_key(keys[i]);
           measure_network(PathNetwork{below, above_offsets, above, own_edge, n_nodes, triangles, sink_edges, slots,
                                       mask, (Wide)k, lower[k], upper[k]},
                           keys[i], n_lines + i, n_cells + i))
ROW_KERNEL(fill_path_lines, (const Int32* below, const Index* above_offsets, const Int32* above, const Int32* own_edge,
                             Int32 n_nodes, const Int32* triangles, const Int32* sink_edges, const Wide* keys,
                             const Wide* slots, Wide mask, const Int32* lower, const Int32* upper,
                             const Index* first_line, const Index* first_cell, Index* cells, Index* ends,
                             Index* connectors),
           const Index k = source_of_key(keys[i]);
           fill_network(PathNetwork{below, above_offsets, above, own_edge, n_nodes, triangles, sink_edges, slots, mask,
                                    (Wide)k, lower[k], upper[k]},
                        keys[i], first_line[i], first_cell[i], cells, ends, connectors))
