"""Tables of options for the docs, as Markdown."""

from __future__ import annotations

import separatrix_vtk
from separatrix.options import Option, options_of
from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.properties import in_panel, vtk_name

HEAD = """\
# Options of the filters

Written by `make generated` from the declarations in `separatrix.options`. A *keyword* is the name
of an option in Python, for filters and functions; the column *VTK* lists the method that sets it.
To show advanced properties in ParaView, click the gear icon next to the search field. A property
that depends on another one is shown if that one has the required value.
"""
COLUMNS = """\
| group | property | keyword | default | VTK | |
| --- | --- | --- | --- | --- | --- |
"""


def options_page() -> str:
    """Return the text of docs/options.md."""
    modules = separatrix_vtk.MODULE_OF.items()
    names = sorted(name for name, module in modules if module.startswith("filters."))
    filters: list[type[Filter]] = [getattr(separatrix_vtk, name) for name in names]
    sections = (
        f"\n## {owner.__name__}\n\n{COLUMNS}{rows(owner)}"
        for owner in filters
        if owner is not Filter
    )
    return HEAD + "".join(sections)


def rows(owner: type[Filter]) -> str:
    """Return one row per option of a filter, by group."""
    options = list(options_of(owner).values())
    groups = list(dict.fromkeys(one.group for one in options))
    lines, group = [], ""
    for one in sorted(options, key=lambda one: groups.index(one.group)):
        is_array = one is next((one for one in options if one.array_of), None)
        cells = (
            owner.GROUP_TITLES.get(one.group, one.group) if one.group != group else "",
            f"{one.title} (advanced)" if one.advanced else one.title,
            f"`{one.name}`",
            default(one),
            "`SetInputArrayToProcess`" if is_array else f"`Set{vtk_name(one.name)}`",
            one.help(in_panel(owner), in_panel=True).partition("\n")[0],
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
        group = one.group
    return "".join(lines)


def default(option: Option) -> str:
    """Return the default of an option as a panel shows it."""
    value = option.default
    if option.labels:
        return option.labels[option.to_number(value)]
    if option.kind is bool:
        return "on" if value else "off"
    if option.none_title or value in (None, (), ""):
        return option.none_title or (
            "" if option.none_number is None else f"{option.none_number:g} (automatic)"
        )
    if isinstance(value, tuple):
        return " ".join(f"{one:g}" for one in value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
