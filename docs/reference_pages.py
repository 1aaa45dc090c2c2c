"""Sphinx extension for the reference pages: docstrings are plain text, filters have tables.

Two directives read the packages. ``filter-tables`` writes one section per filter: its ports, its
options, and the arrays of its outputs. ``public-names`` lists and documents the public names of a
package, functions first.
"""

from __future__ import annotations

import importlib
import inspect
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
    """One section per filter of separatrix_vtk: ports, options, arrays."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, parsed from reStructuredText."""
        return [section for owner in filters() for section in self.section(owner)]

    def section(self, owner: type) -> list[nodes.Node]:
        """The section of one filter."""
        self.env.note_dependency(str(sys.modules[owner.__module__].__file__))
        section = nodes.section(ids=[owner.__name__.lower()], names=[owner.__name__.lower()])
        section += nodes.title(text=owner.__name__)
        lines = [*plain_text(inspect.getdoc(owner) or ""), "", *ports(owner), *options(owner)]
        self.state.nested_parse(StringList(lines, owner.__module__), 0, section)
        told = re.split(
            r"\n(?=port +\d)", inspect.getdoc(sys.modules[owner.__module__]) or "", maxsplit=1
        )
        if len(told) == 2:
            section += nodes.paragraph(text="Arrays of the outputs:")
            section += nodes.literal_block(told[1], told[1], language="text")
        return [section]


class PublicNames(SphinxDirective):
    """Sections for the public names of a package: a table, and their documentation."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the sections, parsed from reStructuredText."""
        package = importlib.import_module(self.arguments[0])
        found: dict[str, list[str]] = {title: [] for title in KINDS}
        for name in package.__all__:
            member = getattr(package, name)
            self.env.note_dependency(str(sys.modules[member.__module__].__file__))
            if not is_filter(member):
                found[kind_of(member)].append(name)
        return [self.section(package, title, names) for title, names in found.items() if names]

    def section(self, package: Any, title: str, names: list[str]) -> nodes.Node:
        """The section of one kind of names."""
        role, directive = KINDS[title]
        whole = [f"{package.__name__}.{name}" for name in names]
        told = [
            escaped(re.split(r"\.?\n\n|\.$|\.\s", inspect.getdoc(getattr(package, name)) or "")[0])
            for name in names
        ]
        rows = [(f":py:{role}:`~{name}`", text) for name, text in zip(whole, told, strict=True)]
        lines = table(("name", "description"), rows)
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
"""Title -> the role that refers to a name, and the directive that documents it."""


def kind_of(member: Any) -> str:
    """The title in ``KINDS`` for an object."""
    if not isinstance(member, type):
        return "Functions"
    return "Errors" if issubclass(member, BaseException) else "Classes"


def is_filter(member: Any) -> bool:
    """Whether an object has a section on the page of filters."""
    return isinstance(member, type) and member in set(filters())


def filters() -> Iterator[type]:
    """The public filters, in alphabetical order."""
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


def options(owner: Any) -> list[str]:
    """A table of the options: names in Python and VTK, defaults, descriptions."""
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
    return table(("option", "in VTK", "default", "description"), rows)


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """A list-table of reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (titles, *rows):
        for i, cell in enumerate(row):
            lines.append(f"   {'* ' if i == 0 else '  '}- {cell}")
    return [*lines, ""]


KEPT = re.compile(r"(``[^`]+``|:[a-z]+:`[^`]+`|`[^`\n]+`)")
LISTS = ("Parameters", "Returns", "Raises", "Attributes")
WRAPPED = 75  # a row of this length continues in the next one


def escaped(text: str) -> str:
    """Plain text as reStructuredText: backticks denote code, and nothing else is markup."""
    parts = KEPT.split(text)
    return "".join(code(part) if i % 2 else escaped_words(part) for i, part in enumerate(parts))


def code(part: str) -> str:
    """Text between backticks; a role remains if it refers to a public name."""
    package = importlib.import_module("separatrix")
    words = part.split("`")[1:-1]
    word = next(word for word in words if word)
    is_public = word.rpartition(".")[0] == "separatrix" and word.split(".")[1] in package.__all__
    return part if part.startswith(":") and is_public else f"``{word}``"


def escaped_words(text: str) -> str:
    """Text without code."""
    return re.sub(r"([*`|\\]|(?<=\w)_(?!\w))", r"\\\1", text)


def items(rows: list[str]) -> list[str]:
    """Rows of names, each with the indented text below it, as a list."""
    lines: list[str] = []
    for i, row in enumerate(rows):
        if not row.startswith(" "):
            name, colon, rest = row.partition(" : ")
            told = f"``{name}`` : {escaped(rest)}" if colon else escaped(row)
            lines += ["", f"* {told}"]
        else:
            is_another = not rows[i - 1].startswith(" ") and len(rows[i - 1]) < WRAPPED
            lines += ([""] if is_another else []) + [f"  {escaped(row.strip())}"]
    return lines


def plain_text(text: str) -> list[str]:
    """A docstring as lines: paragraphs remain, indented text is literal.

    Below a heading in NumPy's style, such as Parameters, each name is an item of a list.
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
            lines += items(rows)
        elif any(row.startswith(" ") for row in rows):
            lines += ["::", "", *(f"    {row}" for row in rows)]
        else:
            lines += map(escaped, rows)
    return [*lines, ""]


def process_docstring(
    app: Sphinx, what: str, name: str, member: Any, options: Any, lines: list[str]
) -> None:
    """Convert the docstring in `lines` in place; remove the docstrings that namedtuple makes."""
    if lines and re.fullmatch(r"Alias for field number \d+", lines[0]):
        lines.clear()
        return
    lines[:] = plain_text("\n".join(lines))


def process_signature(
    app: Sphinx, what: str, name: str, member: Any, options: Any, signature: str | None, to: Any
) -> tuple[str | None, Any]:
    """Remove the signatures of results, which functions create, and private arguments."""
    if what in ("class", "exception"):
        made = importlib.import_module("separatrix.results").ReprMixin
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
    """Skip the methods of VTK."""
    is_vtks = what == "class" and name[:1].isupper()
    return True if is_vtks else None


def list_other_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Add to the first page the pages of this folder that it does not name."""
    if name == app.config.root_doc:
        folder = Path(__file__).parent
        named = set(source[0].splitlines())  # in a toctree, each has its own line
        others = sorted(path.stem for path in folder.glob("*.md") if path.stem not in named)
        pages = [page for page in others if page != Path(name).name]
        source[0] = source[0].replace("(other pages)", "\n".join(pages))


def lead_to_the_first_page(app: Sphinx, error: Exception | None) -> None:
    """Write an index.html that redirects to the first page in the folder docs."""
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
