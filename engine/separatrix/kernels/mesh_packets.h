// Mesh ids of the edges and triangles of a packet, a part of the mesh with vertices numbered anew.
//
// vertices (n,): the mesh vertex of each of its vertices, ascending; tries as in mesh_simplices.h, those
// of the whole mesh. Every edge and triangle of a packet is one of the mesh.
#pragma once
#include "mesh_simplices.h"

KERNEL(find_edge_ids, (const Int32* lower, const Int32* upper, const Int32* vertices, const Int32* edge_begin,
                       const Int32* edge_upper, Int32* ids),
       ids[i] = edge_between(vertices[lower[i]], vertices[upper[i]], edge_begin, edge_upper))
// edge, third: of the packet's triangles; edge_ids: the mesh ids of its edges.
KERNEL(find_triangle_ids, (const Int32* edge, const Int32* third, const Int32* edge_ids, const Int32* vertices,
                           const Int32* triangle_begin, const Int32* triangle_third, Int32* ids),
       ids[i] = triangle_on(edge_ids[edge[i]], vertices[third[i]], triangle_begin, triangle_third))
