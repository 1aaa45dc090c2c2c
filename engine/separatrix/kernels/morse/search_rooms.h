// Memory of the searches of lane_search.h.
#pragma once
#include "morse/rounds_state.h"

// Memory of a search: two sets of cells in n_slots each, whose slots are NOWHERE between searches, and have a bit for cells
// that were reached in several ways; the slots in the order of insertion, with the place in this order from which each
// was reached first; the slots of critical squares above; and the places that were read. Counters are in fast memory.
constexpr Word SEVERAL_WAYS = 1u << 31;
enum { N_BELOW, N_ABOVE, N_CRITICAL, N_READ, N_MOVED, IS_FULL, WRITTEN_AT, READ_AT, N_SEARCH_COUNTERS };
struct SearchRoom {
  Word* counters;
  Word* memory;
  Word n_slots;  // a power of two from 128; 0: no room
  Word* reads;
  Word n_reads;
  ITEM_MEMBER Word capacity() const { return n_slots / 2; }
  ITEM_MEMBER Word* from_p() const { return memory; }
  ITEM_MEMBER Word* from_q() const { return memory + n_slots; }
  ITEM_MEMBER Word* below() const { return memory + 2 * n_slots; }
  ITEM_MEMBER Word* above() const { return below() + capacity(); }
  ITEM_MEMBER Word* below_from() const { return above() + capacity(); }
  ITEM_MEMBER Word* above_from() const { return below_from() + capacity(); }
  ITEM_MEMBER Word* critical() const { return above_from() + capacity(); }
  ITEM_MEMBER Word critical_capacity() const { return n_slots / 8; }
  ITEM_MEMBER void append(Word* list, Word capacity, int counter, Word value) const {
    const Word at = add_to(counters + counter, 1u);
    if (at < capacity) list[at] = value;
    else counters[IS_FULL] = 1;
  }
  // The slot of a cell, or an empty one, and what it holds.
  ITEM_MEMBER Word slot_of(const Word* slots, Word cell, Word* held) const {
    Word at = (Word)mixed(cell) & (n_slots - 1);
    while ((*held = peek(slots + at)) != NOWHERE && (*held & ~SEVERAL_WAYS) != cell) at = (at + 1) & (n_slots - 1);
    return at;
  }
  ITEM_MEMBER bool has(const Word* slots, Word cell) const {
    Word held;
    slot_of(slots, cell, &held);
    return held != NOWHERE;
  }
  // As `has`; a cell that is there was reached in several ways.
  ITEM_MEMBER bool has_again(Word* slots, Word cell) const {
    Word held;
    const Word at = slot_of(slots, cell, &held);
    if (held != NOWHERE) or_shared(slots + at, SEVERAL_WAYS);
    return held != NOWHERE;
  }
  // Takes a slot for a cell; false if it has one.
  ITEM_MEMBER bool claim(Word* slots, Word cell, Word* at) const {
    while (true) {
      Word held;
      *at = slot_of(slots, cell, &held);
      if (held == NOWHERE) held = exchange_if(slots + *at, NOWHERE, cell);
      if (held == NOWHERE) return true;
      if ((held & ~SEVERAL_WAYS) == cell) return false;
    }
  }
  // There is always an empty slot: 3/8 of them are more than the lanes can take after a list is full.
  ITEM_MEMBER void insert(Word* slots, Word cell, Word* list, Word* list_from, Word from, int counter) const {
    if (peek(counters + IS_FULL)) return;
    Word slot;
    if (!claim(slots, cell, &slot)) {
      or_shared(slots + slot, SEVERAL_WAYS);
      return;
    }
    const Word at = add_to(counters + counter, 1u);
    if (at < capacity()) list[at] = slot, list_from[at] = from;
    else counters[IS_FULL] = 1;
  }
  ITEM_MEMBER void insert_critical(Word square) const {
    Word slot;
    if (!peek(counters + IS_FULL) && claim(from_q(), square, &slot)) append(critical(), critical_capacity(), N_CRITICAL, slot);
  }
  ITEM_MEMBER void prepare() const {
    for (Word at = (Word)lane(); at < 2 * n_slots; at += LANES) memory[at] = NOWHERE;
    reset();
  }
  ITEM_MEMBER void clear() const {
    sync_lanes();
    if (counters[IS_FULL]) return prepare();
    for (Word k = (Word)lane(); k < counters[N_BELOW]; k += LANES) from_p()[below()[k]] = NOWHERE;
    for (Word k = (Word)lane(); k < counters[N_ABOVE]; k += LANES) from_q()[above()[k]] = NOWHERE;
    for (Word k = (Word)lane(); k < counters[N_CRITICAL]; k += LANES) from_q()[critical()[k]] = NOWHERE;
    reset();
  }
  ITEM_MEMBER void reset() const {
    sync_lanes();
    for (int k = lane(); k < N_SEARCH_COUNTERS; k += LANES) counters[k] = 0;
    sync_lanes();
  }
};

// Words of a room without its reads.
ITEM Index room_words(Index n_slots) { return 4 * n_slots + n_slots / 8; }

// The rooms of all warps: a search that fills one moves to the next larger one. Counters and small rooms are in the memory of
// the block, the reads and the others in a pool.
enum { WARP_READS = 4096, MOST_SMALL_SLOTS = 512, WARP_WORDS = 4 * MOST_SMALL_SLOTS + MOST_SMALL_SLOTS / 8 };
struct SearchRooms {
  Word *block_memory, *pool;
  Index* state;

  ITEM_MEMBER SearchRoom in(Word* memory, Index n_slots, Word* reads, Index n_reads) const {
    return {block_memory + warp_of_block() * N_SEARCH_COUNTERS, memory, (Word)n_slots, reads, (Word)n_reads};
  }
  // Fast memory of a warp: WARP_WORDS words.
  ITEM_MEMBER Word* own_memory() const {
    return block_memory + warps_of_block() * (N_SEARCH_COUNTERS + 1) + warp_of_block() * WARP_WORDS;
  }
  ITEM_MEMBER SearchRoom small() const {
    return in(own_memory(), state[SMALL_ROOM_SLOTS], pool + warp() * WARP_READS, WARP_READS);
  }
  ITEM_MEMBER SearchRoom pooled(Index before, Index number, Index n_slots) const {
    Word* const memory = pool + before + number * (room_words(n_slots) + 2 * n_slots);
    return in(memory, n_slots, memory + room_words(n_slots), 2 * n_slots);
  }
  ITEM_MEMBER SearchRoom large() const {
    return pooled(n_warps() * WARP_READS, warp(), state[LARGE_ROOM_SLOTS]);
  }
  ITEM_MEMBER SearchRoom huge(Index number) const {
    const Index n_slots = state[LARGE_ROOM_SLOTS];
    return pooled(n_warps() * (WARP_READS + room_words(n_slots) + 2 * n_slots), number, state[HUGE_ROOM_SLOTS]);
  }
  // The huge room that a warp takes belongs to it until the end of the first phase of the round.
  ITEM_MEMBER Word& own_huge_room() const {
    return block_memory[warps_of_block() * N_SEARCH_COUNTERS + warp_of_block()];
  }
  ITEM_MEMBER SearchRoom larger_than(const SearchRoom& room) const {
    if (room.memory == small().memory) return large();
    if (room.memory != large().memory) return {};
    sync_lanes();
    if (lane() == 0 && own_huge_room() == NOWHERE) own_huge_room() = (Word)add_to(state + TAKEN_HUGE, 1);
    sync_lanes();
    return own_huge_room() < (Word)state[HUGE_ROOMS] ? huge(own_huge_room()) : SearchRoom{};
  }
  ITEM_MEMBER void release_huge() const {
    own_huge_room() = NOWHERE;
    sync_lanes();
  }
};
