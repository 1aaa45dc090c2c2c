"""`separatrix cite`: the papers of CITATION.cff in every form."""

import json
import re

import pytest

from separatrix_vtk.cli.app import run_command
from separatrix_vtk.cli.citations import as_bibtex, as_text, papers
from separatrix_vtk.cli.command import COMMANDS

BY_KEY = {paper.key: paper for paper in papers()}


def test_every_command_that_computes_has_papers_and_only_these():
    users = {command for paper in papers() for command in paper.uses}
    assert users <= set(COMMANDS)
    others = {"devices", "paraview-setup", "cite", "help"}
    assert users == set(COMMANDS) - others


def test_every_paper_is_listed_once():
    assert len(BY_KEY) == len(papers()) > 40
    dois = [paper["doi"] for paper in papers() if paper["doi"]]
    assert len(dois) == len(set(dois))


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.key)
def test_every_entry_is_valid_bibtex(paper):
    entry = as_bibtex(paper)
    assert entry.isascii()
    assert entry.count("{") == entry.count("}")
    assert "&" not in entry.replace(r"\&", "")
    assert re.fullmatch(r"@\w+\{\w+,\n(  \w+ = \{.+\},\n)+\}", entry)


def test_a_paper_as_text_and_as_bibtex():
    paper = BY_KEY["Edelsbrunner1994"]
    assert as_text(paper) == (
        "H. Edelsbrunner, E. P. Mücke: Three-dimensional alpha shapes. ACM Transactions on "
        "Graphics 13(1), 43-72, 1994. https://doi.org/10.1145/174462.156635"
    )
    entry = as_bibtex(paper)
    assert entry.startswith("@article{Edelsbrunner1994,\n")
    assert r"author = {Edelsbrunner, Herbert and M{\"u}cke, Ernst Peter}" in entry
    assert "pages = {43--72}" in entry
    assert BY_KEY["Silva2011"].authors[0] == ("Vin", "de Silva")


def test_the_command_prints_all_forms(capsys):
    def printed(*arguments):
        assert run_command(["cite", *arguments]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    assert "U. Bauer: Ripser: efficient computation" in printed("rips")
    n_of_alpha = sum("alpha" in paper.uses for paper in papers())
    assert printed("alpha", "--bibtex").count("@") == n_of_alpha
    reported = json.loads(printed("morse-smale", "--json"))["papers"]
    assert reported[1]["key"] == "Robins2011"
    assert reported[1]["used_for"].startswith("the discrete gradient")
    assert printed("devices") == "devices does not use the method of a paper\n"
    assert printed().count("\n\n") == len(papers()) - 1
