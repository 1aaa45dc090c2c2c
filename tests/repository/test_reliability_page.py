"""The page about reliability: made of kept counts, and of findings whose tests exist."""

from __future__ import annotations

import pytest

from reliability.findings import MENDED, OPEN
from reliability.ledger import PARTS, Ledger, part_of
from reliability.table import REPOSITORY, page


def test_the_page_is_the_one_that_the_script_makes():
    kept = (REPOSITORY / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert kept == page(), "run: python tests/reliability/table.py"


def test_a_mended_failure_has_a_test():
    for finding in MENDED:
        path, _, name = finding.test.partition("::")
        text = (REPOSITORY / path).read_text(encoding="utf-8")
        assert f"def {name.partition('[')[0]}(" in text, finding
        assert finding.part in PARTS


def test_what_is_open_names_its_part_and_its_reason():
    assert all(finding.part in PARTS and finding.what and finding.why for finding in OPEN)


def test_a_module_belongs_to_the_part_that_its_name_begins_with():
    assert part_of("tests.reliability.test_long_use_filters") == "long_use"
    with pytest.raises(ValueError, match="test_house belongs to no part"):
        part_of("test_house")


def test_a_ledger_appends_a_line_a_kind(tmp_path):
    ledger = Ledger()
    ledger.add("fuzzing", "files", 3)
    ledger.add("fuzzing", "files", 2)
    ledger.write(tmp_path / "kept.jsonl")
    ledger.write(tmp_path / "kept.jsonl")
    lines = (tmp_path / "kept.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert '"tried": 5' in lines[0]
