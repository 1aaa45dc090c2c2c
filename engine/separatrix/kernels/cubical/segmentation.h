// Labels of vertices from those of top cells, sizes of labeled regions, and the Morse-Smale cells: dense ids of pairs of labels.
#pragma once
#include "common/hash_set.h"
#include "cubical/grid.h"

// === a vertex gets the label of its highest top cell
KERNEL(gather_top_labels, (Grid grid, const Word* words, const Int32* top_labels, Int32* labels),
       labels[i] = top_labels[anchor_in_octant(grid, (Int32)i, octant_of(words[i]))])

// === sizes: vertices per label, without -1; runs of equal labels are added together
enum { LABEL_RUN = 64 };
ITEM void count_run(const Int32* labels, Index n, Index run, Index* sizes) {
  Index begin = run * LABEL_RUN, end = begin + LABEL_RUN < n ? begin + LABEL_RUN : n;
  Int32 label = labels[begin];
  Index length = 0;
  for (Index v = begin; v < end; ++v) {
    if (labels[v] != label) {
      if (label >= 0) add_to(sizes + label, length);
      label = labels[v];
      length = 0;
    }
    ++length;
  }
  if (label >= 0) add_to(sizes + label, length);
}
KERNEL(count_labels, (const Int32* labels, Index n, Index* sizes), count_run(labels, n, i, sizes))

// === Morse-Smale cells: pairs (minimum, maximum or OUTSIDE), collected in a hash set. Vertices outside the
// domain have no minimum and get -1.
ITEM Wide pair_key(Int32 minimum, Int32 maximum, Index n_maxima) {
  return (Wide)minimum * (Wide)(n_maxima + 1) + (Wide)(maximum + 1);
}
// The first vertex of a pair is like none before it; most others are like one that is 1, `row`, or `layer` before.
ITEM bool is_like(const Int32* minima, const Int32* maxima, Index v, Index step) {
  return v >= step && minima[v - step] == minima[v] && maxima[v - step] == maxima[v];
}
ITEM void insert_cell_of(const Int32* minima, const Int32* maxima, Index n_maxima, Index row, Index layer, Wide* slots,
                         Wide mask, Index* n_failed, Index v) {
  if (minima[v] < 0 || is_like(minima, maxima, v, 1) || is_like(minima, maxima, v, row) ||
      is_like(minima, maxima, v, layer))
    return;
  insert_key(slots, mask, pair_key(minima[v], maxima[v], n_maxima), n_failed);
}
KERNEL(insert_cells, (const Int32* minima, const Int32* maxima, Index n_maxima, Index row, Index layer, Wide* slots,
                      Wide mask, Index* n_failed),
       insert_cell_of(minima, maxima, n_maxima, row, layer, slots, mask, n_failed, i))
KERNEL(collect_cells, (const Wide* slots, Wide* keys, Index* n_keys), collect_run(slots, i, keys, n_keys))
// The set may lack some of the keys: those of other pieces.
ITEM void number_cell(Wide key, Int32 number, const Wide* slots, Wide mask, Int32* cell_of_slot) {
  Wide slot = mixed(key) & mask;
  for (int probe = 0; probe < MAX_PROBES && slots[slot] != EMPTY_SLOT; ++probe, slot = (slot + 1) & mask)
    if (slots[slot] == key) {
      cell_of_slot[slot] = number;
      return;
    }
}
KERNEL(number_cells, (const Wide* sorted_keys, const Wide* slots, Wide mask, Int32* cell_of_slot),
       number_cell(sorted_keys[i], (Int32)i, slots, mask, cell_of_slot))
KERNEL(gather_cells, (const Int32* minima, const Int32* maxima, Index n_maxima, const Wide* slots, Wide mask,
                      const Int32* cell_of_slot, Int32* cells),
       cells[i] = minima[i] < 0 ? (Int32)NONE : cell_of_slot[slot_of(slots, mask, pair_key(minima[i], maxima[i], n_maxima))])
