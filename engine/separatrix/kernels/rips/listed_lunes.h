// Loops of open edges that kernels have listed; see rips/lune_rows.h.
//
// The caller lists the open edges of one range of lengths after the other, with the components of their lunes, until
// all loops have ended.
#pragma once
#include "rips/annotations.h"
#include "rips/loops.h"
#include "rips/lune_rows.h"
#include "rips/sparse_annotations.h"
#include "rips/value_map.h"

#if !ON_GPU

namespace rips {

class ListedLunes : public ValuesOnDemand {
public:
  typedef PlacedEdge Edge;

  struct Listed {  // as the kernels return them
    const Int32* ends;
    const Real* lengths;
    const Index* begin;
    const Int32* found;
    Index m;
  };

  // The open edges in order.
  void list(const Listed& given, std::vector<Edge>& batch) {
    listed = given;
    batch.clear();
    for (Index k = 0; k < given.m; ++k) {
      Edge e;
      e.length = given.lengths[k] + 0.0, e.high = given.ends[2 * k], e.low = given.ends[2 * k + 1], e.place = k;
      batch.push_back(e);
    }
    sort_edges(batch, sorted);
  }
  void list_middles(const Wide* sides, const Int32* middles, Index m) {
    ids.make_room(m);
    for (Index k = 0; k < m; ++k) ids.set_via(sides[k], middles[k]);
  }

  void begin(const Int32*, Index, Index) {}
  bool next(std::vector<Edge>&) { return false; }
  void components(const Edge& e, std::vector<Int32>& last) const { vertices(e, last); }
  void expect(const Edge& e) const {
    for (Index i = listed.begin[e.place]; i < listed.begin[e.place + 1]; ++i)
      for (const Int32 end : {e.high, e.low}) ids.fetch(key(end, listed.found[i]));
  }
  void vertices(const Edge& e, std::vector<Int32>& found) const {
    found.assign(listed.found + listed.begin[e.place], listed.found + listed.begin[e.place + 1]);
  }
  Int32 inside(Int32 u, Int32 v) const { return ids.find(key(u, v))->via; }

  template <class IsZero>
  void release(const IsZero&) {}

private:
  Listed listed;
  std::vector<Edge> sorted;
};

// The search for loops between two lists.
class LoopSearch {
public:
  virtual ~LoopSearch() {}
  virtual bool take(const ListedLunes::Listed& listed, const Wide* sides, const Int32* middles, Index m) = 0;
  virtual bool is_done() const = 0;
  virtual Kept* finished() = 0;
};

template <class Values>
class ListedLoops : public LoopSearch {
public:
  ListedLoops(Index n, const LoopTask& task)
      : links(task.links, task.links + 2 * task.n_links), begins(task.begins_class, task.begins_class + task.n_links),
        loops(lunes, n, with(task)) {}
  bool take(const ListedLunes::Listed& listed, const Wide* sides, const Int32* middles, Index m) override {
    lunes.list_middles(sides, middles, m);
    lunes.list(listed, batch);
    return loops.take(batch);
  }
  bool is_done() const override { return loops.is_done(); }
  Kept* finished() override { return loops.finished().release(); }

private:
  LoopTask with(LoopTask task) const {
    task.links = links.data();
    task.begins_class = begins.data();
    return task;
  }
  const std::vector<Int32> links;
  const std::vector<Byte> begins;
  ListedLunes lunes;
  Loops<ListedLunes, Values> loops;
  std::vector<ListedLunes::Edge> batch;
};

}  // namespace rips
#endif

// Returns where the search is kept; `counts` must exist until it ends.
HOST_TASK(rips_begin_listed_loops, (Index n, const Int32* links, const Byte* begins_class, Index n_links, Index prime,
                                    Index is_sparse, Index most_triangles, Index most_words, Index* counts),
          ([&]() -> Index {
            const rips::LoopTask task{links, begins_class, n_links, prime, is_sparse, 0, most_triangles, most_words, counts};
            if (is_sparse) return (Index)(rips::LoopSearch*)new rips::ListedLoops<rips::SparseAnnotations>(n, task);
            return (Index)(rips::LoopSearch*)new rips::ListedLoops<rips::Annotations>(n, task);
          }()))
// Returns 1 when all loops have ended, 0 before, and -1 if it gave up.
HOST_TASK(rips_take_listed_lunes, (Index search, const Int32* ends, const Real* lengths, const Index* begin,
                                   const Int32* found, Index m, const Wide* sides, const Int32* middles, Index n_sides),
          ([&]() -> Index {
            auto& loops = *(rips::LoopSearch*)search;
            const rips::ListedLunes::Listed listed{ends, lengths, begin, found, m};
            return loops.take(listed, sides, middles, n_sides) ? loops.is_done() : -1;
          }()))
HOST_TASK(rips_end_listed_loops, (Index search), (Index)((rips::LoopSearch*)search)->finished())
HOST_TASK(rips_drop_listed_loops, (Index search), (delete (rips::LoopSearch*)search, 0))
