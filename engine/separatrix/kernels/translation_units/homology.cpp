// Merge trees and column reductions.
#include "common/items.h"
#include "homology/column_reduction.h"
#include "homology/filtration.h"
#include "homology/merge_rounds.h"
#include "homology/merge_tree.h"
#include "homology/representatives.h"
#include "morse/differences.h"
#include "morse/odd_connectors.h"
