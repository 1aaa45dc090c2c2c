// Rounds of morse/saddle_rounds.h on the gradient of a grid. A cell is 8 * its anchor + its type, its place the anchor.
#pragma once
#include "cubical/reversal.h"
#include "morse/saddle_rounds.h"

// What is loaded together for the cells of a place.
struct alignas(16) GridPlace {
  Word word;  // of the gradient; the fourth bit of a nibble: the height of the cell has changed
  Word head, key, changed;  // head and `changed`: see speculation.h
};
// The gradient and the heights at a time; at time 0 the base. Heights are compared as by GridCells: keys, then `ids`.
template <bool WRAPS>  // whether axes are periodic
struct GridAtTime {
  Grid grid;
  GridPlace* places;
  Word ids;
  Wide* heights;  // changed ones, cell << 32 | number, by open addressing
  Word heights_mask;
  const Version* versions;
  Word time;

  ITEM_MEMBER GridAtTime at(Word other) const {
    GridAtTime there = *this;
    there.time = other;
    return there;
  }
  ITEM_MEMBER Word place(Word cell) const { return cell >> 3; }
  ITEM_MEMBER Word* head(Word place) const { return &places[place].head; }
  ITEM_MEMBER Word* changed(Word place) const { return &places[place].changed; }
  ITEM_MEMBER Word facet(Word square, int k) const {
    const int type = (int)(square & 7), first = type == 6, second = type == 3 ? 1 : 2;
    return beside(square, (k < 2 ? PLUS_X + 2 * first : PLUS_X + 2 * second) + (k & 1));
  }
  ITEM_MEMBER Word cofacet(Word edge, int k) const {
    const int type = (int)(edge & 7), first = type == 1, second = type == 4 ? 1 : 2;
    const Word square = beside(edge, (k < 2 ? PLUS_X + 2 * first : PLUS_X + 2 * second) + (k & 1));
    return square < 8 * (Word)n_vertices(grid) && code(square) != NO_CELL ? square : NOWHERE;
  }
  ITEM_MEMBER Word square_of(Word edge) const { return partner(edge, 0); }
  ITEM_MEMBER Word edge_of(Word square) const { return partner(square, 1); }
  ITEM_MEMBER bool is_critical(Word cell) const { return code(cell) == CRITICAL; }
  ITEM_MEMBER Wide height(Word cell) const {
    // All three are loaded at once.
    const Word head = places[cell >> 3].head, word = places[cell >> 3].word;
    const Wide own = own_height(cell);
    Word number;
    if (head == NOWHERE || !version_of(cell | HEIGHT, head, &number)) {
      if (!(word >> (4 * (cell & 7) + 3) & 1)) return own;
      number = changed_height(cell);
    }
    return ids ? height_of(number) : (Wide)number << 32;
  }
  ITEM_MEMBER Word number_of(Wide height) const { return (Word)(ids ? height : height >> 32); }
  ITEM_MEMBER int direction(Word from, Word to_cell) const {
    for (int to = PLUS_X; to < MINUS_Z; ++to)
      if (beside(from, to) == to_cell) return to;
    return MINUS_Z;
  }
  ITEM_MEMBER Wide log_cell(Word square) const { return square >> 3 << 2 | (square & 7) >> 1; }

  // --- the base
  ITEM_MEMBER void set_partner(Word cell, int to) const {
    Word* const word = &places[cell >> 3].word;
    const Word before = *word >> 4 * (cell & 7) & 7;
    xor_into(word, (before ^ (Word)to) << 4 * (cell & 7));
  }
  ITEM_MEMBER void set_height(Word cell, Word number, Index* n_changed) const {
    Word at = (Word)mixed(cell) & heights_mask;
    const Wide entry = (Wide)cell << 32 | number;
    while (true) {
      Wide held = peek(heights + at);
      if (held == EMPTY_SLOT && (held = exchange_if(heights + at, EMPTY_SLOT, entry)) == EMPTY_SLOT) {
        add_to(n_changed, 1);
        or_shared(&places[cell >> 3].word, (Word)8 << 4 * (cell & 7));
        return;
      }
      if (held >> 32 == cell) break;
      at = (at + 1) & heights_mask;
    }
    heights[at] = entry;
  }

 private:
  ITEM_MEMBER bool version_of(Word cell, Word head, Word* value) const {
    Word newest = 0;
    for (Word at = head; at != NOWHERE; at = versions[at].next) {
      const Version one = versions[at];
      if (one.cell != cell || one.time >= time || one.time < newest) continue;
      newest = one.time;
      *value = one.value;
    }
    return newest != 0;
  }
  ITEM_MEMBER int code(Word cell) const {
    const Word head = time ? places[cell >> 3].head : NOWHERE, word = places[cell >> 3].word;
    Word value;
    return (int)(head != NOWHERE && version_of(cell, head, &value) ? value : word >> 4 * (cell & 7) & 7);
  }
  ITEM_MEMBER Word partner(Word cell, int odd) const {
    const int to = code(cell);
    return to == CRITICAL || (int)(cell >> axis_of(to) & 1) != odd ? NOWHERE : beside(cell, to);
  }
  ITEM_MEMBER Word beside(Word cell, int to) const {
    const int axis = axis_of(to);
    if (WRAPS) {
      const Cell there = stepped(grid, {vertex_at(grid, (Int32)(cell >> 3)), (int)(cell & 7)}, axis, sign_of(to));
      return exists(grid, there) ? 8 * (Word)vertex_id(grid, there.anchor) + (Word)there.type : NOWHERE;
    }
    const Word toward = 8 * (Word)vertex_stride(grid, axis), one = 1u << axis;
    if (cell & one) return (to & 1 ? cell + toward : cell) - one;
    return (to & 1 ? cell : cell - toward) + one;
  }
  ITEM_MEMBER Wide height_of(Word vertex) const { return (Wide)places[vertex].key << 32 | (vertex & ids); }
  ITEM_MEMBER Wide own_height(Word cell) const {
    Wide highest = 0;
    const int type = (int)(cell & 7);
    const Cell at = {WRAPS ? vertex_at(grid, (Int32)(cell >> 3)) : Vertex{0, 0, 0}, type};
    for (int corner = type; corner >= 0; corner = corner ? (corner - 1) & type : NONE) {
      Word v = cell >> 3;
      if (WRAPS) v = (Word)corner_of(grid, at, corner);
      else v += (corner & 1) + (corner >> 1 & 1) * (Word)grid.nx + (corner >> 2) * (Word)vertex_stride(grid, 2);
      const Wide height = height_of(v);
      highest = height > highest ? height : highest;
    }
    return highest;
  }
  ITEM_MEMBER Word changed_height(Word cell) const {
    Word at = (Word)mixed(cell) & heights_mask;
    while (heights[at] >> 32 != cell) at = (at + 1) & heights_mask;
    return (Word)heights[at];
  }
};

ITEM Word grid_cell_of(Grid grid, Index id) {
  const Cell cell = cell_at(grid, id);
  return 8 * (Word)vertex_id(grid, cell.anchor) + (Word)cell.type;
}
KERNEL(number_grid_cells, (Grid grid, const Index* ids, const Int32* rows, Word* cells),
       cells[i] = grid_cell_of(grid, ids[rows[i]]))
KERNEL(prepare_grid_places, (const Word* words, const Word* keys, Word* places),
       ((GridPlace*)places)[i] = {words[i] & 0x77777777u, NOWHERE, keys[i], NOWHERE})
KERNEL(forget_versions, (Word* places), ((GridPlace*)places)[i].head = ((GridPlace*)places)[i].changed = NOWHERE)
KERNEL(move_heights, (const Wide* from, Wide* to, Word mask),
       if (from[i] != EMPTY_SLOT) {
         Word at = (Word)mixed(from[i] >> 32) & mask;
         while (exchange_if(to + at, EMPTY_SLOT, from[i]) != EMPTY_SLOT) at = (at + 1) & mask;
       })

enum { MAX_ROUND_VERTICES = 268435456 };  // cells have 31 bits
enum { ROUND_THREADS = 512, ROUND_WARP_BYTES = 8484 };  // at most as many threads per block
static_assert(ROUND_WARP_BYTES == 4 * (N_SEARCH_COUNTERS + WARP_WORDS), "of the memory of a block");

// At most `max_rounds` rounds of the state, which is continued by the next launch. All blocks must be resident.
#define SEARCH_IN_ROUNDS(memory)                                                                                             \
  Word* const block_memory = memory;                                                                                         \
  const auto cancel = [=](auto cells) {                                                                                      \
    typedef decltype(cells.at(0)) Cells;                                                                                      \
    Speculation<Cells> all = {cells, upper, lower, n_pairs, written, (Version*)versions, reads, (Guess*)window, is_left,     \
                              time_of, n_turns_of, lower_of, last, (Kept*)kept, turned, tries,                               \
                              {block_memory, rooms, state}, n_arrived, state, {}};                                           \
    const AddedSaddles of_others = {added, (Word)state[ADDED_SLOTS] - 1};                                                    \
    SaddleRounds<Cells> in_rounds = {all, {all, persistence, upper_value, lower_value, of_others, is_added, traced,          \
                                           (Join*)joins, 0}, ends, n_segments, (Attempt*)attempts, dirty, large, left,       \
                                     n_arrived, state};                                                                      \
    in_rounds.run(max_rounds);                                                                                               \
  };                                                                                                                         \
  const Word mask = (Word)state[HEIGHTS] - 1;                                                                                \
  if (has_periods(grid)) cancel(GridAtTime<true>{grid, (GridPlace*)places, ids, heights, mask, (const Version*)versions, 0}); \
  else cancel(GridAtTime<false>{grid, (GridPlace*)places, ids, heights, mask, (const Version*)versions, 0})
#if ON_GPU
extern "C" __global__ void __launch_bounds__(ROUND_THREADS, 1) cancel_grid_saddles_in_rounds(
    Grid grid, Word* places, Word ids, Wide* heights, Index n_pairs, const Word* upper,
    const Word* lower, const Index* ends, Index n_segments, Word* written, Word* versions, Word* reads,
    Word* window, Word* attempts, Word* dirty, Word* large, Word* left, Word* is_left, Word* time_of, Word* n_turns_of,
    Word* lower_of, Byte* last, Word* kept, Wide* turned, Word* tries, const Real* persistence, const Real* upper_value,
    const Real* lower_value, Wide* added, Word* is_added, Word* traced, Wide* joins, Word* rooms, Wide* n_arrived,
    Index max_rounds, Index* state) {
  extern __shared__ Word memory[];
  SEARCH_IN_ROUNDS(memory);
}
#else
COARSE_KERNEL(cancel_grid_saddles_in_rounds,
              (Grid grid, Word* places, Word ids, Wide* heights, Index n_pairs, const Word* upper,
               const Word* lower, const Index* ends, Index n_segments, Word* written, Word* versions, Word* reads,
               Word* window, Word* attempts, Word* dirty, Word* large, Word* left, Word* is_left, Word* time_of, Word* n_turns_of,
               Word* lower_of, Byte* last, Word* kept, Wide* turned, Word* tries, const Real* persistence, const Real* upper_value,
               const Real* lower_value, Wide* added, Word* is_added, Word* traced, Wide* joins, Word* rooms, Wide* n_arrived,
               Index max_rounds, Index* state),
              Word memory[ROUND_WARP_BYTES / 4 + N_SHARED];
              SEARCH_IN_ROUNDS(memory))
#endif
