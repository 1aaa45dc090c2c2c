"""The papers of CITATION.cff, with the methods that each command takes from them.

The notes of a reference are "COMMAND, COMMAND: methods; COMMAND: methods".
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
PLACES = (HERE.parents[1] / "CITATION.cff", HERE.parents[3] / "CITATION.cff")  # wheel, checkout
LATEX = {
    "&": r"\&",
    "\u0301": r"\'",
    "\u0300": r"\`",
    "\u0308": r"\"",
    "\u0327": r"\c ",
    "\u030c": r"\v ",
}
NAMES_IN_TITLES = (
    "Morse", "Smale", "Sandwich", "GPU", "TopoCluster", "GALE", "PR", "Hilbert", "Gaussian",
    "Waals", "Ripser", "Vietoris", "Rips", "Phat", "DTM",
)  # fmt: skip


@dataclass(frozen=True)
class Paper:
    """A reference: its fields, its authors as (given, family), and its uses as command -> text."""

    fields: dict[str, str]
    authors: list[tuple[str, str]] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    @property
    def key(self) -> str:
        """The first author's last name in ASCII, and the year."""
        letters = unicodedata.normalize("NFD", self.authors[0][1].split(" ")[-1])
        return letters.encode("ascii", "ignore").decode() + self["year"]

    @property
    def uses(self) -> dict[str, str]:
        """Command -> the method that it takes from the paper."""
        parts = (part.partition(": ") for part in self["notes"].split("; "))
        return {command: text for names, _, text in parts for command in names.split(", ")}

    @property
    def place(self) -> str:
        return self["journal"] or self["collection-title"]

    @property
    def pages(self) -> str:
        """As 43-72."""
        return "-".join(filter(None, (self["start"], self["end"])))

    @property
    def url(self) -> str:
        """A permanent address; "" if none is known."""
        return f"https://doi.org/{self['doi']}" if self["doi"] else self["url"]

    @property
    def arxiv(self) -> str:
        """The number of the preprint."""
        return self["url"].rpartition("arxiv.org/abs/")[2] if "arxiv.org" in self["url"] else ""


@cache
def papers() -> list[Paper]:
    """The references of CITATION.cff, in its order."""
    text = next(path for path in PLACES if path.is_file()).read_text(encoding="utf-8")
    found: list[Paper] = []
    for line in text.partition("references:\n")[2].splitlines():
        is_first, name, value = _entry(line)
        if is_first and line.startswith("  - "):
            found.append(Paper({}))
        if name == "family-names":
            found[-1].authors.append(("", value))
        elif name == "given-names":
            found[-1].authors[-1] = (value, found[-1].authors[-1][1])
        elif value:
            found[-1].fields[name] = value
    return found


def _entry(line: str) -> tuple[bool, str, str]:
    """Whether a line begins an entry, its key, and its value without quotation marks."""
    is_first, name, value = re.fullmatch(r" *(- )?([\w-]+): ?(.*)", line).groups()  # type: ignore[union-attr]
    return bool(is_first), name, str(json.loads(value)) if value.startswith('"') else value


def as_text(paper: Paper) -> str:
    """V. Robins, P. J. Wood, A. P. Sheppard: Title. Journal 33(8), 1646-1658, 2011. Address."""
    names = ", ".join(f"{_initials(given)} {family}" for given, family in paper.authors)
    issue = f"({paper['issue']})" if paper["issue"] else ""
    where = f"{paper.place}{_after(' ', paper['volume'])}{issue}{_after(', ', paper.pages)}"
    return f"{names}: {paper['title']}. {where}, {paper['year']}.{_after(' ', paper.url)}"


def as_bibtex(paper: Paper) -> str:
    """An entry of a .bib file, in ASCII."""
    is_article = paper["type"] == "article"
    fields = {
        "author": " and ".join(f"{family}, {given}" for given, family in paper.authors),
        "title": re.sub(rf"\b({'|'.join(NAMES_IN_TITLES)})\b", r"{\1}", paper["title"]),
        "journal" if is_article else "booktitle": paper.place,
        "year": paper["year"],
        "volume": paper["volume"],
        "number": paper["issue"].replace("-", "--"),
        "pages": paper.pages.replace("-", "--"),
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv" if paper.arxiv else "",
    }
    texts = {name: _latex(text) for name, text in fields.items()} | {"doi": paper["doi"]}
    lines = [f"  {name} = {{{text}}}," for name, text in texts.items() if text]
    kind = "article" if is_article else "inproceedings"
    return "\n".join([f"@{kind}{{{paper.key},", *lines, "}"])


def as_json(paper: Paper) -> dict[str, Any]:
    """The fields of a paper, for programs."""
    known = {name: paper[name] for name in ("volume", "issue", "doi")}
    known |= {"pages": paper.pages, "arxiv": paper.arxiv}
    return {
        "key": paper.key,
        "authors": [f"{given} {family}" for given, family in paper.authors],
        "title": paper["title"],
        "where": paper.place,
        "year": int(paper["year"]),
        **{name: value for name, value in known.items() if value},
        "url": paper.url,
    }


def _after(separator: str, text: str) -> str:
    return separator + text if text else ""


def _initials(given: str) -> str:
    names = given.split(" ")
    return " ".join("-".join(f"{part[0]}." for part in name.split("-")) for name in names)


def _latex(text: str) -> str:
    r"""Accents as commands that every LaTeX reads: {\"u}."""
    made = ""
    for letter in text:
        plain, *accents = list(unicodedata.normalize("NFD", letter))
        for accent in accents:
            plain = f"{{{LATEX[accent]}{plain}}}"
        made += LATEX.get(plain, plain)
    return made
