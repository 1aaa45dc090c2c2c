"""What Sphinx has to know of our docstrings: they are plain text, and filters carry tables.

Two directives read the packages, so that their pages can't say anything else than they do.
``filter-tables`` writes a section a filter: its ports, its settings and the arrays of its outputs.
``public-names`` lists what a package exports, functions first, and then documents it.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

BASE = "Filter"


class FilterTables(SphinxDirective):
    """A section for each filter of separatrix_vtk: ports, settings, arrays."""

    def run(self) -> list[nodes.Node]:
        """Sections, written as reStructuredText and parsed in place."""
        return [section for owner in filters() for section in self.section(owner)]

    def section(self, owner: type) -> list[nodes.Node]:
        """One filter's section."""
        self.env.note_dependency(str(sys.modules[owner.__module__].__file__))
        section = nodes.section(ids=[owner.__name__.lower()], names=[owner.__name__.lower()])
        section += nodes.title(text=owner.__name__)
        lines = [*plain_text(inspect.getdoc(owner) or ""), "", *ports(owner), *settings(owner)]
        self.state.nested_parse(StringList(lines, owner.__module__), 0, section)
        told = re.split(
            r"\n(?=port +\d)", inspect.getdoc(sys.modules[owner.__module__]) or "", maxsplit=1
        )
        if len(told) == 2:
            section += nodes.paragraph(text="Arrays of the outputs:")
            section += nodes.literal_block(told[1], told[1], language="text")
        return [section]


class PublicNames(SphinxDirective):
    """Sections of what a package exports: a table of the names, and their documentation."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Sections, written as reStructuredText and parsed in place."""
        package = importlib.import_module(self.arguments[0])
        found: dict[str, list[str]] = {title: [] for title in KINDS}
        for name in package.__all__:
            member = getattr(package, name)
            self.env.note_dependency(str(sys.modules[member.__module__].__file__))
            if not is_filter(member):
                found[kind_of(member)].append(name)
        return [self.section(package, title, names) for title, names in found.items() if names]

    def section(self, package: Any, title: str, names: list[str]) -> nodes.Node:
        """One kind of names."""
        role, directive = KINDS[title]
        whole = [f"{package.__name__}.{name}" for name in names]
        told = [
            escaped(re.split(r"\.?\n\n|\.$|\.\s", inspect.getdoc(getattr(package, name)) or "")[0])
            for name in names
        ]
        rows = [(f":py:{role}:`~{name}`", text) for name, text in zip(whole, told, strict=True)]
        lines = table(("name", "what it is"), rows)
        for name in whole:
            lines += [f".. {directive}:: {name}", ""]
        section = nodes.section(ids=[f"{package.__name__}-{title}".lower()])
        section += nodes.title(text=title)
        self.state.nested_parse(StringList(lines, package.__name__), 0, section)
        return section


KINDS = {
    "Functions": ("func", "autofunction"),
    "Classes": ("class", "autoclass"),
    "Errors": ("exc", "autoexception"),
}
"""Titles, with the role that refers to such a thing and the directive that documents it."""


def kind_of(member: Any) -> str:
    """The title in ``KINDS`` below which a name stands."""
    if not isinstance(member, type):
        return "Functions"
    return "Errors" if issubclass(member, BaseException) else "Classes"


def is_filter(member: Any) -> bool:
    """Whether it has a section on the page of filters."""
    return isinstance(member, type) and member in set(filters())


def filters() -> Iterator[type]:
    """The public filters, in the order of the alphabet."""
    package = importlib.import_module("separatrix_vtk")
    base = getattr(package, BASE)
    for name in package.__all__:
        member = getattr(package, name)
        if isinstance(member, type) and issubclass(member, base) and member is not base:
            yield member


def ports(owner: Any) -> list[str]:
    """A table of the output ports."""
    rows = [(str(i), name, kind) for i, (name, kind) in enumerate(owner.OUTPUTS)]
    return table(("port", "name", "VTK class"), rows)


def settings(owner: Any) -> list[str]:
    """A table of the options: Python's names, VTK's, defaults, and what they do."""
    from separatrix.options import options_of
    from separatrix_vtk.base.properties import vtk_name

    rows = [
        (
            f"``{name}``",
            f"``Set{vtk_name(name)}``",
            f"``{found.default!r}``",
            escaped(found.help()),
        )
        for name, found in options_of(owner).items()
    ]
    return table(("option", "in VTK", "default", "what it does"), rows)


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """A list-table of reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (titles, *rows):
        for i, cell in enumerate(row):
            lines.append(f"   {'* ' if i == 0 else '  '}- {cell}")
    return [*lines, ""]


KEPT = re.compile(r"(``[^`]+``|:[a-z]+:`[^`]+`|`[^`\n]+`)")
LISTS = ("Parameters", "Returns", "Raises", "Attributes", "Settings")
WRAPPED = 75  # a row as long as this goes on in the next one


def escaped(text: str) -> str:
    """Plain text as reStructuredText: backticks make code, nothing else is markup."""
    parts = KEPT.split(text)
    return "".join(code(part) if i % 2 else escaped_words(part) for i, part in enumerate(parts))


def code(part: str) -> str:
    """What stands between backticks; a role stays where it leads to something public."""
    package = importlib.import_module("separatrix")
    words = part.split("`")[1:-1]
    word = next(word for word in words if word)
    is_public = word.rpartition(".")[0] == "separatrix" and word.split(".")[1] in package.__all__
    return part if part.startswith(":") and is_public else f"``{word}``"


def escaped_words(text: str) -> str:
    """Words without code."""
    return re.sub(r"([*`|\\]|(?<=\w)_(?!\w))", r"\\\1", text)


def items(rows: list[str], heading: str = "") -> list[str]:
    """Rows of names, each with what is indented below it, as a list."""
    wrapped = math.inf if heading == "Settings" else WRAPPED  # those are made, a row each
    lines: list[str] = []
    for i, row in enumerate(rows):
        if not row.startswith(" "):
            name, colon, rest = row.partition(" : ")
            if heading == "Settings":
                rest = re.sub(r"default (.+)$", r"default `\1`", rest)
            told = f"``{name}`` : {escaped(rest)}" if colon else escaped(row)
            lines += ["", f"* {told}"]
        else:
            is_another = not rows[i - 1].startswith(" ") and len(rows[i - 1]) < wrapped
            lines += ([""] if is_another else []) + [f"  {escaped(row.strip())}"]
    return lines


def plain_text(text: str) -> list[str]:
    """A docstring, in lines: paragraphs stay, what is indented is set as it stands.

    Under a heading of NumPy's kind, Parameters or Returns, each name is an item of a list.
    """
    lines: list[str] = []
    heading = ""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines += [""] if lines else []
        rows = paragraph.split("\n")
        if len(rows) > 1 and re.fullmatch("-{4,}", rows[1]):
            heading, rows = rows[0], rows[2:]
            lines += [f"**{heading}**", ""]
        if rows and rows[0].lstrip().startswith(">>>"):
            lines += rows
        elif heading in LISTS:
            lines += items(rows, heading)
        elif any(row.startswith(" ") for row in rows):
            lines += ["::", "", *(f"    {row}" for row in rows)]
        else:
            lines += map(escaped, rows)
    return [*lines, ""]


def process_docstring(
    app: Sphinx, what: str, name: str, member: Any, options: Any, lines: list[str]
) -> None:
    """Autodoc's event: the docstring in `lines`, changed in place.

    What namedtuple writes of a field, its number, says less than its name.
    """
    if lines and re.fullmatch(r"Alias for field number \d+", lines[0]):
        lines.clear()
        return
    lines[:] = plain_text("\n".join(lines))


def process_signature(
    app: Sphinx, what: str, name: str, member: Any, options: Any, signature: str | None, to: Any
) -> tuple[str | None, Any]:
    """Autodoc's event: results, which functions make, have no signature; no argument is private."""
    if what in ("class", "exception"):
        made = importlib.import_module("separatrix.repr_mixin").ReprMixin
        users = importlib.import_module("separatrix").BlockPattern
        if issubclass(member, (made, tuple)) and member is not users:
            return "", ""
    if signature:
        signature = re.sub(r", _\w+: [^,()]*", "", signature)
        signature = re.sub(r"<class '([\w.]+)'>", r"\1", signature)
    return signature, to


def skip_member(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Autodoc's event: VTK's methods are VTK's."""
    is_vtks = what == "class" and name[:1].isupper()
    return True if is_vtks else None


def list_other_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Sphinx's event: the first page lists the pages of this folder that it does not name."""
    if name == app.config.root_doc:
        folder = Path(__file__).parent
        named = set(source[0].splitlines())  # those of a toctree have a line to themselves
        others = sorted(path.stem for path in folder.glob("*.md") if path.stem not in named)
        pages = [page for page in others if page != Path(name).name]
        source[0] = source[0].replace("(other pages)", "\n".join(pages))


def lead_to_the_first_page(app: Sphinx, error: Exception | None) -> None:
    """Sphinx's event: index.html at the top of what was built leads into its folder docs."""
    if error is None and app.builder.name == "html":
        to = f"{app.config.root_doc}.html"
        page = f'<!doctype html><meta http-equiv="refresh" content="0; url={to}">'
        Path(app.outdir, "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx's entry point."""
    app.add_directive("filter-tables", FilterTables)
    app.add_directive("public-names", PublicNames)
    app.connect("autodoc-process-docstring", process_docstring)
    app.connect("autodoc-process-signature", process_signature)
    app.connect("source-read", list_other_pages)
    app.connect("build-finished", lead_to_the_first_page)
    app.connect("autodoc-skip-member", skip_member)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
