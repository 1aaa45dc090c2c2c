// Rows of the items of a CSR, by binary search.
#pragma once
#include "common/types.h"

// The row of item i: offsets (n_rows + 1,), ascending from 0.
ITEM Index row_of_item(const Index* offsets, Index n_rows, Index i) {
  Index row = 0, end = n_rows;  // the row is in [row, end)
  while (end - row > 1) {
    Index middle = row + (end - row) / 2;
    if (offsets[middle] <= i) row = middle;
    else end = middle;
  }
  return row;
}

KERNEL(find_rows, (const Index* offsets, Index n_rows, Index* rows), rows[i] = row_of_item(offsets, n_rows, i))
