"""Write the files that are generated: python -m separatrix_vtk.generate [--check] [FOLDER ...]."""

from __future__ import annotations

import sys
from pathlib import Path

from separatrix_vtk.generate.pages import files_page, options_page, shell_page
from separatrix_vtk.generate.panels import SKELETONS, panel
from separatrix_vtk.generate.stubs import accessor_stub, functions_stub

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(__file__).resolve().parents[1]


def generated() -> dict[Path, str]:
    """Return all files that are generated, and their text."""
    return {
        PACKAGE / "functions.pyi": functions_stub(),
        PACKAGE / "accessor.pyi": accessor_stub(),
        ROOT / "docs" / "files.md": files_page((ROOT / "docs" / "files.md").read_text("utf-8")),
        ROOT / "docs" / "options.md": options_page(),
        ROOT / "docs" / "shell.md": shell_page(),
        **{ROOT / "xml" / path.name: panel(path) for path in sorted(SKELETONS.glob("*.xml"))},
    }


def main(arguments: list[str]) -> int:
    """Write the files, of given folders only; with --check, list those that are stale."""
    folders = [ROOT / name for name in arguments if not name.startswith("--")] or [ROOT]
    files = {
        path: text
        for path, text in generated().items()
        if any(path.is_relative_to(folder) for folder in folders)
    }
    stale = [p for p, text in files.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in stale:
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is stale; run `make generated`")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
