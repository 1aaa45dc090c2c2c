// The tasks that find the relative neighborhood graph, and loops, of each form of input.
#pragma once
#include "rips/annotations.h"
#include "rips/graph_lunes.h"
#include "rips/loops.h"
#include "rips/matrix_lunes.h"
#include "rips/point_columns.h"
#include "rips/point_lunes.h"
#include "rips/sparse_annotations.h"

#if !ON_GPU
#include <type_traits>

namespace rips {

// Return where pairs are kept until take_kept_chains; 0 if it gave up.
template <class Lunes>
Index loops_in(Lunes&& lunes, Index n, const LoopTask& task) {
  typedef std::decay_t<Lunes> Form;
  return (Index)(task.is_sparse ? Loops<Form, SparseAnnotations>(lunes, n, task).run()
                                : Loops<Form, Annotations>(lunes, n, task).run()).release();
}

// Return where the relative neighborhood graph is kept, as edges in order. Out: the number of all edges.
template <class Lunes>
Index links_in(const Lunes& lunes, Index* n_edges) {
  std::unique_ptr<Kept> kept(new Kept);
  for (const auto& e : lunes.links(*n_edges)) {
    kept->vertices.insert(kept->vertices.end(), {e.high, e.low});
    kept->coefficients.push_back(1);
  }
  kept->offsets = {0, (Index)kept->coefficients.size()};
  return (Index)kept.release();
}

}  // namespace rips
#endif

HOST_TASK(rips_links_of_lengths, (const Real* matrix, Index n, Real limit, Int32 n_threads, Index* n_edges),
          rips::links_in(rips::MatrixLunes<Real>(matrix, n, limit, n_threads), n_edges))
HOST_TASK(rips_loops_of_lengths, (const Real* matrix, Index n, Real limit, Int32 n_threads,
                                  const Int32* links, const Byte* begins_class, Index n_links, Index prime,
                                  Index is_sparse, Index all_equal, Index most_triangles, Index most_words, Index* counts),
          rips::loops_in(rips::MatrixLunes<Real>(matrix, n, limit, n_threads), n,
                         rips::LoopTask{links, begins_class, n_links, prime, is_sparse, all_equal, most_triangles,
                                        most_words, counts}))
HOST_TASK(rips_links_of_ranks, (const Word* matrix, Index n, Word limit, Int32 n_threads, Index* n_edges),
          rips::links_in(rips::MatrixLunes<Word>(matrix, n, limit, n_threads), n_edges))
HOST_TASK(rips_loops_of_ranks, (const Word* matrix, Index n, Word limit, Int32 n_threads,
                                const Int32* links, const Byte* begins_class, Index n_links, Index prime,
                                Index is_sparse, Index all_equal, Index most_triangles, Index most_words, Index* counts),
          rips::loops_in(rips::MatrixLunes<Word>(matrix, n, limit, n_threads), n,
                         rips::LoopTask{links, begins_class, n_links, prime, is_sparse, all_equal, most_triangles,
                                        most_words, counts}))
HOST_TASK(rips_links_of_edges, (const Int32* ends, const Real* values, Index m, Index n, Int32 n_threads, Index* n_edges),
          rips::links_in(rips::GraphLunes(ends, values, m, n, n_threads), n_edges))
HOST_TASK(rips_loops_of_edges, (const Int32* ends, const Real* values, Index m, Index n, Int32 n_threads,
                                const Int32* links, const Byte* begins_class, Index n_links, Index prime,
                                Index is_sparse, Index all_equal, Index most_triangles, Index most_words, Index* counts),
          rips::loops_in(rips::GraphLunes(ends, values, m, n, n_threads), n,
                         rips::LoopTask{links, begins_class, n_links, prime, is_sparse, all_equal, most_triangles,
                                        most_words, counts}))

#if !ON_GPU
namespace rips {
// Calls use(number) with 2, 3, or 0 for any other number of coordinates.
template <class Use>
Index by_dimension(Int32 d, const Use& use) {
  if (d == 2) return use(std::integral_constant<int, 2>());
  return d == 3 ? use(std::integral_constant<int, 3>()) : use(std::integral_constant<int, 0>());
}
}  // namespace rips
#endif

// Up to the enclosing radius, which is returned too. Edges are not counted.
HOST_TASK(rips_links_of_points, (const Real* points, Index n, Int32 d, Real limit, Int32 n_threads, Index* n_edges, Real* radius),
          rips::by_dimension(d, [&](auto known) {
            rips::PointLunes<known()> lunes(points, n, d, limit, n_threads);
            *radius = lunes.bound_by_enclosing_radius();
            return rips::links_in(lunes, n_edges);
          }))
HOST_TASK(rips_loops_of_points, (const Real* points, Index n, Int32 d, Real limit, Int32 n_threads,
                                 const Int32* links, const Byte* begins_class, Index n_links, Index prime,
                                 Index is_sparse, Index all_equal, Index most_triangles, Index most_words, Index* counts),
          rips::by_dimension(d, [&](auto known) {
            const rips::LoopTask task{links, begins_class, n_links, prime, is_sparse, all_equal, most_triangles,
                                      most_words, counts};
            rips::PointLunes<known()> lunes(points, n, d, limit, n_threads);
            if (prime == 2 && !all_equal) return (Index)rips::point_columns(lunes, task, n_threads).release();
            return rips::loops_in(lunes, n, task);
          }))
