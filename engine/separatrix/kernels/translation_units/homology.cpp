// Merge trees and column reductions.
#include "homology/column_reduction.h"
#include "homology/merge_rounds.h"
#include "homology/merge_tree.h"
