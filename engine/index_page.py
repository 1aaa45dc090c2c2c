"""Hatchling's metadata hook: README.md for package indexes, with absolute links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Fills in `readme`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the readme, whose links lead to the sources."""
        source = metadata["urls"]["Source"]

        def absolute(link: re.Match[str]) -> str:
            kind = "raw" if link[1].endswith(".png") else "blob"
            return f"]({source}/{kind}/main/{link[1]})"

        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": LINK.sub(absolute, text),
        }
