// Merge trees and column reductions.
#include "column_reduction.h"
#include "merge_tree.h"
