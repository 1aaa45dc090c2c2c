// Interleaved bits of coordinates, the keys of Morton and Hilbert curves.
#pragma once
#include "common/types.h"

// Every third bit of a Wide from the lowest 21 of a word.
ITEM Wide spread_by_three(Word word) {
  Wide bits = word;
  bits = (bits | bits << 32) & 0x1F00000000FFFFull;
  bits = (bits | bits << 16) & 0x1F0000FF0000FFull;
  bits = (bits | bits << 8) & 0x100F00F00F00F00Full;
  bits = (bits | bits << 4) & 0x10C30C30C30C30C3ull;
  return (bits | bits << 2) & 0x1249249249249249ull;
}
