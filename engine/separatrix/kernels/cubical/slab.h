// Forests of extrema by slabs. Paths that leave their slab continue through a table of the layers on both
// sides of every cut.
//
// The words of layers that a slab reads but does not own are sealed: all their cells are critical, so paths that
// enter them end there. First, each table entry, a vertex or top cell of such a layer, gets the end of its path
// within its own slab: an extremum, outside, or the entry of a sealed cell. The table is then a forest and is
// resolved like any other (morse/forest.h). Second, each slab is resolved again, with the labels of the table
// written to its sealed layers.
#pragma once
#include "cubical/separatrices.h"

enum { SEALED_WORD = 2004318071 };  // 0x77777777: eight times CRITICAL

// Entries of a slab's sealed vertices: below_end of them at its begin, those from above_begin on.
struct Joint {
  Index below_end, below_shift, above_begin, above_shift;
};

// In: the slab's words and its linked forest; anchors of its extrema, ascending, the first one with
// first_label. Out: a parent in the table or the code of a label.
ITEM Int32 table_entry(Joint joint, const Word* words, Int32 type, const Int32* forest, const Int32* anchors,
                       Index n_anchors, Int32 first_label, Index start) {
  Index root = start;
  for (Int32 next = forest[root]; next >= 0; next = forest[root]) root = next;
  if (direction_of(words[root], type) != CRITICAL) return OUTSIDE;
  if (root < joint.below_end) return (Int32)(root + joint.below_shift);
  if (root >= joint.above_begin) return (Int32)(root + joint.above_shift);
  return label_code(first_label + label_of_anchor(anchors, n_anchors, (Int32)root));
}
KERNEL(join_layer, (Joint joint, const Word* words, Int32 type, const Int32* forest, const Int32* anchors,
                    Index n_anchors, Int32 first_label, Index begin, Int32* entries),
       entries[i] = table_entry(joint, words, type, forest, anchors, n_anchors, first_label, begin + i))

// The slab's own extrema; its sealed layers get their codes from the table.
KERNEL(plant_slab_labels, (const Int32* anchors, Int32 first_label, Int32* forest),
       forest[anchors[i]] = label_code(first_label + (Int32)i))

// Labels of the slab's own vertices, the first of which is `begin`, from those of their highest top cells.
KERNEL(gather_slab_labels, (Grid grid, const Word* words, const Int32* top_labels, Index begin, Int32* labels),
       labels[i] = top_labels[anchor_in_octant(grid, (Int32)(begin + i), octant_of(words[begin + i]))])

// Labels at both ends of each saddle, NONE outside: the vertices of an edge, or the top cells beside a facet,
// whose type this is.
ITEM Int32 label_beside(Grid grid, Cell saddle, Int32 type, int sign, const Int32* labels) {
  Cell cell = stepped(grid, saddle, lowest_bit((Word)(saddle.type ^ type)), sign);
  return exists(grid, cell) ? labels[vertex_id(grid, cell.anchor)] : (Int32)NONE;
}
KERNEL(look_up_ends, (Grid grid, const Index* saddles, Int32 type, const Int32* labels, Int32* ends),
       ends[i] = label_beside(grid, cell_at(grid, saddles[i >> 1]), type, i & 1 ? 1 : -1, labels))
