// A set of 64-bit keys: open addressing, linear probing, a power of two of slots.
//
// The slot of a key depends on the order of insertions; the set itself does not. Callers that need
// an order sort the keys afterwards. A key that does not find a slot is counted in n_failed; the
// host then starts again with a larger table.
#pragma once
#include "common/types.h"

constexpr Wide EMPTY_SLOT = ~0ull;
enum { MAX_PROBES = 128, SLOT_RUN = 32 };
#ifdef LARGE_IMAGES
enum { LARGE_KEY_CELL_BITS = 36, KEY_CELL_BITS = LARGE_KEY_CELL_BITS };
#else
enum { KEY_CELL_BITS = 33 };
#endif
// Keys of a source and a cell, whose lowest two bits are an axis.
ITEM Index source_of_key(Wide key) { return (Index)(key >> KEY_CELL_BITS); }

ITEM Wide mixed(Wide key) {  // finalizer of MurmurHash3 (Appleby 2011)
  key = (key ^ key >> 33) * 0xff51afd7ed558ccdull;
  key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ull;
  return key ^ key >> 33;
}
// Returns true for exactly one of the threads that insert the key, as long as no key has failed.
ITEM bool insert_key(Wide* slots, Wide mask, Wide key, Index* n_failed) {
  if (peek(n_failed)) return false;
  Wide slot = mixed(key) & mask;
  for (int probe = 0; probe < MAX_PROBES; ++probe, slot = (slot + 1) & mask) {
    Wide held = peek(slots + slot);
    if (held == EMPTY_SLOT) {
      held = exchange_if(slots + slot, EMPTY_SLOT, key);
      if (held == EMPTY_SLOT) return true;
    }
    if (held == key) return false;
  }
  add_to(n_failed, 1);
  return false;
}
// A new key is listed in `reached` (capacity,) too. `counters`: keys that found no room; keys reached.
// Returns whether the key is new.
ITEM bool reach_key(Wide key, Wide* slots, Wide mask, Index capacity, Wide* reached, Index* counters) {
  if (!insert_key(slots, mask, key, counters)) return false;
  const Index at = add_to(counters + 1, 1);
  if (at < capacity) reached[at] = key;
  else add_to(counters, 1);
  return true;
}
// Lists the keys of the set in any order. An item is a run of slots, which reserves all its places
// with one addition; the number of slots is a multiple of the run.
ITEM void collect_run(const Wide* slots, Index run, Wide* keys, Index* n_keys) {
  Index n = 0;
  for (int k = 0; k < SLOT_RUN; ++k) n += slots[run * SLOT_RUN + k] != EMPTY_SLOT;
  if (!n) return;
  Index at = add_to(n_keys, n);
  for (int k = 0; k < SLOT_RUN; ++k)
    if (slots[run * SLOT_RUN + k] != EMPTY_SLOT) keys[at++] = slots[run * SLOT_RUN + k];
}
ITEM Wide slot_of(const Wide* slots, Wide mask, Wide key) {
  Wide slot = mixed(key) & mask;
  while (slots[slot] != key) slot = (slot + 1) & mask;
  return slot;
}
