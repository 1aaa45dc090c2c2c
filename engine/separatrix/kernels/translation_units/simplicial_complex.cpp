// Morse-Smale complexes of meshes: forests, V-paths between saddles as a graph, and what is read off it.
#include "simplicial/forests.h"
#include "simplicial/path_cancellation.h"
#include "simplicial/path_networks.h"
#include "simplicial/paths.h"
#include "simplicial/star_surfaces.h"
#include "simplicial/star_trie.h"
#include "simplicial/surfaces.h"
