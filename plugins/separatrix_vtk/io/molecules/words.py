"""The words that say what to read of a molecule file, as in "hetatm,model=2"."""

from __future__ import annotations

from typing import Any

from separatrix_vtk.io.errors import FileError

SWITCHES = ("hetatm", "water", "hydrogens", "dummies")
ALTLOCS = ("fullest", "first", "all")
WORDS = (
    "hetatm, water, no-hydrogens, dummies, model=N, model=all, altloc=fullest, first, all or a "
    "label, assembly=NAME, table-radii, or the radius of an element as C=1.7"
)


def reader_settings(text: str) -> dict[str, Any]:
    """The settings that "hetatm,model=2,altloc=B,assembly=1,Fe=2.05" stands for."""
    settings: dict[str, Any] = {}
    radii: list[str] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in word.partition("="))
        switch = name.removeprefix("no-")
        if switch in SWITCHES and not equals:
            settings[switch] = switch == name
        elif name == "table-radii" and not equals:
            settings["file_radii"] = False
        elif name == "model" and (value.isdecimal() or value == "all"):
            settings["model"] = -1 if value == "all" else int(value)
        elif name == "altloc" and value in ALTLOCS:
            settings["altloc"] = value
        elif name == "altloc" and value:
            settings |= {"altloc": "label", "altloc_label": value}
        elif name == "assembly" and value:
            settings["assembly"] = value
        elif equals and value and len(name) in (1, 2) and name.isalpha():
            radii.append(word)
        else:
            raise FileError(f"{{atoms}} must be a list of {WORDS}; got {word!r}.")
    return settings | ({"radii": ", ".join(radii)} if radii else {})
