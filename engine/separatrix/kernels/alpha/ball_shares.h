// Parts of a ball that lie in one, two or three others as well: volume, and area of its own sphere.
//
// Koehl, Akopyan, Edelsbrunner 2023, sections 2 and 3; Edelsbrunner 1995. A region that several balls share is cut
// along their radical planes; a ball's share is its part. With zeta_ij the signed distance from p_i to the radical
// plane of i and j, delta_ij,k that from the center of edge ij to the center of triangle ijk towards k, h the
// height of the point x on three spheres above their plane, and l_ij = 2 |d_ij| zeta_ij:
//
//   one     V_i = 4/3 pi R_i^3, A_i = 4 pi R_i^2
//   two     V_ij = pi g^2 (3 R_i - g) / 3, A_ij = 2 pi R_i g, g = R_i - zeta_ij
//   three   A_ijk = 2 (t_ij/2pi A_ij + t_ik/2pi A_ik - psi/4pi A_i)
//           V_ijk = 2 (C_i h/3 - psi/4pi V_i + t_ij/2pi V_ij + t_ik/2pi V_ik),
//
// t_ij the dihedral angle of the tetrahedron i, j, k, x at edge ij, psi = t_ij + t_ik + t_ix - pi its solid angle at
// i, and C_i = (zeta_ij delta_ij,k + zeta_ik delta_ik,j) / 2 the triangle's part that lies nearest to i.
// Lengths are grid units (offsets.h); edge e of a triangle is the one opposite its vertex e. Squared lengths and
// expressions of degree 4 are exact integers.
#pragma once
#include "alpha/offsets.h"
#include "common/arctangent.h"

struct Share {
  Real volume, area;
};
ITEM Share operator+(const Share& a, const Share& b) { return {a.volume + b.volume, a.area + b.area}; }
ITEM Share operator*(Real factor, const Share& a) { return {factor * a.volume, factor * a.area}; }

// === one ball, two balls
ITEM Share share_of_one(Real radius) {
  Real squared = radius * radius;
  return {4 * PI / 3 * squared * radius, 4 * PI * squared};
}
// l_ij as above, squared distance of the centers.
ITEM Share share_of_two(Real radius, Index l, Index squared_length) {
  Real g = radius - (Real)l / (2 * sqrt((Real)squared_length));
  return {PI / 3 * (g * g) * (3 * radius - g), 2 * PI * radius * g};
}

// === three balls
// A triangle seen from itself; c = sum of barycentric_a p_a / 2G, G the Gram determinant.
struct TriangleShape {
  Index g[3];
  Long barycentric[3];
  Real root, squared_height;  // root of G: twice the triangle's area; h^2
};
ITEM TriangleShape shape_of(const GrownBall* const balls[3]) {
  TriangleShape t;
  UNROLL for (int e = 0; e < 3; ++e) t.g[e] = squared_distance(*balls[(e + 1) % 3], *balls[(e + 2) % 3]);
  const Index dot = (t.g[1] + t.g[2] - t.g[0]) / 2;
  const Index l1 = l_between(*balls[0], *balls[1], t.g[2]), l2 = l_between(*balls[0], *balls[2], t.g[1]);
  const Long gram = (Long)t.g[2] * t.g[1] - (Long)dot * dot;
  const Long u = (Long)l1 * t.g[1] - (Long)l2 * dot, v = (Long)l2 * t.g[2] - (Long)l1 * dot;
  t.barycentric[0] = 2 * gram - u - v, t.barycentric[1] = u, t.barycentric[2] = v;
  t.root = sqrt(real_of(gram));
  const Real along = (Real)l1 / 2, across = real_of(v) / (2 * t.root);  // of the center, times the edge's length
  t.squared_height = balls[0]->squared - (along * along + across * across) / (Real)t.g[2];
  return t;
}
// l from vertex a along edge e, which ends at vertex b.
ITEM Index l_along(const TriangleShape& t, const GrownBall* const balls[3], int e, int a, int b) {
  return l_between(*balls[a], *balls[b], t.g[e]);
}
// C_a.
ITEM Real cone_at(const TriangleShape& t, const GrownBall* const balls[3], int a) {
  const int b = (a + 1) % 3, c = (a + 2) % 3;
  return ((Real)l_along(t, balls, c, a, b) * (real_of(t.barycentric[c]) / (Real)t.g[c])
          + (Real)l_along(t, balls, b, a, c) * (real_of(t.barycentric[b]) / (Real)t.g[b])) / (8 * t.root);
}

// radius: roots of the balls' squares. share: of each of the three balls.
ITEM void share_three(const GrownBall* const balls[3], const Real radius[3], Share share[3]) {
  const TriangleShape t = shape_of(balls);
  // Three spheres that only touch are flat: half turns whose solid angle is 0 or 2 pi, also if a dihedral angle at
  // balls that touch is undefined.
  const bool is_flat = t.squared_height <= 4e-15 * balls[0]->squared;
  const Real height = is_flat ? 0 : sqrt(t.squared_height);
  Real dihedral[3];
  UNROLL for (int e = 0; e < 3; ++e)
    dihedral[e] = angle_of(height, real_of(t.barycentric[e]) / (2 * t.root * sqrt((Real)t.g[e])));
  UNROLL for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;  // edge ab is edge c
    const Index l_b = l_along(t, balls, c, a, b), l_c = l_along(t, balls, b, a, c);
    const Index between = (t.g[b] + t.g[c] - t.g[a]) / 2;
    const Real cosine = balls[a]->squared * (Real)between - (Real)l_b * (Real)l_c / 4;
    const Real turned = dihedral[b] + dihedral[c] + angle_of(radius[a] * height * t.root, cosine) - PI;
    const Real solid = is_flat ? (turned > PI / 2 ? 2 * PI : 0) : turned;
    const Share two = dihedral[c] / (2 * PI) * share_of_two(radius[a], l_b, t.g[c])
                    + dihedral[b] / (2 * PI) * share_of_two(radius[a], l_c, t.g[b]);
    const Share cut = two + -solid / (4 * PI) * share_of_one(radius[a]);
    share[a] = {2 * (cone_at(t, balls, a) * height / 3 + cut.volume), 2 * cut.area};
  }
}
