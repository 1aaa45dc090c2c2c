// Saddle connectors as lines: for each connected pair of saddles all V-paths between them, as a network.
//
// Upward paths lead from an edge to squares, and from a square to its partner edge. A network branches at squares
// with several descending edges and at edges with several ascending squares. Its lines connect branches and the two
// saddles, so every other cell is on exactly one line. `Network` describes the cells above and below one connector.
#pragma once
#include "common/hash_set.h"

constexpr Wide LOWER_SADDLE = 3;  // in the lowest two bits of a key instead of an axis 0, 1, 2

ITEM bool holds_key(const Wide* slots, Wide mask, Wide key) {
  for (Wide slot = mixed(key) & mask; slots[slot] != EMPTY_SLOT; slot = (slot + 1) & mask)
    if (slots[slot] == key) return true;
  return false;
}

// A search reaches keys layer by layer, and lines have hundreds of layers of a few keys. So an item reaches
// onward from a key, then from a new key, and so on. The next layer contains these keys, too, but finds nothing
// new beyond them. `from.onward(key)` returns a new key, or EMPTY_SLOT.
enum { KEYS_AT_ONCE = 128 };
template <class From>
ITEM void follow_key(const From& from, Wide key) {
  for (int n = 0; n < KEYS_AT_ONCE && key != EMPTY_SLOT; ++n) key = from.onward(key);
}

// The lines that start at the cells of a key; `cells` and `ends` may be null to measure them only.
struct Pen {
  Index* cells;
  Index* ends;  // of each line, counted from the first cell
  Index n_cells;
  Int32 n_lines;

  ITEM_MEMBER void put(Index cell) {
    if (cells) cells[n_cells] = cell;
    ++n_cells;
  }
  ITEM_MEMBER void lift() {
    if (ends) ends[n_lines] = n_cells;
    ++n_lines;
  }
};
// `Network` provides up(edge), the n >= 1 squares above it, by at(k); n_down(square), the number of edges below;
// partner(square), its edge; is_upper(square), whether it is the saddle; the cell of a key; and the drawn ids.
template <class Network, class Square>
ITEM void climb(const Network& network, Square square, Pen& pen) {
  while (true) {
    pen.put(network.id_of_square(square));
    if (network.is_upper(square) || network.n_down(square) > 1) break;
    auto edge = network.partner(square);
    pen.put(network.id_of_edge(edge));
    const typename Network::Ways onward = network.up(edge);
    if (onward.n != 1) break;
    square = onward.at(0);
  }
  pen.lift();
}
template <class Network>
ITEM void draw_from(const Network& network, Wide key, Pen& pen) {
  const bool is_saddle = (key & 3) == LOWER_SADDLE;
  auto square = network.square_of_key(is_saddle ? 0 : key);
  auto edge = is_saddle ? network.lower_saddle() : network.partner(square);
  const typename Network::Ways onward = network.up(edge);
  if (!is_saddle && network.n_down(square) > 1) {
    pen.put(network.id_of_square(square));
    pen.put(network.id_of_edge(edge));
    if (onward.n == 1) climb(network, onward.at(0), pen);
    else pen.lift();
  }
  if (is_saddle || onward.n > 1)
    for (int k = 0; k < onward.n; ++k) {
      pen.put(network.id_of_edge(edge));
      climb(network, onward.at(k), pen);
    }
}
// In: a key, sorted among others, one of LOWER_SADDLE per connector. Out: lines and cells that start there.
template <class Network>
ITEM void measure_network(const Network& network, Wide key, Int32* n_lines, Index* n_cells) {
  Pen pen = {nullptr, nullptr, 0, 0};
  draw_from(network, key, pen);
  *n_lines = pen.n_lines;
  *n_cells = pen.n_cells;
}
template <class Network>
ITEM void fill_network(const Network& network, Wide key, Index first_line, Index first_cell, Index* cells, Index* ends,
                       Index* connectors) {
  Pen pen = {cells + first_cell, ends + first_line, 0, 0};
  draw_from(network, key, pen);
  for (Int32 k = 0; k < pen.n_lines; ++k) {
    ends[first_line + k] += first_cell;
    connectors[first_line + k] = source_of_key(key);
  }
}
