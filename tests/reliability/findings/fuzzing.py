"""Fuzzing: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "fuzzing",
        'a text such as `"no"` was taken for True by every flag, and an array raised '
        "NumPy's own error",
        "tests/engine/test_arguments.py::test_a_flag_is_true_or_false_and_no_text",
    ),
    Mended(
        "fuzzing",
        "messages of several lines, or of megabytes, where an argument prints so",
        "tests/engine/test_arguments.py::"
        "test_a_message_is_one_line_however_long_the_argument_prints",
    ),
    Mended(
        "fuzzing",
        "texts were taken for spacings; lengths beyond 1e150 gave infinite positions",
        "tests/engine/test_arguments.py::"
        "test_lengths_are_given_for_each_axis_of_the_values_or_once_for_all",
    ),
    Mended(
        "fuzzing",
        "what an array-like raises came out of every call",
        "tests/engine/test_arguments.py::"
        "test_an_array_like_that_raises_is_refused_whatever_it_raises",
    ),
    Mended(
        "fuzzing",
        "whole numbers beyond floats raised OverflowError in limits, levels and lengths",
        "tests/engine/test_arguments.py::test_numbers_beyond_floats_are_infinite_or_refused",
    ),
    Mended(
        "fuzzing",
        "NaN was a memory limit, and a half one overflowed",
        "tests/engine/test_arguments.py::test_a_memory_limit_is_a_positive_number",
    ),
    Mended(
        "fuzzing",
        "2^31 smoothing iterations ran for hours",
        "tests/engine/test_arguments.py::test_smoothing_without_end_is_refused",
    ),
    Mended(
        "fuzzing",
        "cells, rows and indices that there are not gave wrong answers or NumPy's errors",
        "tests/engine/test_arguments.py::test_rows_and_ids_that_are_not_there_are_refused",
    ),
    Mended(
        "fuzzing",
        "bytes were taken for several alphas",
        "tests/engine/test_arguments.py::test_bytes_are_no_alphas",
    ),
    Mended(
        "fuzzing",
        "VTK crashed on data arrays of another length than their data set",
        "tests/filters/test_errors.py::"
        "test_an_array_of_another_length_than_its_data_is_refused_before_vtk_crashes",
    ),
    Mended(
        "fuzzing",
        "marks of ghosts of several components were an exception",
        "tests/filters/test_errors.py::test_marks_of_ghosts_of_several_components_are_refused",
    ),
    Mended(
        "fuzzing",
        "a spacing that is no number was a warning before it was refused",
        "tests/filters/test_errors.py::test_a_spacing_that_cannot_be_is_told_in_one_sentence",
    ),
    Mended(
        "fuzzing",
        "filters without any input printed an exception",
        "tests/filters/test_errors.py::test_no_input_at_all_is_no_exception",
    ),
    Mended(
        "fuzzing",
        "an array for a setting raised NumPy's own error",
        "tests/filters/test_errors.py::test_a_setting_refuses_what_has_no_truth_of_its_own",
    ),
    Mended(
        "fuzzing",
        "atomic numbers that are no numbers were a warning, then unknown elements",
        "tests/filters/test_alpha_numbers.py::test_an_atomic_number_that_is_none_is_refused",
    ),
    Mended(
        "fuzzing",
        "radii of 1e300 were an exception",
        "tests/filters/test_alpha_numbers.py::"
        "test_radii_whose_squares_overflow_are_refused_in_one_sentence",
    ),
    Mended(
        "fuzzing",
        "one point far away made PointDensity fill gigabytes without being asked to",
        "tests/filters/test_point_density.py::"
        "test_an_image_too_large_to_be_meant_is_refused_before_it_is_made",
    ),
    Mended(
        "fuzzing",
        "cell arrays of no cells stayed beside the vertices that NeighborStatistics adds",
        "tests/filters/test_neighbor_statistics.py::"
        "test_cell_data_of_no_cells_do_not_stay_beside_new_vertices",
    ),
    Mended(
        "fuzzing",
        "damaged .ply, .vtk and .vti files crashed VTK's readers, and the shell with them",
        "tests/files/test_damaged_files.py::test_a_reader_of_vtk_that_crashes_is_a_sentence",
    ),
    Mended(
        "fuzzing",
        "MetaIO went on with packed data that it could not unpack, and printed what it "
        "thought of them",
        "tests/files/test_damaged_files.py::test_packed_data_that_cannot_be_unpacked_are_told",
    ),
    Mended(
        "fuzzing",
        "headers of .npy files that are no literals of Python ended in a traceback",
        "tests/files/test_damaged_files.py::test_the_header_of_a_npy_file_may_be_any_text",
    ),
    Mended(
        "fuzzing",
        "fields of NRRD headers that are no numbers were told in Python's words",
        "tests/files/test_damaged_files.py::test_a_field_of_an_nrrd_header_is_named",
    ),
    Mended(
        "fuzzing",
        "whole numbers of .pqr and .xyz files too large for an array, or for Python, "
        "ended in a traceback",
        "tests/files/test_damaged_files.py::test_whole_numbers_of_molecules_that_no_array_holds",
    ),
    Mended(
        "fuzzing",
        "1_0 in a file was read as 10",
        "tests/files/test_damaged_files.py::test_python_reads_more_as_a_number_than_files_mean",
    ),
    Mended(
        "fuzzing",
        "a field of 131,072 characters in a .csv of distances ended in a traceback",
        "tests/files/test_damaged_files.py::test_a_csv_field_of_any_length_is_no_fault",
    ),
    Mended(
        "fuzzing",
        "a mesh without any cells ended in a traceback",
        "tests/files/test_damaged_files.py::test_a_mesh_whose_cells_are_not_read_has_none",
    ),
    Mended(
        "fuzzing",
        "of two columns of a .csv of one name the first was lost without a word",
        "tests/files/test_damaged_files.py::test_two_columns_of_one_name_are_refused",
    ),
    Mended(
        "fuzzing",
        "an empty word too many ended in a traceback",
        "tests/files/test_damaged_files.py::test_an_empty_word_too_many_is_a_sentence",
    ),
    Mended(
        "fuzzing",
        "names of files that are no UTF-8 ended in a traceback when the summary was printed",
        "tests/reliability/test_fuzzing_shell.py::"
        "test_names_of_files_that_are_no_text_are_read_and_written",
    ),
    Mended(
        "fuzzing",
        "a .csv file for Rips with more names than columns was read without the last ones",
        "tests/shell/test_rips.py::test_a_broken_file_is_one_sentence",
    ),
    Mended(
        "fuzzing",
        "texts of --dtype that NumPy's own parser trips over were a fault of ours",
        "tests/files/test_volumes.py::test_a_dtype_that_is_none_is_one_sentence",
    ),
    Mended(
        "fuzzing",
        "a dtype of `density` that NumPy can't parse was its ValueError or SyntaxError",
        "tests/engine/test_density.py::test_input_that_can_not_be_is_refused",
    ),
    Mended(
        "fuzzing",
        "space directions of an .nrrd that are too long, or nan, printed NumPy's warning before "
        "the sentence",
        "tests/files/test_volumes.py::test_an_axis_of_no_length_that_can_be_is_one_sentence",
    ),
    Mended(
        "fuzzing",
        "arrays that VTK 9.7 computes, as vtkConstantTypeFloat64Array, were an exception, "
        "its own helper's",
        "tests/filters/test_array_choice.py::test_an_array_that_vtk_computes_is_taken",
    ),
    Mended(
        "fuzzing",
        "components of an .nrrd were taken for an axis of space; its dimension, byte "
        "order and spacings went unchecked",
        "tests/files/test_damaged_files.py::test_a_field_of_an_nrrd_header_is_named",
    ),
    Mended(
        "fuzzing",
        "1_0 in the columns of a PDB file was read as 1",
        "tests/files/test_damaged_files.py::"
        "test_a_coordinate_that_gemmi_would_read_in_part_is_refused",
    ),
    Mended(
        "fuzzing",
        "an Angstrom sign in the comment of an .xyz file, in UTF-8, ended its line",
        "tests/files/test_damaged_files.py::test_an_angstrom_sign_in_utf_8_ends_no_line",
    ),
    Mended(
        "fuzzing",
        "a mark of UTF-8 at the beginning of a PDB file hid its first atom",
        "tests/files/test_damaged_files.py::test_a_mark_of_utf_8_hides_no_first_atom",
    ),
    Mended(
        "fuzzing",
        "names of mmCIF of more than 7 characters ended in a traceback",
        "tests/files/test_damaged_files.py::test_a_name_that_gemmi_has_no_room_for_is_a_sentence",
    ),
    Mended(
        "fuzzing",
        "decimal commas between semicolons were more coordinates, for Rips",
        "tests/files/test_damaged_files.py::test_decimal_commas_are_not_taken_for_more_coordinates",
    ),
    Mended(
        "fuzzing",
        "representatives of the longest bars beside keep_zero were refused always",
        "tests/engine/test_rips_representatives.py::test_the_longest_bars_are_of_some_length",
    ),
]

OPEN: list[Open] = [
    Open(
        "fuzzing",
        "a thing whose `repr` raises, or a whole number of more than 4,300 digits, comes "
        "back as Python's own error",
        "the message shows what came, and Python refuses to",
    ),
    Open(
        "fuzzing",
        "`memory_limit` is about GPUs: on the CPU lists of pairs and densities alone look at it",
        "memory of the host is the system's to bound",
    ),
    Open(
        "fuzzing",
        "VTK's readers crash on some damaged files: .ply, .vtk and .vti among those tried",
        "they are VTK's: the shell tries files up to 64 MiB in a process of its own "
        "first; larger ones, and all within ParaView and Python, are read at once",
    ),
    Open(
        "fuzzing",
        "a damaged .vtk or .obj file may be read in part, without a word",
        "VTK's readers tell of no error there; what they give is checked as any other mesh is",
    ),
]
