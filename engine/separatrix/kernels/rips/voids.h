// Bars of dimension 2 over Z/2, by homology: only edges whose lune is not a cone matter.
//
// If one point of a lune, the apex, is nearer to all other points of the lune than the edge is long, the simplices
// with this diameter are paired by adding or removing the apex, so the edge changes no homology. All other edges are
// open. The components of an open edge's lune but the first close triangles that end a loop or begin a void, and
// tetrahedra that close cycles of the lune may end a void. They are not tested unless a void is alive.
//
// The value of a triangle on the voids (Busaryev et al. 2012) is computed when it is needed: it is that of the
// other sides of a tetrahedron, with the apex or with the next point toward the oldest of the component. Triangles
// with the apex have none.
//
// The order of simplices is that of the other kernels. Open edges of equal length are processed together. The task
// gives up if some of them have a common simplex of the same diameter, if a void may begin or end in a simplex with
// several longest edges, or if more than 1 / edges_per_open of the edges are open, since cohomology is faster then.
#pragma once
#include "rips/annotations.h"
#include "rips/chains.h"
#include "rips/lunes.h"
#include "rips/value_map.h"

#if !ON_GPU

namespace rips {

enum VoidCounts { TRIANGLES, OPEN_EDGES, VOIDS, TESTED, VALUED, MOST_ALIVE };

class Voids {
public:
  Voids(const Word* matrix, Index n, Word limit, const Int32* ended, Index n_ended, Index edges_per_open,
        int n_threads, Index* counts)
      : matrix(matrix), n(n), edges_per_open(edges_per_open), limit(limit), n_threads(n_threads), counts(counts),
        values(2) {
    for (Index k = 0; k < n_ended; ++k) loop_ends.push_back(key(ended[3 * k], ended[3 * k + 1], ended[3 * k + 2]));
    std::sort(loop_ends.begin(), loop_ends.end());
  }

  // Rows of 7 vertices, descending: the birth triangle, and the death tetrahedron or -1. Null if it gave up.
  std::unique_ptr<Kept> run() {
    if (!has_few_open()) return nullptr;
    find_open();
    if ((Index)open.size() * edges_per_open > n_edges) return nullptr;
    count_triangles();
    for (size_t k = 0, end = 0; k < open.size(); k = end) {
      check_cancelled();
      while (end < open.size() && open[end].length == open[k].length) ++end;
      if (are_joined(k, end)) return nullptr;
      for (size_t i = k; i < end; ++i) inspect((Int32)i);
      begin_voids();
      end_voids();
      if (is_ambiguous) return nullptr;
      counts[MOST_ALIVE] = std::max(counts[MOST_ALIVE], values.n_alive());
    }
    for (const Triangle& t : born)
      if (t.a != NONE) give(t, {NONE, NONE, NONE, NONE, 0, 0, 0});
    counts[OPEN_EDGES] = (Index)open.size();
    counts[VOIDS] = (Index)kept->coefficients.size();
    counts[VALUED] = (Index)known.size();
    kept->offsets = {0, (Index)kept->coefficients.size()};
    return std::move(kept);
  }

private:
  typedef rips::Edge<Word> Edge;
  struct Triangle {
    Int32 a, b, c;  // descending
    bool operator<(const Triangle& other) const {
      if (a != other.a) return a > other.a;
      return b != other.b ? b > other.b : c > other.c;
    }
  };
  struct Test {  // a tetrahedron, descending, that closes a cycle of the lune of an edge with x and w
    Int32 vertices[4], k, x, w;
    bool operator<(const Test& other) const {
      return std::lexicographical_compare(other.vertices, other.vertices + 4, vertices, vertices + 4);
    }
  };
  enum { SAMPLES = 1024, MOST_EQUAL = 64 };
  struct Lune {  // places in `points` and `parents`
    size_t begin, end;
  };

  static Wide key(Int32 a, Int32 b, Int32 c) { return (Wide)a << 42 | (Wide)b << 21 | (Wide)c; }
  static Wide key(const Triangle& t) { return key(t.a, t.b, t.c); }
  static Triangle triangle(Int32 a, Int32 b, Int32 c) {
    if (a < b) std::swap(a, b);
    if (b < c) std::swap(b, c);
    if (a < b) std::swap(a, b);
    return {a, b, c};
  }
  const Word* row(Index u) const { return matrix + u * n; }
  Word rank(Index u, Index v) const { return matrix[u * n + v]; }
  Int32 apex(Int32 u, Int32 v) const { return apexes.get()[u > v ? u * n + v : v * n + u]; }

  // === which edges are open

  void count_triangles() {
    const Index width = (n + 63) / 64;
    std::vector<Wide> bits((size_t)(n * width), 0);
    std::vector<Index> found((size_t)n_threads, 0);
    deal_out(n_threads, n, 8, [&](int, Index u) {
      for (Index v = 0; v < n; ++v) bits[u * width + v / 64] |= (Wide)(v != u && rank(u, v) <= limit) << v % 64;
    });
    deal_out(n_threads, n, 8, [&](int thread, Index u) {
      for (Index v = 0; v < u; ++v) {
        if (rank(u, v) > limit) continue;
        for (Index k = 0; k < width; ++k)
          found[thread] += __builtin_popcountll(bits[u * width + k] & bits[v * width + k]);
      }
    });
    for (const Index count : found) counts[TRIANGLES] += count;
    counts[TRIANGLES] /= 3;
  }

  // Whether few edges of a sample are open.
  bool has_few_open() {
    Wide state = 0;  // a fixed sequence
    Index n_seen = 0, n_open = 0;
    std::vector<Int32> lune;
    for (int i = 0; i < SAMPLES; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const Int32 u = (Int32)((state >> 33) % (Wide)n), v = (Int32)((state >> 11) % (Wide)n);
      if (u == v || rank(u, v) > limit) continue;
      ++n_seen;
      n_open += apex_of({rank(u, v), std::max(u, v), std::min(u, v)}, lune) < 0;
    }
    return n_open * edges_per_open <= 2 * n_seen;
  }

  void find_open() {
    apexes.reset((Int32*)std::malloc((size_t)(n * n) * sizeof(Int32)));
    if (!apexes) throw std::bad_alloc();
    std::vector<std::vector<Edge>> found((size_t)n_threads);
    std::vector<Index> n_found((size_t)n_threads, 0);
    deal_out(n_threads, n, 8, [&](int thread, Index u) {
      std::vector<Int32> lune;
      for (Index v = 0; v < u; ++v) {
        if (rank(u, v) > limit) continue;
        ++n_found[thread];
        Int32& found_apex = apexes.get()[u * n + v];
        found_apex = apex_of({rank(u, v), (Int32)u, (Int32)v}, lune);
        if (found_apex < 0) found[thread].push_back({rank(u, v), (Int32)u, (Int32)v});
      }
    });
    for (const auto& mine : found) open.insert(open.end(), mine.begin(), mine.end());
    for (const Index count : n_found) n_edges += count;
    std::sort(open.begin(), open.end());
    for (size_t k = 0; k < open.size(); ++k) apexes.get()[open[k].high * n + open[k].low] = -1 - (Int32)k;
  }

  // A point of the lune that is nearer to all others than the edge is long, or -1. Usually it is the one nearest to both ends.
  Int32 apex_of(const Edge& e, std::vector<Int32>& lune) const {
    enum { BLOCK = 64 };
    const Word *const u = row(e.high), *const v = row(e.low), length = e.length;
    Word least = length;
    Index block = 0;
    for (Index begin = 0; begin < n; begin += BLOCK) {
      const Index end = std::min<Index>(begin + BLOCK, n);
      Word here = length;
      for (Index w = begin; w < end; ++w) here = std::min(here, std::max(u[w], v[w]));
      if (here < least) least = here, block = begin;
    }
    if (least == length) return NONE;
    while (std::max(u[block], v[block]) != least) ++block;
    const Word* const w = row(block);
    int is_far = 0;
    for (Index x = 0; x < n; ++x) is_far |= (u[x] <= length) & (v[x] <= length) & (w[x] >= length);
    if (!is_far) return (Int32)block;
    lune.resize((size_t)n);
    size_t m = 0;
    for (Int32 x = 0; x < n; ++x) {
      lune[m] = x;
      m += (u[x] <= length) & (v[x] <= length) & (x != e.high) & (x != e.low);
    }
    Int32 far[4] = {lune[0], lune[0], lune[0], lune[0]};  // from earlier points, and probably from the next ones
    for (size_t i = 0, n_tried = 0; i < m; ++i) {
      const Int32 x = lune[i];
      const Word* const from = row(x);
      if (u[x] >= length || v[x] >= length || from[far[0]] >= length || from[far[1]] >= length) continue;
      if (from[far[2]] >= length || from[far[3]] >= length) continue;
      const auto end = lune.begin() + (Index)m;
      const auto at = std::find_if(lune.begin(), end, [&](Int32 y) { return from[y] >= length; });
      if (at == end) return x;
      far[n_tried++ % 4] = *at;
    }
    return NONE;
  }

  // Whether two open edges of equal length have a common simplex of this diameter.
  bool are_joined(size_t begin, size_t end) const {
    if (end - begin > MOST_EQUAL) return true;
    for (size_t k = begin + 1; k < end; ++k)
      for (size_t i = begin; i < k; ++i) {
        const Edge &e = open[k], &f = open[i];
        Word most = 0;
        for (const Int32 x : {e.high, e.low})
          for (const Int32 y : {f.high, f.low})
            if (x != y) most = std::max(most, rank(x, y));
        if (most <= e.length) return true;
      }
    return false;
  }

  // === lunes of open edges

  // Finds the components of a lune, and what it may begin and end.
  void inspect(Int32 k) {
    const Edge e = open[k];
    const Word *const u = row(e.high), *const v = row(e.low);
    const size_t begin = points.size();
    for (Int32 w = (Int32)n - 1; w >= 0; --w)
      if (u[w] <= e.length && v[w] <= e.length && w != e.high && w != e.low) points.push_back(w);
    const size_t end = points.size(), m = end - begin, width = (m + 63) / 64;
    lunes.push_back({begin, end});
    for (size_t i = 0; i < m; ++i) parents.push_back((Int32)i);
    const Int32* const at = points.data() + begin;
    near.assign(m * width, 0);
    for (size_t i = 0; i < m; ++i) {
      near[i * width + i / 64] |= (Wide)1 << i % 64;
      const Word* const x = row(at[i]);
      for (size_t j = 0; j < i; ++j)
        if (x[at[j]] <= e.length) near[i * width + j / 64] |= (Wide)1 << j % 64, near[j * width + i / 64] |= (Wide)1 << i % 64;
    }
    // Points toward the oldest of the component: by edges in order, of which the others close cycles.
    Int32* const parent = parents.data() + begin;
    component.resize(m);
    for (size_t i = 0; i < m; ++i) component[i] = (Int32)i;
    std::vector<std::pair<Int32, Int32>>& links = tree;
    links.clear();
    cycles.clear();
    const auto root_of = [&](Int32 i) {
      while (component[i] != i) i = component[i] = component[component[i]];
      return i;
    };
    for (size_t i = 0; i < m; ++i)
      for (size_t j = i + 1; j < m; ++j) {
        if (!may_test(i, j, width)) continue;
        const Int32 a = root_of((Int32)i), b = root_of((Int32)j);
        if (a != b) component[std::max(a, b)] = std::min(a, b), links.push_back({(Int32)i, (Int32)j});
        else cycles.push_back({(Int32)i, (Int32)j});
      }
    hang(links, m, parent);
    if (links.size() + 1 < m)
      for (size_t i = 0; i < m; ++i) is_ambiguous |= std::max(u[at[i]], v[at[i]]) == e.length;
    for (size_t i = 1; i < m; ++i)
      if (component[i] == (Int32)i) {
        const Triangle t = triangle(e.high, e.low, at[i]);
        if (!std::binary_search(loop_ends.begin(), loop_ends.end(), key(t))) births.push_back(t);
      }
    for (const auto& [i, j] : cycles) add_test(k, at[i], at[j]);
  }
  // Whether two points of a lune, i < j, are near and have no common neighbor before i. With such a neighbor, their
  // tetrahedron is the youngest in the boundary of a simplex, so it ends nothing.
  bool may_test(size_t i, size_t j, size_t width) const {
    const Wide *const a = near.data() + i * width, *const b = near.data() + j * width;
    if (!(a[j / 64] >> j % 64 & 1)) return false;
    for (size_t word = 0; word < i / 64; ++word)
      if ((a[word] & b[word]) != 0) return false;
    return (a[i / 64] & b[i / 64] & (((Wide)1 << i % 64) - 1)) == 0;
  }
  void add_test(Int32 k, Int32 x, Int32 w) {
    Test test{{open[k].high, open[k].low, x, w}, k, x, w};
    std::sort(test.vertices, test.vertices + 4, std::greater<Int32>());
    tests.push_back(test);
  }

  // Directs the edges of a forest to the first vertex of each tree.
  void hang(const std::vector<std::pair<Int32, Int32>>& links, size_t m, Int32* parent) {
    first.assign(m + 1, 0);
    for (const auto& [i, j] : links) ++first[i + 1], ++first[j + 1];
    for (size_t i = 0; i < m; ++i) first[i + 1] += first[i];
    to.resize(2 * links.size());
    place.assign(first.begin(), first.end());
    for (const auto& [i, j] : links) to[place[i]++] = j, to[place[j]++] = i;
    is_hung.assign(m, false);
    for (size_t root = 0; root < m; ++root) {
      if (is_hung[root]) continue;
      is_hung[root] = true;
      waiting.assign(1, (Int32)root);
      while (!waiting.empty()) {
        const Int32 i = waiting.back();
        waiting.pop_back();
        for (Int32 p = first[i]; p < first[i + 1]; ++p)
          if (!is_hung[to[p]]) is_hung[to[p]] = true, parent[to[p]] = i, waiting.push_back(to[p]);
      }
    }
  }

  // === values

  void begin_voids() {
    std::sort(births.begin(), births.end());
    for (const Triangle& t : births) {
      Int32 slot;
      known.set(key(t), values.begin_class(n_begun++, slot));
      if (slot == (Int32)born.size()) born.push_back(t);
      else born[slot] = t;
    }
    births.clear();
  }
  void end_voids() {
    std::sort(tests.begin(), tests.end());
    for (const Test& test : tests) {
      if (values.n_alive() == 0) break;
      const Edge& e = open[test.k];
      Int32 sum = 0;
      for (const Triangle& t : {triangle(e.high, e.low, test.x), triangle(e.high, e.low, test.w),
                                triangle(e.high, test.x, test.w), triangle(e.low, test.x, test.w)}) {
        const Int32 value = value_of(t);
        sum = values.sum(sum, value);
      }
      check_cancelled_at(++counts[TESTED]);
      if (sum == 0) continue;
      Triangle& t = born[values.end_class(sum)];
      give(t, test);
      t.a = NONE;
      int n_longest = 0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) n_longest += rank(test.vertices[i], test.vertices[j]) == e.length;
      is_ambiguous |= n_longest > 1;
    }
    tests.clear();
  }
  void give(const Triangle& t, const Test& test) {
    kept->vertices.insert(kept->vertices.end(), {t.a, t.b, t.c});
    kept->vertices.insert(kept->vertices.end(), test.vertices, test.vertices + 4);
    kept->coefficients.push_back(0);
  }

  Int32 value_of(const Triangle& wanted) {
    asked.assign(1, wanted);
    while (true) {
      const Triangle t = asked.back();
      if (known.find(key(t)) == nullptr) {
        Triangle others[3];
        const int m = others_of(t, others);
        Int32 sum = 0;
        bool is_ready = true;
        for (int i = 0; i < m; ++i) {
          const auto* const other = known.find(key(others[i]));
          if (other == nullptr) asked.push_back(others[i]), is_ready = false;
          else if (is_ready) sum = values.sum(sum, values.find(other->id));
        }
        if (!is_ready) continue;
        known.set(key(t), sum);
      }
      asked.pop_back();
      if (asked.empty()) return values.find(known.find(key(wanted))->id);
    }
  }

  // The other triangles with a value of a tetrahedron, all of which are earlier.
  int others_of(const Triangle& t, Triangle* others) const {
    Int32 u = t.a, v = t.b, x = t.c;
    const auto take_later = [&](Int32 high, Int32 low, Int32 third) {
      const Word now = rank(high, low), best = rank(u, v);
      if (now < best || (now == best && apex(high, low) >= 0 && apex(u, v) < 0)) return;
      u = high, v = low, x = third;
    };
    take_later(t.a, t.c, t.b);
    take_later(t.b, t.c, t.a);
    Int32 w = apex(u, v);
    if (w < 0) {
      const Lune& lune = lunes[-1 - w];
      const auto begin = points.begin() + lune.begin, end = points.begin() + lune.end;
      const auto at = std::lower_bound(begin, end, x, std::greater<Int32>());
      const Int32 i = (Int32)(at - begin), next = parents[lune.begin + i];
      if (next == i) return 0;
      w = begin[next];
      others[2] = triangle(u, v, w);
    } else if (w == x) return 0;
    others[0] = triangle(u, x, w);
    others[1] = triangle(v, x, w);
    return apex(u, v) < 0 ? 3 : 2;
  }

  struct Freed {
    void operator()(Int32* memory) const { std::free(memory); }
  };
  const Word* matrix;
  const Index n, edges_per_open;
  const Word limit;
  const int n_threads;
  Index* counts;
  std::unique_ptr<Kept> kept{new Kept};
  Annotations values;
  std::unique_ptr<Int32[], Freed> apexes;  // by edge, or -1 - the place of an open edge
  bool is_ambiguous = false;  // whether a void may begin or end in a simplex with several longest edges
  Index n_edges = 0, n_begun = 0;
  std::vector<Edge> open;
  std::vector<Lune> lunes;  // of the open edges so far
  std::vector<Int32> points, parents;
  std::vector<Wide> near, loop_ends;
  std::vector<std::pair<Int32, Int32>> tree, cycles;
  std::vector<Int32> component, first, to, place, waiting;
  std::vector<bool> is_hung;
  std::vector<Triangle> births, born, asked;  // born: by slot, a is NONE if the slot is free
  std::vector<Test> tests;
  ValueMap known;  // values of triangles
};

}  // namespace rips
#endif

HOST_TASK(rips_voids, (const Word* matrix, Index n, Word limit, const Int32* ended, Index n_ended,
                       Index edges_per_open, Int32 n_threads, Index* counts),
          (Index)rips::Voids(matrix, n, limit, ended, n_ended, edges_per_open, n_threads, counts).run().release())
