// Conflicts of points with cells of a regular triangulation, exactly, for weights of any sign.
//
// Points are whole numbers (x, y, z, w) as doubles, |x| < 2^(b-1) and |w| < 4^(b-1). Relative to the point
// o of a star, d = p - p_o and l = |d|^2 - w + w_o. A cell (o, a, b, c) has det(d_a, d_b, d_c) > 0, and q conflicts
// with it iff l_q det - P.d_q < 0, P as in predicates.h. A hull facet (o, a, b) is a cell with the vertex
// at infinity, NONE, on its positive side; q conflicts with it iff it is strictly beyond its plane, or in the
// plane and nearer to the orthocenter of the triangle than the triangle. Ties are broken by position as in predicates.h.
//
// A sign is computed in doubles unless the value is less than its rounding error, at most 19 units of the sum of
// the absolute values of its terms (differences are rounded, too), which products of norms bound; otherwise in integers
// of 6 b + 8 bits at most.
#pragma once
#include "alpha/limbs.h"

enum { SMALL_BITS = 61, MOST_BITS = 125 };  // of coordinates whose differences fit one or two limbs
enum { SITE_SIZE = 4, PLANE_SIZE = 6 };

struct Site {
  Real x, y, z, w;
};
ITEM Site site_at(const Real* sites, Int32 i) {
  const Real* at = sites + SITE_SIZE * (Index)i;
  return {at[0], at[1], at[2], at[3]};
}
ITEM bool is_perturbed_more(const Site& a, const Site& b) {
  if (a.x != b.x) return a.x > b.x;
  if (a.y != b.y) return a.y > b.y;
  return a.z > b.z;  // positions are distinct
}
ITEM Real absolute(Real x) { return x < 0 ? -x : x; }
ITEM Real larger(Real a, Real b) { return a > b ? a : b; }

// A point relative to the point of a star; `size` bounds the terms of l, `norm` is |x| + |y| + |z|.
struct Ray {
  Real x, y, z, l, size, norm;
};
ITEM Ray ray_to(const Site& o, const Site& p) {
  Ray r = {p.x - o.x, p.y - o.y, p.z - o.z, 0, 0, 0};
  const Real squared = r.x * r.x + r.y * r.y + r.z * r.z, weight = p.w - o.w;
  r.l = squared - weight;
  r.size = squared + absolute(weight);
  r.norm = absolute(r.x) + absolute(r.y) + absolute(r.z);
  return r;
}
// A number, and the sum of the absolute values of its terms, which bounds its error.
struct Estimate {
  Real value, size;
};

// Coefficients of the sign in doubles: value = l_q det - P.d_q. The terms of a component of P sum up to at most `size`,
// those of det to `det_size`, because those of a component of a cross product do to the product of the norms.
struct Plane {
  Real x, y, z, det, size, det_size;
};
ITEM Plane plane_of(const Ray& a, const Ray& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0, a.norm * b.norm, 0};
}
ITEM Plane plane_of(const Ray& a, const Ray& b, const Ray& c) {
  const Plane u = plane_of(b, c), v = plane_of(c, a), w = plane_of(a, b);
  return {a.l * u.x + b.l * v.x + c.l * w.x,
          a.l * u.y + b.l * v.y + c.l * w.y,
          a.l * u.z + b.l * v.z + c.l * w.z,
          w.x * c.x + w.y * c.y + w.z * c.z,
          a.size * u.size + b.size * v.size + c.size * w.size,
          w.size * c.norm};
}
ITEM Real value_at(const Plane& plane, const Ray& q) {
  return q.l * plane.det - (plane.x * q.x + plane.y * q.y + plane.z * q.z);
}
ITEM Real error_at(const Plane& plane, const Ray& q) {
  return 4e-15 * (q.size * plane.det_size + plane.size * q.norm);
}
// -1: q conflicts, 1: it does not, 0: not known.
ITEM Int32 verdict_of(const Plane& plane, const Ray& q) {
  const Real value = value_at(plane, q), error = error_at(plane, q);
  return (value > error) - (value < -error);
}

// === in integers, with differences of N limbs
template <int N>
struct ExactRay {
  Limbs<N> x, y, z;
  Limbs<2 * N> l;
};
template <int N> OUT_OF_LINE Limbs<2 * N> dot(const ExactRay<N>& a, const ExactRay<N>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <int N> OUT_OF_LINE ExactRay<N> exact_ray(const Site& o, const Site& p) {
  ExactRay<N> r = {limbs_of<N>(p.x) - limbs_of<N>(o.x), limbs_of<N>(p.y) - limbs_of<N>(o.y),
                   limbs_of<N>(p.z) - limbs_of<N>(o.z), limbs_of<2 * N>(o.w) - limbs_of<2 * N>(p.w)};
  r.l = r.l + dot(r, r);
  return r;
}
template <int N>
OUT_OF_LINE Limbs<3 * N> determinant(const ExactRay<N>& a, const ExactRay<N>& b, const ExactRay<N>& c) {
  return (a.y * b.z - a.z * b.y) * c.x + (a.z * b.x - a.x * b.z) * c.y + (a.x * b.y - a.y * b.x) * c.z;
}

// Decides a tie by the point that is perturbed most of those that the perturbation depends on.
struct Tie {
  Site by;
  bool is_conflict;
  ITEM_MEMBER void consider(const Site& vertex, int sign_of_lambda) {
    if (sign_of_lambda && is_perturbed_more(vertex, by)) by = vertex, is_conflict = sign_of_lambda > 0;
  }
};
template <int N>
OUT_OF_LINE bool is_in_triangle(const Site& o, const Site& pa, const Site& pb, const Site& pq, const ExactRay<N>& a,
                         const ExactRay<N>& b, const ExactRay<N>& q) {
  const auto aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), aq = dot(a, q), bq = dot(b, q);
  const auto gram = aa * bb - ab * ab, in_a = aq * bb - bq * ab, in_b = bq * aa - aq * ab;
  const int side = sign_of(q.l * gram - a.l * in_a - b.l * in_b);
  if (side) return side < 0;
  Tie tie = {pq, false};
  tie.consider(pa, sign_of(in_a));
  tie.consider(pb, sign_of(in_b));
  tie.consider(o, sign_of(gram - in_a - in_b));
  return tie.is_conflict;
}
template <int N>
OUT_OF_LINE bool is_exact_conflict(const Real* sites, Int32 i, Int32 ia, Int32 ib, Int32 ic, Int32 iq) {
  const Site o = site_at(sites, i), pa = site_at(sites, ia), pb = site_at(sites, ib), pq = site_at(sites, iq);
  const ExactRay<N> a = exact_ray<N>(o, pa), b = exact_ray<N>(o, pb), q = exact_ray<N>(o, pq);
  const auto in_c = determinant(a, b, q);
  if (ic == NONE) {
    const int side = sign_of(in_c);
    return side ? side > 0 : is_in_triangle(o, pa, pb, pq, a, b, q);
  }
  const Site pc = site_at(sites, ic);
  const ExactRay<N> c = exact_ray<N>(o, pc);
  const auto det = determinant(a, b, c), in_a = determinant(b, c, q), in_b = determinant(c, a, q);
  const int side = sign_of(q.l * det - a.l * in_a - b.l * in_b - c.l * in_c);
  if (side) return side < 0;
  Tie tie = {pq, false};
  tie.consider(pa, sign_of(in_a));
  tie.consider(pb, sign_of(in_b));
  tie.consider(pc, sign_of(in_c));
  tie.consider(o, sign_of(det - in_a - in_b - in_c));
  return tie.is_conflict;
}
template <int N>
OUT_OF_LINE int exact_orientation(const Real* sites, Int32 i, Int32 ia, Int32 ib, Int32 ic) {
  const Site o = site_at(sites, i);
  return sign_of(determinant(exact_ray<N>(o, site_at(sites, ia)), exact_ray<N>(o, site_at(sites, ib)),
                             exact_ray<N>(o, site_at(sites, ic))));
}

// Points of a call; `is_small`: coordinates have at most SMALL_BITS bits.
struct Cloud {
  const Real* sites;
  Index is_small;

  ITEM_MEMBER Site at(Int32 i) const { return site_at(sites, i); }
  ITEM_MEMBER Ray ray(Int32 i, Int32 j) const { return ray_to(at(i), at(j)); }
  ITEM_MEMBER Plane plane(Int32 i, Int32 a, Int32 b, Int32 c) const {
    return c == NONE ? plane_of(ray(i, a), ray(i, b)) : plane_of(ray(i, a), ray(i, b), ray(i, c));
  }
  ITEM_MEMBER bool is_conflict(Int32 i, Int32 a, Int32 b, Int32 c, const Plane& plane, Int32 j, const Ray& q) const {
    const Int32 verdict = verdict_of(plane, q);
    return verdict ? verdict < 0 : is_exactly_conflict(i, a, b, c, j);
  }
  ITEM_MEMBER bool is_exactly_conflict(Int32 i, Int32 a, Int32 b, Int32 c, Int32 j) const {
    return is_small ? is_exact_conflict<1>(sites, i, a, b, c, j) : is_exact_conflict<2>(sites, i, a, b, c, j);
  }
  // Sign of the determinant of a, b, and c as seen from i.
  ITEM_MEMBER int orientation(Int32 i, Int32 a, Int32 b, Int32 c) const {
    const Plane plane = plane_of(ray(i, a), ray(i, b));
    const Ray to_c = ray(i, c);
    const Real value = -value_at(plane, to_c), error = error_at(plane, to_c);
    if (value > error || value < -error) return value > 0 ? 1 : -1;
    return is_small ? exact_orientation<1>(sites, i, a, b, c) : exact_orientation<2>(sites, i, a, b, c);
  }
};

// === affine span
template <int N>
OUT_OF_LINE bool are_collinear_exactly(const Real* sites, Int32 i, Int32 ia, Int32 ib) {
  const Site o = site_at(sites, i);
  const ExactRay<N> a = exact_ray<N>(o, site_at(sites, ia)), b = exact_ray<N>(o, site_at(sites, ib));
  return sign_of(a.y * b.z - a.z * b.y) == 0 && sign_of(a.z * b.x - a.x * b.z) == 0 &&
         sign_of(a.x * b.y - a.y * b.x) == 0;
}
// How far point j is from the affine span of n_chosen points (1 to 3): 0 only if it is in it.
ITEM Real distance_from_span(const Cloud& cloud, Int32 j, const Int32* chosen, Index n_chosen) {
  const Int32 o = chosen[0];
  const Ray to_j = cloud.ray(o, j);
  if (n_chosen == 1) return absolute(to_j.x) + absolute(to_j.y) + absolute(to_j.z);
  const Plane plane = plane_of(cloud.ray(o, chosen[1]), n_chosen == 2 ? to_j : cloud.ray(o, chosen[2]));
  const bool is_inside = n_chosen == 3         ? cloud.orientation(o, chosen[1], chosen[2], j) == 0
                         : cloud.is_small      ? are_collinear_exactly<1>(cloud.sites, o, chosen[1], j)
                                               : are_collinear_exactly<2>(cloud.sites, o, chosen[1], j);
  if (is_inside) return 0;
  const Real far = n_chosen == 3 ? absolute(value_at(plane, to_j))
                                 : absolute(plane.x) + absolute(plane.y) + absolute(plane.z);
  return far > 0 ? far : 1e-300;
}
KERNEL(measure_from_span, (const Real* sites, Index is_small, const Int32* chosen, Index n_chosen, Real* distance),
       distance[i] = distance_from_span({sites, is_small}, (Int32)i, chosen, n_chosen))
