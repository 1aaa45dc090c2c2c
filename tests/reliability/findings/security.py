"""Security: what was found and mended, and what is open."""

from reliability.findings.kinds import Mended, Open

MENDED: list[Mended] = [
    Mended(
        "security",
        "gzip and bzip2 archives were inflated without a bound: a MB could ask for GB",
        "tests/files/test_damaged_files.py::test_a_text_in_an_archive_may_be_so_long_and_no_longer",
    ),
    Mended(
        "security",
        "a .npy header of terabytes had memory reserved before the file's length was looked at",
        "tests/files/test_damaged_files.py::"
        "test_a_npy_file_shorter_than_its_header_says_is_refused_before_memory_is_asked_for",
    ),
    Mended(
        "security",
        ".nhdr and .mhd headers could name any file of the reader's, pipes and devices too",
        "tests/reliability/test_security_files.py::"
        "test_a_header_names_no_file_outside_of_its_folder",
    ),
    Mended(
        "security",
        "names of arrays were paths in .npz archives; one called `file` ended in a traceback",
        "tests/reliability/test_security_files.py::test_names_of_arrays_are_no_paths_in_an_archive",
    ),
    Mended(
        "security",
        "pieces of a .vtm were moved through a link at the place of their folder",
        "tests/reliability/test_security_files.py::"
        "test_a_link_at_the_place_of_the_output_is_replaced_and_not_followed",
    ),
    Mended(
        "security",
        "escape sequences in names and words of files reached the terminal",
        "tests/reliability/test_security_files.py::test_a_message_holds_no_escape_sequence",
    ),
    Mended(
        "security",
        "a SEPARATRIX_LIBRARY without a slash was searched for by the system's loader",
        "tests/reliability/test_security_files.py::test_a_library_is_loaded_by_its_path_only",
    ),
    Mended(
        "security",
        "a relative XDG_CACHE_HOME put compiled formulas into the working folder",
        "tests/reliability/test_security_files.py::"
        "test_the_folder_of_compiled_formulas_is_the_users_own",
    ),
    Mended(
        "security",
        "digits of other scripts in a formula reached the compiler",
        "tests/reliability/test_security_formulas.py::test_digits_of_other_scripts_are_no_numbers",
    ),
]

OPEN: list[Open] = [
    Open(
        "security",
        "names of arrays stand in .csv outputs as they are, one that begins with = too",
        "a spreadsheet takes it for a formula; to change the names would lose them for "
        "everything else",
    ),
]
