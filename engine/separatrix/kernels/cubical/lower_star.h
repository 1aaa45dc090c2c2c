// Pairing of the cells of one lower star: Robins, Wood, Sheppard 2011, algorithm 1.
//
// The lower star of v holds the cells whose highest vertex is v; vertices are ordered by value, then
// by id. Cells are compared by their vertices in descending order, lexicographically, prefix first
// ("G order"). With the lower neighbors ranked, a cell's key is the bit mask of its vertices' ranks
// and G order is one integer comparison. Lower stars are disjoint and cover the complex, so all
// are paired independently, in parallel.
#pragma once
#include "common/order.h"
#include "cubical/star.h"

// Words of a tile lie close together on the GPU; on the host they are those of the whole grid.
#if ON_GPU
typedef Int32 Slot;
#else
typedef Index Slot;
#endif

// Tables of the pairing by code. `neighbor` counts in images of the caller's tile, `slot` is
// the distance to the word that holds the cell, times 32, plus the shift of its nibble.
struct StarTables {
  Word facets[STAR], facet_codes[STAR];
  Int32 neighbor[STAR];
  Slot slot[STAR];
};
ITEM void fill_star_tables(StarTables& tables, int code, Int32 row, Int32 plane, Slot word_row,
                           Slot word_plane) {
  int dx = offset_along(code, 0), dy = offset_along(code, 1), dz = offset_along(code, 2);
  tables.facets[code] = facets_in_star(code);
  tables.facet_codes[code] = facet_codes_in_star(code);
  tables.neighbor[code] = dx + dy * row + dz * plane;
  Slot anchor = -(dx < 0) - (dy < 0) * word_row - (dz < 0) * word_plane;
  tables.slot[code] = anchor * 32 + 4 * type_of_code(code);
}

// Keys of the cells of one star, by code; on the GPU strided through shared memory.
struct StarKeys {
  Word* base;
  int stride;
  ITEM_MEMBER Word& operator[](int code) const { return base[code * stride]; }
};

// === lower neighbors: w < v, or equal and of smaller id, which is smaller code
template <class Image>
ITEM Word lower_neighbors(const Image* center, const Int32 row, const Int32 plane) {
  const Image own = *center;
  Word lower = bit(CENTER);
  UNROLL for (int code = 0; code < STAR; ++code) {
    if (code == CENTER) continue;
    Image other = center[(code % 3 - 1) + (code / 3 % 3 - 1) * row + (code / 9 - 1) * plane];
    lower |= (Word)(code < CENTER ? other <= own : other < own) << code;
  }
  return lower;
}

// === keys: rank the far vertices, then gather the ranks of each cell
// Blocks of N vertices are held in registers and compared with each other and with the later ones;
// until its block is processed, the key of a later vertex counts the earlier ones below it.
template <int N, class Image>
ITEM void rank_far_vertices(Word star, const Image* center, const StarTables& tables, StarKeys keys) {
  Image image[N];
  Int32 rank[N];
  Word block = star, block_before = 0;
  while (block) {
    Word rest = block;
    UNROLL for (int k = 0; k < N; ++k) {
      image[k] = rest ? center[tables.neighbor[lowest_bit(rest)]] : ~(Image)0;
      rank[k] = N - 1 - k + (rest && block_before ? (Int32)keys[lowest_bit(rest)] : 0);
      rest &= rest - 1;
    }
    UNROLL for (int k = 1; k < N; ++k) {
      UNROLL for (int j = 0; j < k; ++j) {
        Int32 below = image[j] <= image[k];  // codes ascend: a tie goes to j
        rank[k] += below;
        rank[j] -= below;
      }
    }
    for (Word later = rest; later; later &= later - 1) {
      int code = lowest_bit(later);
      Image other = center[tables.neighbor[code]];
      Int32 n_below = 0;
      UNROLL for (int k = 0; k < N; ++k) {
        Int32 below = image[k] <= other;
        n_below += below;
        rank[k] += 1 - below;
      }
      keys[code] = block_before ? keys[code] + (Word)n_below : (Word)n_below;
    }
    UNROLL for (int k = 0; k < N; ++k) {
      if (block) keys[lowest_bit(block)] = bit(rank[k]);
      block &= block - 1;
    }
    block_before = star;
  }
}
ITEM void gather_keys(Word cells, const StarTables& tables, StarKeys keys) {
  for (Word rest = cells; rest; rest &= rest - 1) {
    int cell = lowest_bit(rest);
    Word codes = tables.facet_codes[cell];
    keys[cell] |= keys[codes & 31] | keys[codes >> 5 & 31] | keys[codes >> 10];
  }
}
template <class Image>
ITEM void key_star(Word star, const Image* center, const StarTables& tables, StarKeys keys) {
  if (population(star) <= 4) rank_far_vertices<4>(star, center, tables, keys);
  else rank_far_vertices<7>(star, center, tables, keys);
  gather_keys(star & SQUARES, tables, keys);
  gather_keys(star & CUBES, tables, keys);
}

ITEM int least_cell(Word cells, StarKeys keys) {
  int least = lowest_bit(cells);
  Word rest = cells & (cells - 1);
  if (!rest) return least;
  Word least_key = keys[least];
  for (; rest; rest &= rest - 1) {
    int cell = lowest_bit(rest);
    Word key = keys[cell];
    if (key < least_key) {
      least_key = key;
      least = cell;
    }
  }
  return least;
}

// Cells that have a facet among `cells` across one axis: a cell off the flat plane has it in the plane.
ITEM Word facets_along(Word cells, Word flat, int step) { return (cells & flat) << step | (cells & flat) >> step; }

// === the words written: in place around that of the vertex, or into copies of one thread
struct OwnWords {
  Word* center;
};
ITEM void put(Word* word, Slot slot, Word bits) { or_into(word + (slot >> 5), bits); }
ITEM void put(OwnWords words, Slot slot, Word bits) { words.center[slot >> 5] |= bits; }

template <class Words>
ITEM void write_code(int cell, int direction, const StarTables& tables, Words word) {
  Slot slot = tables.slot[cell];
  put(word, slot, (Word)direction << (slot & 31));
}
template <class Words>
ITEM void write_pair(int facet, int cofacet, const StarTables& tables, Words word) {
  int direction = direction_to(facet, cofacet);
  write_code(facet, direction, tables, word);
  write_code(cofacet, opposite(direction), tables, word);
}

// In: star, the cells of the lower star without v; center, v in a tile of images. Out: nibbles of
// the cells, combined by OR with the words around `word`, the word of v. `keys` is room for 27 words.
//
// The paper keeps two queues. Their contents follow from the cells that are `alive` (not yet assigned):
// a cell loses unpaired facets one at a time, so at any moment the first queue holds the
// alive cells with exactly one and the second those with none, and both are found for all cells at
// once from shifts of the mask. v counts as paired.
template <class Image, class Words>
ITEM void pair_lower_star(Word star, const Image* center, const StarTables& tables, StarKeys keys, Words word) {
  if (!star) return write_code(CENTER, CRITICAL, tables, word);
  if (!(star & (star - 1))) return write_pair(CENTER, lowest_bit(star), tables, word);
  key_star(star, center, tables, keys);

  int steepest = least_cell(star & EDGES, keys);
  write_pair(CENTER, steepest, tables, word);
  Word alive = star & ~bit(steepest);
  while (alive) {
    Word along_x = facets_along(alive, FLAT_X, 1), along_y = facets_along(alive, FLAT_Y, 3),
         along_z = facets_along(alive, FLAT_Z, 9);
    Word one = alive & (along_x ^ along_y ^ along_z) & ~(along_x & along_y & along_z);
    if (one) {
      int cell = least_cell(one, keys);
      int facet = lowest_bit(tables.facets[cell] & alive);
      write_pair(facet, cell, tables, word);
      alive &= ~(bit(cell) | bit(facet));
    } else {
      int cell = least_cell(alive & ~(along_x | along_y | along_z), keys);
      write_code(cell, CRITICAL, tables, word);
      alive &= ~bit(cell);
    }
  }
}
