"""Files that ParaView reads: inside an installed package, otherwise in the source tree."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def xml_directory() -> Path:
    """Return the folder of server-manager XML.

    Examples
    --------
    >>> from separatrix_vtk import xml_directory
    >>> (xml_directory() / "alpha_complex.xml").is_file()
    True
    """
    return _first_of(PACKAGE / "xml", PACKAGE.parents[1] / "xml")


def xml_files() -> list[Path]:
    """Return the XML files: one per filter, each a complete ParaView plugin.

    Examples
    --------
    >>> from separatrix_vtk import xml_files
    >>> xml_files()[0].name
    'alpha_complex.xml'
    """
    return sorted(xml_directory().glob("*.xml"))


def plugin_path() -> Path:
    """Return the file to choose in ParaView's plugin manager (ParaView 5.12 and newer).

    Examples
    --------
    >>> from separatrix_vtk import plugin_path
    >>> plugin_path().name
    'SeparatrixPlugin.py'
    """
    return _first_of(
        PACKAGE / "plugin" / "SeparatrixPlugin.py", PACKAGE.parent / "SeparatrixPlugin.py"
    )


def _first_of(*paths: Path) -> Path:
    for path in paths:
        if path.exists():
            return path
    raise FileNotFoundError(f"none of these exists: {', '.join(map(str, paths))}")
