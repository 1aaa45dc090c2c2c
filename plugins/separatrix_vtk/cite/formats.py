"""A paper as text, as BibTeX, as JSON and as a reference of CITATION.cff."""

from __future__ import annotations

import json
import re
from typing import Any

from separatrix_vtk.cite.papers import Paper

# What LaTeX of every age reads.
LATEX = {
    "ü": r'{\"u}', "é": r"{\'e}", "è": r"{\`e}", "ë": r'{\"e}', "ç": r"{\c c}",
    "Č": r"{\v C}", "Ž": r"{\v Z}", "&": r"\&",
}  # fmt: skip
NAMES_IN_TITLES = (
    "Morse", "Smale", "Sandwich", "GPU", "TopoCluster", "GALE", "PR", "Hilbert", "Gaussian",
    "Waals", "Ripser", "Vietoris", "Rips", "Phat", "DTM",
)  # fmt: skip


def as_text(paper: Paper) -> str:
    """V. Robins, P. J. Wood, A. P. Sheppard: Title. Journal 33(8), 1646-1658, 2011. Address."""
    names = ", ".join(f"{_initials(given)} {family}" for given, family in paper.names)
    return f"{names}: {paper.title}. {_place(paper)}, {paper.year}.{_with(' ', address(paper))}"


def address(paper: Paper) -> str:
    """Where a browser finds it; empty where nothing lasting is known."""
    if paper.doi:
        return f"https://doi.org/{paper.doi}"
    return f"https://arxiv.org/abs/{paper.arxiv}" if paper.arxiv else ""


def as_bibtex(paper: Paper) -> str:
    """An entry of a .bib file, in ASCII."""
    place = "journal" if paper.kind == "article" else "booktitle"
    fields = {
        "author": " and ".join(f"{family}, {given}" for given, family in paper.names),
        "title": _kept_capitals(paper.title),
        place: paper.where,
        "year": str(paper.year),
        "volume": paper.volume,
        "number": paper.issue.replace("-", "--"),
        "pages": paper.pages.replace("-", "--"),
        "doi": paper.doi,
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv" if paper.arxiv else "",
    }
    lines = [f"  {name} = {{{_latex(name, text)}}}," for name, text in fields.items() if text]
    return "\n".join([f"@{paper.kind}{{{paper.key},", *lines, "}"])


def as_json(paper: Paper) -> dict[str, Any]:
    """What is known of it, for programs."""
    known = {name: getattr(paper, name) for name in ("volume", "issue", "pages", "doi", "arxiv")}
    return {
        "key": paper.key,
        "authors": [f"{given} {family}" for given, family in paper.names],
        "title": paper.title,
        "where": paper.where,
        "year": paper.year,
        **{name: value for name, value in known.items() if value},
        "url": address(paper),
    }


def as_cff(paper: Paper, note: str) -> str:
    """A reference of CITATION.cff; `note`: the commands that use it."""
    is_article = paper.kind == "article"
    lines = [
        f"type: {'article' if is_article else 'conference-paper'}",
        f"title: {_yaml(paper.title)}",
    ]
    lines.append("authors:")
    for given, family in paper.names:
        lines += [f"  - family-names: {_yaml(family)}", f"    given-names: {_yaml(given)}"]
    lines.append(f"{'journal' if is_article else 'collection-title'}: {_yaml(paper.where)}")
    first, _, last = paper.pages.partition("-")
    for name, value in (
        ("volume", paper.volume), ("issue", paper.issue), ("start", first), ("end", last),
    ):  # fmt: skip
        if value:
            lines.append(f"{name}: {value if value.isdecimal() else _yaml(value)}")
    lines.append(f"year: {paper.year}")
    if paper.doi:
        lines.append(f"doi: {paper.doi}")
    elif paper.arxiv:
        lines.append(f"url: {address(paper)}")
    lines.append(f"notes: {_yaml('separatrix ' + note)}")
    return "\n".join(f"  {'-' if not number else ' '} {line}" for number, line in enumerate(lines))


def _place(paper: Paper) -> str:
    volume = _with(" ", paper.volume) + (f"({paper.issue})" if paper.issue else "")
    return f"{paper.where}{volume}{_with(', ', paper.pages)}"


def _with(before: str, text: str) -> str:
    return before + text if text else ""


def _initials(given: str) -> str:
    names = given.split(" ")
    return " ".join("-".join(f"{part[0]}." for part in name.split("-")) for name in names)


def _kept_capitals(title: str) -> str:
    return re.sub(rf"\b({'|'.join(NAMES_IN_TITLES)})\b", r"{\1}", title)


def _latex(name: str, text: str) -> str:
    return text if name == "doi" else "".join(LATEX.get(letter, letter) for letter in text)


def _yaml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a string of JSON is one of YAML
