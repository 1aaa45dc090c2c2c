// The reductions of all fields and keys, and the one that is kept until its postponed columns have their pivots.
#pragma once
#include "rips/reduction.h"

#if !ON_GPU

namespace rips {

// A reduction that is kept with its graph until postponed columns have their pivots.
template <class Graph>
class KeptReduction : public PostponedColumns {
public:
  typedef CochainReduction<Graph, Wide, ModTwo> Reduction;
  typedef typename Reduction::Term Term;

  KeptReduction(const Graph& graph, const Task& task) : graph(graph), reduction(this->graph, task) {}
  // Whether any column is left.
  bool run() {
    reduction.run();
    reduction.take_postponed(columns);
    return !columns.empty();
  }
  void count(Index* sizes) const override {
    sizes[0] = (Index)columns.size();
    reduction.count_pivots(sizes[1], sizes[2]);
    sizes[3] = columns.empty() ? 0 : (Index)next().chain.size();
  }
  void list(Wide* pivots, Int32* owners, Index* begins, Wide* terms) const override {
    reduction.list_pivots(pivots, owners, begins, terms);
  }
  const Postponed& next() const override { return columns.back(); }
  void finish_next(Wide pivot, Word rank, const Wide* chain, Index m) override {
    const Int32 column = next().column;
    columns.pop_back();
    reduction.begin_task(stop_flag, LIMIT);
    std::vector<Term> terms;  // equal ones cancel in pairs
    for (Index i = 0; i < m; ++i)
      if (!terms.empty() && terms.back().key == chain[i]) terms.pop_back();
      else terms.push_back(Term(chain[i], 1));
    if (m > 0) reduction.finish(column, rank, Term(pivot, 1), terms);
    reduction.take_postponed(columns);
  }
  void reduce_next() override {
    const Int32 column = next().column;
    columns.pop_back();
    reduction.begin_task(stop_flag, 0);
    reduction.reduce(column);
    reduction.take_postponed(columns);
  }
  void write() override {
    reduction.begin_task(stop_flag, 0);
    reduction.write();
  }

private:
  enum : Index { LIMIT = 1 << 12 };
  const Graph graph;
  Reduction reduction;
  std::vector<Postponed> columns;
};

template <class Graph, class Key, class Field>
void reduce_columns(const Graph& graph, const Task& task, Kept* kept) {
  CochainReduction<Graph, Key, Field> reduction(graph, task);
  reduction.keeps = kept != nullptr;
  reduction.run();
  reduction.write();
  if (kept != nullptr) reduction.keep(*kept);
}

// Keys of two words and coefficients mod p are rare: not every combination has a form of its own. Returns 0, or where
// V is kept until take_kept_chains or, if columns are postponed, the reduction until rips_drop_postponed.
template <class Graph>
Index reduce_any(const Graph& graph, const Task& task, Index keep) {
  if (task.most_eliminations > 0) {
    std::unique_ptr<KeptReduction<Graph>> reduction(new KeptReduction<Graph>(graph, task));
    if (reduction->run()) return (Index)(PostponedColumns*)reduction.release();
    reduction->write();
    return 0;
  }
  std::unique_ptr<Kept> kept(keep ? new Kept : nullptr);
  if ((task.k + 1) * task.bits > 64) reduce_columns<Graph, Wide2, ModPrime>(graph, task, kept.get());
  else if (task.prime == 2) reduce_columns<Graph, Wide, ModTwo>(graph, task, kept.get());
  else reduce_columns<Graph, Wide, ModPrime>(graph, task, kept.get());
  return (Index)kept.release();
}

}  // namespace rips
#endif
