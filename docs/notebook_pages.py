"""Sphinx extension for notebooks: a page of each, with the outputs that it keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from myst_parser.sphinx_ import Parser
from sphinx.application import Sphinx


class NotebookParser(Parser):
    """Parser of notebooks, which it translates to Markdown."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a notebook."""
        cells = json.loads(inputstring)["cells"]
        super().parse("\n\n".join(part for cell in cells for part in markdown_of(cell)), document)


def markdown_of(cell: dict[str, Any]) -> Iterator[str]:
    """Yield a cell and its outputs as Markdown."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        forms = {name: "".join(text) for name, text in output.get("data", {}).items()}
        if "image/png" in forms:
            yield f'<img alt="Picture" src="data:image/png;base64,{forms["image/png"]}">'
        elif "text/html" in forms:
            yield f"```{{raw}} html\n{forms['text/html']}\n```"
        else:
            text = forms.get("text/plain") or "".join(output["text"])
            yield f"```text\n{text}\n```"


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx's entry point."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
