"""Execute the notebooks of docs/notebooks and keep their outputs: `make notebooks`.

Without Jupyter: a cell shows what it prints and its last expression, as text, HTML, or a picture.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
COLORS = 64  # of a kept picture

Notebook = dict[str, Any]


def executed(notebook: Notebook) -> Notebook:
    """Return a notebook with the outputs of its cells, run in the current folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            cell = {**cell, "outputs": run("".join(cell["source"]), f"cell {number}", names)}
        cells.append(cell)
    return {**notebook, "cells": cells}


def run(source: str, place: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell and return its outputs."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    shown = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, place, "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), place, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines_of(text)})
    if shown is not None:
        data = {name: lines_of(text) for name, text in forms_of(shown).items()}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
    return outputs


def forms_of(shown: Any) -> dict[str, str]:
    """Return an object as a picture, or as text and HTML, by the type of its content."""
    if hasattr(shown, "savefig"):  # a figure of Matplotlib
        from PIL import Image

        file = io.BytesIO()
        shown.savefig(file, dpi=80)
        shown = Image.open(file).convert("RGB")
    if hasattr(shown, "quantize"):  # a picture of Pillow
        file = io.BytesIO()
        shown.quantize(COLORS).save(file, "png", optimize=True)
        return {"image/png": base64.b64encode(file.getvalue()).decode()}
    forms = {"text/plain": repr(shown)}
    if hasattr(shown, "_repr_html_"):
        forms["text/html"] = shown._repr_html_()
    return forms


def lines_of(text: str) -> list[str]:
    """Return a text as a notebook stores it."""
    return text.splitlines(keepends=True)


def main() -> None:
    """Execute all notebooks and write them with their outputs."""
    os.environ["SEPARATRIX_DEVICE"] = "cpu"  # which outputs name
    os.chdir(FOLDER)
    for path in NOTEBOOKS:
        notebook = executed(json.loads(path.read_text(encoding="utf-8")))
        text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
