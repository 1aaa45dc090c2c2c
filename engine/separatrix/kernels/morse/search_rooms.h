// Memory of the searches of lane_search.h.
#pragma once
#include "morse/rounds_state.h"

// Memory of a search: two sets of cells in n_slots each, whose slots are NOWHERE between searches, and have a bit for cells
// that were reached in several ways; the slots in the order of insertion, with the place in this order from which each
// was reached first; the slots of critical squares above; and the places that were read. Counters are in fast memory. A warp
// or a whole block searches in it.
constexpr Word SEVERAL_WAYS = 1u << 31;
enum { N_BELOW, N_ABOVE, N_CRITICAL, N_READ, N_MOVED, IS_FULL, FOUND_AT, WRITTEN_AT, READ_AT, N_SEARCH_COUNTERS };
struct SearchRoom {
  Word* counters;
  Word* memory;
  Word n_slots;  // a power of two from 128; 0: no room
  Word* reads;
  Word n_reads;
  bool is_of_block;
  ITEM_MEMBER Word rank() const { return (Word)(is_of_block ? thread_of_block() : (Index)lane()); }
  ITEM_MEMBER Word n_ranks() const { return (Word)(is_of_block ? LANES * warps_of_block() : LANES); }
  ITEM_MEMBER void sync() const { is_of_block ? sync_block() : sync_lanes(); }
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
    const Word at = next_place(counters + counter);
    if (at < capacity) list[at] = value;
    else counters[IS_FULL] = 1;
  }
  ITEM_MEMBER Word first_slot(Word cell) const { return (Word)mixed(cell) & (n_slots - 1); }
  // The slot of a cell, or an empty one, and what it holds.
  ITEM_MEMBER Word slot_of(const Word* slots, Word cell, Word* held) const { return slot_from(first_slot(cell), slots, cell, held); }
  ITEM_MEMBER Word slot_from(Word at, const Word* slots, Word cell, Word* held) const {
    while ((*held = peek(slots + at)) != NOWHERE && (*held & ~SEVERAL_WAYS) != cell) at = (at + 1) & (n_slots - 1);
    return at;
  }
  ITEM_MEMBER bool has(const Word* slots, Word cell) const {
    Word held;
    slot_of(slots, cell, &held);
    return held != NOWHERE;
  }
  // As `has`; a cell that is there was reached in several ways. If it is not, it may be claimed from the slot `at` on.
  ITEM_MEMBER bool has_again(Word* slots, Word cell, Word* at) const {
    Word held;
    *at = slot_of(slots, cell, &held);
    if (held != NOWHERE) or_shared(slots + *at, SEVERAL_WAYS);
    return held != NOWHERE;
  }
  // Takes a slot from `at` on for a cell; false if it has one.
  ITEM_MEMBER bool claim(Word* slots, Word cell, Word* at) const {
    while (true) {
      Word held;
      *at = slot_from(*at, slots, cell, &held);
      if (held == NOWHERE) held = exchange_if(slots + *at, NOWHERE, cell);
      if (held == NOWHERE) return true;
      if ((held & ~SEVERAL_WAYS) == cell) return false;
    }
  }
  // There is always an empty slot: 3/8 of them are more than the lanes can take after a list is full.
  ITEM_MEMBER void insert(Word* slots, Word cell, Word slot, Word* list, Word* list_from, Word from, int counter) const {
    if (peek(counters + IS_FULL)) return;
    if (!claim(slots, cell, &slot)) {
      or_shared(slots + slot, SEVERAL_WAYS);
      return;
    }
    const Word at = next_place(counters + counter);
    if (at < capacity()) list[at] = slot, list_from[at] = from;
    else counters[IS_FULL] = 1;
  }
  ITEM_MEMBER void insert_critical(Word square, Word slot) const {
    if (!peek(counters + IS_FULL) && claim(from_q(), square, &slot)) append(critical(), critical_capacity(), N_CRITICAL, slot);
  }
  ITEM_MEMBER void prepare() const {
    for (Word at = rank(); at < 2 * n_slots; at += n_ranks()) memory[at] = NOWHERE;
    reset();
  }
  ITEM_MEMBER void clear() const {
    sync();
    if (counters[IS_FULL]) return prepare();
    for (Word k = rank(); k < counters[N_BELOW]; k += n_ranks()) from_p()[below()[k]] = NOWHERE;
    for (Word k = rank(); k < counters[N_ABOVE]; k += n_ranks()) from_q()[above()[k]] = NOWHERE;
    for (Word k = rank(); k < counters[N_CRITICAL]; k += n_ranks()) from_q()[critical()[k]] = NOWHERE;
    reset();
  }
  ITEM_MEMBER void reset() const {
    sync();
    for (Word k = rank(); k < N_SEARCH_COUNTERS; k += n_ranks()) counters[k] = 0;
    sync();
  }
};

// Words of a room without its reads.
ITEM Index room_words(Index n_slots) { return 4 * n_slots + n_slots / 8; }

// A warp searches in its small room. A search that fills it is left to a block, which joins the small rooms of its warps, and
// moves to a larger room when one is full. Counters and small rooms are in the memory of the block, the reads and the others
// in a pool.
enum { WARP_READS = 4096, MOST_SMALL_SLOTS = 512, WARP_WORDS = 4 * MOST_SMALL_SLOTS + MOST_SMALL_SLOTS / 8, N_SHARED = 2 };
enum RoomSize { SMALL_ROOM, JOINED_ROOM, HUGE_ROOM };
struct SearchRooms {
  Word *block_memory, *pool;
  Index* state;

  // Fast memory of a warp: WARP_WORDS words.
  ITEM_MEMBER Word* memory_of_warp(Index number) const {
    return block_memory + warps_of_block() * N_SEARCH_COUNTERS + N_SHARED + number * WARP_WORDS;
  }
  ITEM_MEMBER Word* own_memory() const { return memory_of_warp(warp_of_block()); }
  ITEM_MEMBER Word* reads_of_warp(Index number) const { return pool + number * WARP_READS; }
  ITEM_MEMBER SearchRoom small() const {
    Word* const counters = block_memory + warp_of_block() * N_SEARCH_COUNTERS;
    return {counters, own_memory(), (Word)state[SMALL_ROOM_SLOTS], reads_of_warp(warp()), WARP_READS, false};
  }
  ITEM_MEMBER SearchRoom joined() const {
    const Word n = (Word)warps_of_block();
    return {block_memory, memory_of_warp(0), n * (Word)state[SMALL_ROOM_SLOTS], reads_of_warp(n * block()), n * WARP_READS, true};
  }
  ITEM_MEMBER SearchRoom pooled(Index before, Index number, Index n_slots) const {
    Word* const memory = pool + n_warps() * WARP_READS + before + number * (room_words(n_slots) + 2 * n_slots);
    return {block_memory, memory, (Word)n_slots, memory + room_words(n_slots), (Word)(2 * n_slots), true};
  }
  ITEM_MEMBER SearchRoom large() const { return pooled(0, block(), state[LARGE_ROOM_SLOTS]); }
  ITEM_MEMBER SearchRoom huge(Index number) const {
    const Index n_slots = state[LARGE_ROOM_SLOTS];
    return pooled(n_blocks() * (room_words(n_slots) + 2 * n_slots), number, state[HUGE_ROOM_SLOTS]);
  }
  ITEM_MEMBER SearchRoom of(int size) const { return size == SMALL_ROOM ? small() : size == JOINED_ROOM ? joined() : huge(block()); }
  // What the threads of a block share: the huge room that is its own until the end of the search phase, and a number.
  ITEM_MEMBER Word& own_huge_room() const { return memory_of_warp(0)[-1]; }
  ITEM_MEMBER Word& shared_number() const { return memory_of_warp(0)[-2]; }
  ITEM_MEMBER SearchRoom larger_than(const SearchRoom& room) const {
    if (!room.is_of_block) return {};
    if (room.memory == joined().memory) return large();
    if (room.memory != large().memory) return {};
    sync_block();
    if (room.rank() == 0 && own_huge_room() == NOWHERE) own_huge_room() = (Word)add_to(state + TAKEN_HUGE, 1);
    sync_block();
    return own_huge_room() < (Word)state[HUGE_ROOMS] ? huge(own_huge_room()) : SearchRoom{};
  }
  ITEM_MEMBER void release_huge() const { own_huge_room() = NOWHERE; }
  // The next number of a counter, for all threads of the block.
  ITEM_MEMBER Word next_of_block(int counter) const {
    sync_block();
    if (thread_of_block() == 0) shared_number() = (Word)add_to(state + counter, 1);
    sync_block();
    return shared_number();
  }
};
