// Columns of a reduction over Z/2 that are so long that another device continues them; see rips/waves.h.
//
// The reduction is kept until the caller has handed over the pivots of these columns, one after the other. A column
// that takes a pivot over from another one continues that one, which may be postponed again.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <vector>

namespace rips {

struct Postponed {
  Int32 column;
  Word from;  // its coboundary is zero below this rank
  std::vector<Wide> chain;
};

class PostponedColumns {
public:
  virtual ~PostponedColumns() {}
  virtual void count(Index* sizes) const = 0;
  virtual void list(Wide* pivots, Int32* columns, Index* begins, Wide* terms) const = 0;
  virtual const Postponed& next() const = 0;
  virtual void finish_next(Wide pivot, Word rank, const Wide* chain, Index m) = 0;
  virtual void reduce_next() = 0;
  virtual void write() = 0;
};

}  // namespace rips
#endif

// Sizes: postponed columns that are left, all pivots, terms of the columns with these, and terms of the next column.
HOST_TASK(rips_count_postponed, (Index held, Index* sizes), (((rips::PostponedColumns*)held)->count(sizes), 0))
// Pivots in ascending order, with their columns and the terms of these.
HOST_TASK(rips_list_pivots, (Index held, Wide* pivots, Int32* columns, Index* begins, Wide* terms),
          (((rips::PostponedColumns*)held)->list(pivots, columns, begins, terms), 0))
// About the next column: its number, and the rank below which its coboundary is zero.
HOST_TASK(rips_next_postponed, (Index held, Wide* chain, Index* about), ([&] {
            const rips::Postponed& next = ((rips::PostponedColumns*)held)->next();
            std::copy(next.chain.begin(), next.chain.end(), chain);
            about[0] = next.column, about[1] = next.from;
            return 0;
          }()))
// The next column has the pivot that is given with its rank and its V, sorted, unless m = 0: then it is essential.
HOST_TASK(rips_finish_postponed, (Index held, Wide pivot, Word rank, const Wide* chain, Index m),
          (((rips::PostponedColumns*)held)->finish_next(pivot, rank, chain, m), 0))
// Reduces the next column here, however long it is.
HOST_TASK(rips_reduce_postponed, (Index held), (((rips::PostponedColumns*)held)->reduce_next(), 0))
// Writes the deaths.
HOST_TASK(rips_write_postponed, (Index held), (((rips::PostponedColumns*)held)->write(), 0))
HOST_TASK(rips_drop_postponed, (Index held), (delete (rips::PostponedColumns*)held, 0))
