// Simplices of a given regular triangulation: their sizes, and which are Gabriel simplices.
//
// A simplex of the triangulation that is not Gabriel has a coface of the next dimension with the same
// filtration value whose additional point violates it, because the point of its dual cell nearest to its center
// is on that of the coface. Thus it suffices to test the facets of each simplex against its other vertex.
//
// Points as in conflicts.h: coordinates below 2^30 and squared radii below 2^53, so a difference is one limb. Sizes
// do not depend on alpha. They are computed as in sizes.h, to the same bit, from numerators and denominators of up
// to 256 and 192 bits: N / 4 q - w_o for the point o of least index. Pairs of doubles determine most of these bits.
#pragma once
#include "alpha/clear_sizes.h"
#include "alpha/snapping.h"

// === sizes
// floor(numerator / denominator); the remainder stays in the numerator. Each step gains 50 bits.
template <int N> OUT_OF_LINE Limbs<N> divide(Limbs<N>& numerator, const Limbs<N>& denominator) {
  Limbs<N> quotient = {};
  while (numerator.is_negative() || !(numerator - denominator).is_negative()) {
    const Real ratio = real_of(numerator) / real_of(denominator);
    const Limbs<N> more = limbs_of<N>(absolute(ratio) < 0x1p52 ? (Real)floor_of(ratio) : ratio);
    quotient = quotient + more;
    numerator = numerator - resized<N>(more * denominator);
  }
  return quotient;
}
template <int N, int M>
ITEM Real size_from(const Limbs<N>& numerator, const Limbs<M>& quarter, Real weight, const SquaredUnit& unit) {
  const Wide fraction = 0xffffffffull;
  Limbs<N> rest = shifted(numerator, 30);
  Limbs<N> size = divide(rest, resized<N>(quarter)) - shifted(limbs_of<N>(weight), 32);
  const bool is_above = sign_of(rest) || (size.limb[0] & fraction);
  const Real value = in_unit(real_of(size) * 0x1p-32, unit);
  size.limb[0] &= ~fraction;
  const Real whole = real_of(size) * 0x1p-32, floored = in_unit(whole, unit);
  return is_above && value <= floored && absolute(whole) < 0x1p52 ? next_above(floored) : value;
}
typedef ExactRay<1> Side;
ITEM Real size_of_edge(const Side& a, Real weight, const SquaredUnit& unit) {
  return size_from(a.l * a.l, dot(a, a), weight, unit);
}
ITEM Real size_of_triangle(const Side& a, const Side& b, Real weight, const SquaredUnit& unit) {
  const auto aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
  const auto u = a.l * bb - b.l * ab, v = b.l * aa - a.l * ab;
  return size_from(u * a.l + v * b.l, aa * bb - ab * ab, weight, unit);
}
ITEM Real size_of_tet(const Side& a, const Side& b, const Side& c, Real weight, const SquaredUnit& unit) {
  const auto x = a.l * (b.y * c.z - b.z * c.y) + b.l * (c.y * a.z - c.z * a.y) + c.l * (a.y * b.z - a.z * b.y);
  const auto y = a.l * (b.z * c.x - b.x * c.z) + b.l * (c.z * a.x - c.x * a.z) + c.l * (a.z * b.x - a.x * b.z);
  const auto z = a.l * (b.x * c.y - b.y * c.x) + b.l * (c.x * a.y - c.y * a.x) + c.l * (a.x * b.y - a.y * b.x);
  const auto det = determinant(a, b, c);
  return size_from(x * x + y * y + z * z, det * det, weight, unit);
}

// === which points violate a simplex: in doubles unless the value is less than its error, as in conflicts.h
ITEM Estimate operator*(const Estimate& a, const Estimate& b) { return {a.value * b.value, a.size * b.size}; }
ITEM Estimate operator-(const Estimate& a, const Estimate& b) { return {a.value - b.value, a.size + b.size}; }
ITEM Estimate power_of(const Ray& a) { return {a.l, a.size}; }
ITEM Estimate dot(const Ray& a, const Ray& b) {
  const Real x = a.x * b.x, y = a.y * b.y, z = a.z * b.z;
  return {x + y + z, absolute(x) + absolute(y) + absolute(z)};
}
ITEM bool is_certain(const Estimate& x) { return absolute(x.value) > 4e-15 * x.size; }

ITEM bool violates_point(const Site& o, const Site& q) {
  const int side = sign_of(exact_ray<1>(o, q).l);
  return side ? side < 0 : is_perturbed_more(o, q);
}
ITEM bool violates_edge(const Site& o, const Site& pa, const Site& pq) {
  const Ray a = ray_to(o, pa), q = ray_to(o, pq);
  const Estimate value = power_of(q) * dot(a, a) - power_of(a) * dot(a, q);
  if (is_certain(value)) return value.value < 0;
  const Side to_a = exact_ray<1>(o, pa), to_q = exact_ray<1>(o, pq);
  const auto aa = dot(to_a, to_a), aq = dot(to_a, to_q);
  const int side = sign_of(to_q.l * aa - to_a.l * aq);
  if (side) return side < 0;
  Tie tie = {pq, false};
  tie.consider(pa, sign_of(aq));
  tie.consider(o, sign_of(aa - aq));
  return tie.is_conflict;
}
ITEM bool violates_triangle(const Site& o, const Site& pa, const Site& pb, const Site& pq) {
  const Ray a = ray_to(o, pa), b = ray_to(o, pb), q = ray_to(o, pq);
  const Estimate aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), aq = dot(a, q), bq = dot(b, q);
  const Estimate value =
      power_of(q) * (aa * bb - ab * ab) - power_of(a) * (aq * bb - bq * ab) - power_of(b) * (bq * aa - aq * ab);
  if (is_certain(value)) return value.value < 0;
  return is_in_triangle(o, pa, pb, pq, exact_ray<1>(o, pa), exact_ray<1>(o, pb), exact_ray<1>(o, pq));
}

// Whether vertex k of a simplex of points v violates the opposite facet.
ITEM bool violates_facet(const Real* sites, const Int32* v, Index dimension, Index k) {
  const Site q = site_at(sites, v[k]), o = site_at(sites, v[k == 0]);
  if (dimension == 1) return violates_point(o, q);
  const Site a = site_at(sites, v[k <= 1 ? 2 : 1]);
  if (dimension == 2) return violates_edge(o, a, q);
  return violates_triangle(o, a, site_at(sites, v[k <= 2 ? 3 : 2]), q);
}
KERNEL(mark_violated_facets, (const Real* sites, const Int32* simplices, const Int32* facets, Index dimension,
                              Byte* is_violated), {
  if (violates_facet(sites, simplices + i / (dimension + 1) * (dimension + 1), dimension, i % (dimension + 1)))
    mark(is_violated + facets[i]);
})
// Lowers the order images of violated facets to the values of their cofaces.
KERNEL(lower_to_cofaces, (const Int32* facets, Index dimension, const Real* above, const Byte* is_violated, Wide* least),
       if (is_violated[facets[i]]) lower_to(least + facets[i], order_image(above[i / (dimension + 1)])))

ITEM SizeTerms terms_of_simplex(const Site& o, const WholeRay& a, const Real* sites, const Int32* v, Index dimension) {
  if (dimension == 1) return terms_of_edge(a);
  const WholeRay b = whole_ray(o, site_at(sites, v[2]));
  return dimension == 2 ? terms_of_triangle(a, b) : terms_of_tet(a, b, whole_ray(o, site_at(sites, v[3])));
}
OUT_OF_LINE Real exact_size_of_simplex(const Site& o, const Real* sites, const Int32* v, Index dimension,
                                       const SquaredUnit& unit) {
  const Side a = exact_ray<1>(o, site_at(sites, v[1]));
  if (dimension == 1) return size_of_edge(a, o.w, unit);
  const Side b = exact_ray<1>(o, site_at(sites, v[2]));
  if (dimension == 2) return size_of_triangle(a, b, o.w, unit);
  return size_of_tet(a, b, exact_ray<1>(o, site_at(sites, v[3])), o.w, unit);
}
ITEM Real size_of_simplex(const Real* sites, const Int32* v, Index dimension, const SquaredUnit& unit) {
  const Site o = site_at(sites, v[0]);
  if (dimension == 0) return in_unit(0 - o.w, unit);
  const WholeRay a = whole_ray(o, site_at(sites, v[1]));
  if (dimension == 1 && a.l == dot(a, a)) return size_of_even_edge(a.l, o.w, unit);
  Real size;
  if (find_clear_size(terms_of_simplex(o, a, sites, v, dimension), o.w, unit, size)) return size;
  return exact_size_of_simplex(o, sites, v, dimension, unit);
}
// Values: sizes of simplices, or the least values of the cofaces of violated ones.
KERNEL(size_simplices, (const Real* sites, const Int32* simplices, Index dimension, SquaredUnit unit,
                        const Byte* is_violated, const Wide* least, Real* value), {
  if (is_violated[i]) from_image(least[i], value + i);
  else value[i] = size_of_simplex(sites, simplices + i * (dimension + 1), dimension, unit);
})

// The row of a key first * stride + last among distinct keys, ascending, with offsets by first.
ITEM Index place_among(const Index* keys, const Index* offsets, Index stride, Index wanted) {
  Index low = offsets[wanted / stride], high = offsets[wanted / stride + 1];
  while (high - low > 1) {
    const Index middle = (low + high) / 2;
    if (keys[middle] <= wanted) low = middle;
    else high = middle;
  }
  return low;
}
KERNEL(find_among_keys, (const Index* keys, const Index* offsets, Index stride, const Index* wanted, Int32* found),
       found[i] = (Int32)place_among(keys, offsets, stride, wanted[i]))
