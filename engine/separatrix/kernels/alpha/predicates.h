// Exact signs of the alpha complex: whether a simplex is too large, and whether a ball violates it.
//
// A sign is computed in doubles if the value exceeds its rounding error, otherwise in integers
// (Shewchuk 1997: filters; here the inputs are integers). Writing G_ab = d_a.d_b and c for the point of
// least power common to a simplex s, rho^2(s) for that power:
//
//   edge      c = l_1 / 2 G_11 d_1          q violates: l_q G_11 - l_1 G_1q < 0
//   triangle  c = (u d_1 + v d_2) / 2G      q violates: l_q G - u G_1q - v G_2q < 0
//   tet       c = P / 2 det                 q violates: sign(det) (l_q det - P.d_q) < 0
//   size      |2 c|^2 > 4 R_i^2 says rho^2(s) > alpha
//
// with G = G_11 G_22 - G_12^2, u = l_1 G_22 - l_2 G_12, v = l_2 G_11 - l_1 G_12,
// P = l_1 d_2 x d_3 + l_2 d_3 x d_1 + l_3 d_1 x d_2. For D <= MAX_REACH G, u, v and P fit 64 bits and
// everything else 128.
//
// Ties of emptiness are broken by simulation of simplicity (Edelsbrunner, Muecke 1990): weight w_k
// becomes w_k - eps_k, eps by far largest for the lexicographically largest (x, y, z), then for the
// larger index. With lambda the barycentric coordinates of q's projection, the perturbation is
// eps_q - sum lambda_k eps_k, and the largest eps in it decides. Sizes stay as they are.
#pragma once
#include "alpha/spokes.h"

// Rounding errors of the kinds of expressions are less than these; see error_bounds in balls.py.
struct SignErrors {
  Real edge, triangle, tet, size, line;
};
struct Signs {
  SignErrors errors;
  Index* n_exact;  // number of signs that required integers
};

template <class Number> ITEM int sign_of(Number x) { return (x > 0) - (x < 0); }
ITEM bool is_clear(Real x, Real error) { return x > error || x < -error; }
ITEM int exact_sign(Long x, const Signs& signs) {
  add_to(signs.n_exact, 1);
  return sign_of(x);
}

// === ties
struct Decision {
  Spoke by;
  int side;  // 1: q is outside, -1: q violates
};
ITEM bool is_perturbed_more(const Spoke& a, const Spoke& b) {
  if (a.x != b.x) return a.x > b.x;
  if (a.y != b.y) return a.y > b.y;
  if (a.z != b.z) return a.z > b.z;
  return a.id > b.id;
}
ITEM void consider(const Spoke& vertex, int sign_of_lambda, Decision& decision) {
  if (sign_of_lambda && is_perturbed_more(vertex, decision.by)) decision = {vertex, -sign_of_lambda};
}
ITEM Spoke center_of_star(Int32 id) { return {0, 0, 0, 0, id}; }

// === vertex i
ITEM bool violates_vertex(Int32 i, const Spoke& q) {
  if (q.l != 0) return q.l < 0;
  return is_perturbed_more(center_of_star(i), q);
}

// === edge i, a
struct Edge {
  Spoke a;
  Real g11;
};
ITEM Edge edge_along(const Spoke& a) { return {a, dot(a, a)}; }
ITEM bool is_edge_too_large(const Edge& edge, Int32 squared, const Signs& signs) {
  Real reach = 4 * (Real)squared, x = edge.a.l * edge.a.l - reach * edge.g11;
  if (is_clear(x, signs.errors.edge)) return x > 0;
  Index l = (Index)edge.a.l;
  return exact_sign((Long)l * l - (Long)(4 * (Index)squared) * (Index)edge.g11, signs) > 0;
}
// Sign of the unperturbed test: negative where q violates.
ITEM int side_of_edge(const Edge& edge, const Spoke& q, const Signs& signs) {
  Real g1q = dot(edge.a, q), x = q.l * edge.g11 - edge.a.l * g1q;
  if (is_clear(x, signs.errors.edge)) return sign_of(x);
  return exact_sign((Long)(Index)q.l * (Index)edge.g11 - (Long)(Index)edge.a.l * (Index)g1q, signs);
}
ITEM bool violates_tied_edge(Int32 i, const Edge& edge, const Spoke& q) {
  Real lambda = dot(edge.a, q);
  Decision decision = {q, 1};
  consider(edge.a, sign_of(lambda), decision);
  consider(center_of_star(i), sign_of(edge.g11 - lambda), decision);
  return decision.side < 0;
}

// === triangle i, a, b
struct Triangle {
  Spoke a, b;
  Vector normal;
  Real g11, g12, g22, g, u, v;
};
ITEM Triangle triangle_of(const Spoke& a, const Spoke& b) {
  Triangle t = {a, b, cross(a, b), dot(a, a), dot(a, b), dot(b, b), 0, 0, 0};
  t.g = t.g11 * t.g22 - t.g12 * t.g12;
  t.u = a.l * t.g22 - b.l * t.g12;
  t.v = b.l * t.g11 - a.l * t.g12;
  return t;
}
ITEM bool is_degenerate(const Triangle& t) { return t.normal.x == 0 && t.normal.y == 0 && t.normal.z == 0; }

struct ExactTriangle {
  Index g11, g12, g22, g, u, v;
};
ITEM ExactTriangle exact(const Triangle& t) {
  Index g11 = (Index)t.g11, g12 = (Index)t.g12, g22 = (Index)t.g22, l1 = (Index)t.a.l, l2 = (Index)t.b.l;
  return {g11, g12, g22, g11 * g22 - g12 * g12, l1 * g22 - l2 * g12, l2 * g11 - l1 * g12};
}
ITEM Long size_numerator(const Triangle& t, const ExactTriangle& e) {
  return (Long)e.u * (Index)t.a.l + (Long)e.v * (Index)t.b.l;
}
ITEM bool is_too_large(const Triangle& t, Int32 squared, const Signs& signs) {
  Real x = t.u * t.a.l + t.v * t.b.l - 4 * (Real)squared * t.g;
  if (is_clear(x, signs.errors.triangle)) return x > 0;
  ExactTriangle e = exact(t);
  return exact_sign(size_numerator(t, e) - (Long)(4 * (Index)squared) * e.g, signs) > 0;
}
ITEM bool violates_tied_triangle(Int32 i, const Triangle& t, Index g1q, Index g2q, const Spoke& q) {
  ExactTriangle e = exact(t);
  Long lambda_a = (Long)g1q * e.g22 - (Long)g2q * e.g12, lambda_b = (Long)g2q * e.g11 - (Long)g1q * e.g12;
  Decision decision = {q, 1};
  consider(t.a, sign_of(lambda_a), decision);
  consider(t.b, sign_of(lambda_b), decision);
  consider(center_of_star(i), sign_of((Long)e.g - lambda_a - lambda_b), decision);
  return decision.side < 0;
}
ITEM bool violates_triangle(Int32 i, const Triangle& t, const Spoke& q, const Signs& signs) {
  Real g1q = dot(t.a, q), g2q = dot(t.b, q), x = q.l * t.g - t.u * g1q - t.v * g2q;
  if (is_clear(x, signs.errors.triangle)) return x < 0;
  ExactTriangle e = exact(t);
  Index a = (Index)g1q, b = (Index)g2q;
  int side = exact_sign((Long)(Index)q.l * e.g - (Long)e.u * a - (Long)e.v * b, signs);
  return side ? side < 0 : violates_tied_triangle(i, t, a, b, q);
}

// === tetrahedron i, a, b, c
struct Tet {
  Spoke c;
  Real det;
  Vector p;
};
ITEM Tet tet_of(const Triangle& t, const Spoke& c, Real det) {
  Vector bc = cross(t.b, c), ca = cross(c, t.a);
  return {c, det,
          {t.a.l * bc.x + t.b.l * ca.x + c.l * t.normal.x, t.a.l * bc.y + t.b.l * ca.y + c.l * t.normal.y,
           t.a.l * bc.z + t.b.l * ca.z + c.l * t.normal.z}};
}
struct ExactTet {
  Index x, y, z;  // P
};
ITEM ExactTet exact(const Triangle& t, const Spoke& c) {
  Vector bc = cross(t.b, c), ca = cross(c, t.a);
  Index l1 = (Index)t.a.l, l2 = (Index)t.b.l, l3 = (Index)c.l;
  return {l1 * (Index)bc.x + l2 * (Index)ca.x + l3 * (Index)t.normal.x,
          l1 * (Index)bc.y + l2 * (Index)ca.y + l3 * (Index)t.normal.y,
          l1 * (Index)bc.z + l2 * (Index)ca.z + l3 * (Index)t.normal.z};
}
ITEM Long size_numerator(const ExactTet& e) { return (Long)e.x * e.x + (Long)e.y * e.y + (Long)e.z * e.z; }
ITEM bool is_too_large(const Triangle& t, const Tet& tet, Int32 squared, const Signs& signs) {
  const Vector& p = tet.p;
  Real x = p.x * p.x + p.y * p.y + p.z * p.z - 4 * (Real)squared * (tet.det * tet.det);
  if (is_clear(x, signs.errors.size)) return x > 0;
  Index det = (Index)tet.det;
  return exact_sign(size_numerator(exact(t, tet.c)) - (Long)det * det * (4 * (Index)squared), signs) > 0;
}
ITEM bool violates_tied_tet(Int32 i, const Triangle& t, const Tet& tet, const Spoke& q) {
  int orientation = sign_of(tet.det);
  Real in_c = dot(t.normal, q), in_a = dot(cross(t.b, tet.c), q), in_b = dot(cross(tet.c, t.a), q);
  Decision decision = {q, 1};
  consider(t.a, orientation * sign_of(in_a), decision);
  consider(t.b, orientation * sign_of(in_b), decision);
  consider(tet.c, orientation * sign_of(in_c), decision);
  consider(center_of_star(i), orientation * sign_of(tet.det - in_a - in_b - in_c), decision);
  return decision.side < 0;
}
ITEM bool violates_tet(Int32 i, const Triangle& t, const Tet& tet, const Spoke& q, const Signs& signs) {
  int orientation = sign_of(tet.det);
  Real x = q.l * tet.det - dot(tet.p, q);
  if (is_clear(x, signs.errors.tet)) return orientation * sign_of(x) < 0;
  ExactTet e = exact(t, tet.c);
  Long value = (Long)(Index)q.l * (Index)tet.det - (Long)e.x * (Index)q.x - (Long)e.y * (Index)q.y -
               (Long)e.z * (Index)q.z;
  int side = orientation * exact_sign(value, signs);
  return side ? side < 0 : violates_tied_tet(i, t, tet, q);
}
