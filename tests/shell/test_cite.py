"""`separatrix cite`: every command has its papers, and each paper is told in every form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer.main

from separatrix_vtk.cite.formats import as_bibtex, as_cff, as_text
from separatrix_vtk.cite.methods import METHODS, every_paper, papers_of
from separatrix_vtk.cite.papers import ALL, BY_KEY
from separatrix_vtk.shell.commands import app, run_command
from shell.command import refused, separatrix

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("engine/separatrix", "plugins/separatrix_vtk", "docs")
    for path in sorted((REPOSITORY / folder).rglob("*"))
    if path.suffix in {".py", ".h", ".cpp", ".md"} and "cite" not in path.parts
)


def test_every_command_has_an_entry_and_papers_are_those_of_commands():
    commands = set(typer.main.get_command(app).commands)
    assert commands <= set(METHODS)
    assert {command for command in METHODS if METHODS[command]} <= commands


def test_every_paper_is_used_once_in_a_command_and_is_there_once():
    for command, uses in METHODS.items():
        keys = [key for key, _ in uses]
        assert len(keys) == len(set(keys)), command
    assert [paper.key for paper, _ in every_paper()] == [paper.key for paper in ALL]
    assert len(BY_KEY) == len(ALL)
    dois = [paper.doi for paper in ALL if paper.doi]
    assert len(dois) == len(set(dois))


@pytest.mark.parametrize("paper", ALL, ids=lambda paper: paper.key)
def test_a_record_is_whole_and_its_first_author_stands_in_the_sources(paper):
    given, family = paper.names[0]
    ascii_name = {"Čufar": "Cufar"}.get(family, family)
    assert re.search(rf"\b(?:{family}|{ascii_name})\b", SOURCES), family
    plain = family.replace("Čufar", "Cufar").removeprefix("de ")
    assert paper.key.rstrip("0123456789") == plain
    assert paper.key.endswith(str(paper.year))
    assert given
    assert 1960 < paper.year <= 2026
    assert not paper.title.endswith(".")
    assert re.fullmatch(r"(10\.\d{4,}/\S+)?", paper.doi)
    assert re.fullmatch(r"(\d{4}\.\d{4,5})?", paper.arxiv)
    assert re.fullmatch(r"([\d:]+(-[\d:]+)?)?", paper.pages)
    if "-" in paper.pages and ":" not in paper.pages:
        first, last = map(int, paper.pages.split("-"))
        assert first < last


def test_names_are_cut_into_given_and_family():
    assert BY_KEY["Silva2011"].names[0] == ("Vin", "de Silva")
    assert BY_KEY["Weiss2011"].names[2] == ("Leila", "De Floriani")
    assert BY_KEY["Chazal2011"].names[1] == ("David", "Cohen-Steiner")


def test_a_paper_as_text_bibtex_and_a_reference():
    paper = BY_KEY["Edelsbrunner1994"]
    assert as_text(paper) == (
        "H. Edelsbrunner, E. P. Mücke: Three-dimensional alpha shapes. ACM Transactions on "
        "Graphics 13(1), 43-72, 1994. https://doi.org/10.1145/174462.156635"
    )
    entry = as_bibtex(paper)
    assert entry.startswith("@article{Edelsbrunner1994,\n")
    assert r"author = {Edelsbrunner, Herbert and M{\"u}cke, Ernst Peter}" in entry
    assert "pages = {43--72}" in entry
    reference = as_cff(paper, "alpha")
    assert reference.startswith("  - type: article\n    title: ")
    assert "    start: 43\n    end: 72\n" in reference


@pytest.mark.parametrize("paper", ALL, ids=lambda paper: paper.key)
def test_an_entry_is_ascii_with_its_braces_closed(paper):
    entry = as_bibtex(paper)
    assert entry.isascii()
    assert entry.count("{") == entry.count("}")
    assert "&" not in entry.replace(r"\&", "")
    assert re.fullmatch(r"@\w+\{\w+,\n(  \w+ = \{.+\},\n)+\}", entry)


def test_the_command_prints_all_forms(capsys):
    def printed(*arguments: str) -> str:
        assert run_command(["cite", *arguments]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    assert printed("rips").startswith("U. Bauer: Ripser: efficient computation")
    assert printed("alpha", "--bibtex").count("@") == len(papers_of("alpha"))
    told = json.loads(printed("morse-smale", "--json"))["papers"]
    assert told[0]["key"] == "Robins2011"
    assert told[0]["used_for"]
    assert printed("devices") == "devices uses the method of no paper\n"
    assert printed().count("\n\n") == len(ALL) - 1


def test_what_is_no_command_is_refused(tmp_path):
    text = refused(separatrix("cite", "morse", folder=tmp_path))
    assert text == "there is no command 'morse'; did you mean morse-smale?"
