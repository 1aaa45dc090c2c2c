"""Exactness under stress: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "exactness",
        "Rips barcodes with weights, exponent 2: edges whose squared length is 0 or "
        "infinite in float64 came too early or never",
        "tests/reliability/test_exactness_rips.py::"
        "test_weighted_edges_come_when_their_balls_touch_whatever_the_magnitude",
    ),
    Mended(
        "exactness",
        "Rips barcodes with epsilon: distances near the largest number gave NumPy's "
        "warning of an overflow",
        "tests/reliability/test_exactness_rips.py::"
        "test_an_approximation_of_distances_near_the_largest_gives_no_warning",
    ),
    Mended(
        "exactness",
        "Denormal float32 points, distances and weights were zeros on a GPU, where CuPy converts",
        "tests/engine/test_precision.py::test_denormal_float32_points_and_distances_are_themselves",
    ),
    Mended(
        "exactness",
        "The range of denormal float32 values, which relative levels are fractions of, "
        "was wrong on a GPU",
        "tests/engine/test_precision.py::test_the_range_of_denormal_float32_values_is_exact",
    ),
    Mended(
        "exactness",
        "Densities below 1e-38 in float32, and denormal float32 points of a mesh, were 0 on a GPU",
        "tests/engine/test_precision.py::"
        "test_densities_below_the_normal_float32_numbers_are_the_same_everywhere",
    ),
    Mended(
        "exactness",
        "Least squared distances of float32 points below 1e-38 were rounded to 0 on a GPU alone",
        "tests/engine/test_precision.py::"
        "test_least_values_below_the_normal_float32_numbers_are_given_as_they_are",
    ),
    Mended(
        "exactness",
        "differences of 64-bit integers beyond 2^53 were 0 in the filters' outputs, and "
        "those of huge numbers infinite",
        "tests/filters/test_differences.py::"
        "test_differences_of_large_integers_are_those_of_small_ones",
    ),
    Mended(
        "exactness",
        "Critical vectors had a 2-saddle and a maximum too many where several surfaces together "
        "count as a sphere or a disc",
        "tests/engine/test_mesh_critical_points.py::"
        "test_links_that_count_as_a_sphere_or_a_disc_and_are_none_own_what_they_should",
    ),
    Mended(
        "exactness",
        "Points of a mesh in float32 changed with the caller's array, and so did the number of "
        "coincident ones",
        "tests/engine/test_mesh_errors.py::"
        "test_a_mesh_keeps_its_points_whatever_becomes_of_those_given",
    ),
    Mended(
        "exactness",
        "A run of no segments was NumPy's error in a machine of a mesh",
        "tests/engine/test_mesh_machine.py::"
        "test_segments_and_rows_of_a_machine_are_those_of_the_relation",
    ),
]

OPEN: list[Open] = [
    Open(
        "exactness",
        "Points nearer to each other than 1e-162 count as one place",
        "distances are roots of float64 sums of squares, and the squares are 0; larger units help",
    ),
    Open(
        "exactness",
        "Whole numbers beyond 2^53 as coordinates or distances, and float128 distances, may become "
        "equal",
        "they are rounded to float64, as what is computed of them is; subtract an offset",
    ),
]
