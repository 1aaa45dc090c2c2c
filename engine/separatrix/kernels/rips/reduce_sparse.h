// The same as reduce_dense.h of a graph by rows.
#pragma once
#include "rips/reduce_any.h"

HOST_TASK(reduce_sparse_cochains, (Index n, const Index* offsets, const Int32* neighbors, const Word* ranks,
                                   const Int32* columns, const Word* rank, Index m, Int32 k, Index n_ranks,
                                   Index prime, Int32 bits, Int32 n_threads, Index keep, Int32* death,
                                   Word* death_rank, Index most_steps, Index* counts,
                                  Index most_eliminations),
          rips::reduce_any(rips::Sparse(n, offsets, neighbors, ranks),
                         {columns, rank, m, k, n_ranks, prime, bits, n_threads, death, death_rank, most_steps, counts,
                          most_eliminations, stop_flag}, keep))
