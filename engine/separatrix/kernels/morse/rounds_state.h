// What the threads of saddle_rounds.h share.
#pragma once
#include "common/hash_set.h"
#include "common/team.h"

constexpr Word NOWHERE = ~(Word)0;
// A cell with this bit names its height, without it its partner.
constexpr Word HEIGHT = 1u << 31;
enum { ROUND_EVENT_SHIFT = 3, ROUND_CELL_SHIFT = 31 };  // of the log, as in saddle_log.h

// How a search ends: the outcomes of saddle_search.h; a saddle is gone; or its room was too small.
enum SearchEnd { NO_PATH, SEVERAL_PATHS, ONE_PATH, TOO_LONG, SADDLE_GONE, NO_ROOM };

// What a candidate wrote to a cell; `next` is another version of a cell of the same anchor.
struct Version {
  Word cell, value, next, time;
};
// The writes of a candidate, those of partners first, and the places that it has read, as ranges of pools.
struct Guess {
  Word at, n_partners, n_heights, read_at, n_read, end;
};
// What a search that was final has read, and its time; nothing if the pools were emptied since.
struct Kept {
  Word read_at, n_read, time, end, epoch;
};
// A candidate that is searched in a round: its place in the window, and what it would have written before.
struct Attempt {
  Guess now, before;
  Word candidate, differs;
};
// The 2-saddle of one pair and the 1-saddle of another, or NOWHERE, by the bits of their difference.
struct Join {
  Wide difference;
  Word upper, lower;
  ITEM_MEMBER bool precedes(const Join& other) const {
    return difference != other.difference ? difference < other.difference : upper < other.upper;
  }
};

enum RoundsStatus { RUNNING, FINISHED, NEEDS_LOG, NEEDS_HEIGHTS, NEEDS_POOL, TOO_LARGE };
enum PassMode { FIRST_TRY, AGAIN, JOIN_OTHERS };

enum RoundsState {
  STATUS, MODE, SEGMENT, LOW, HIGH, N_CANDIDATES, N_DIRTY, PARITY, CLOCK, N_LEFT, LEFT_PARITY, N_TURNED, N_TRIES, N_CHANGED_HEIGHTS,
  TURNED_BEFORE, N_TRACED, JOIN_PARITY, FIRST_SEGMENT, SPAN,                                           // of a pass
  USED_VERSIONS, USED_READS, PENDING_SQUARES, PENDING_HEIGHTS,                                         // of the window
  N_DIRTY_OF_LIST, N_DIRTY_OF_OTHER, TAKEN, N_LARGE, N_LARGER, TAKEN_LARGE, TAKEN_LARGER, TAKEN_HUGE,  // of a round
  N_DIFFERENT, FIRST_DIRTY, FIRST_LEFT, LACKS_ROOM, N_JOINS,
  EPOCH, WINDOW, VERSIONS, READS, TURNED, TRIES, HEIGHTS, SMALL_ROOM_SLOTS, LARGE_ROOM_SLOTS, HUGE_ROOM_SLOTS, HUGE_ROOMS,
  ADDED_SLOTS,  // 0: saddles are not joined to those of other pairs
  N_STATE
};
