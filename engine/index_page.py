"""Hatchling's metadata hook: the project's address, and README.md for package indexes.

GitHub Actions provides the address of the repository that it builds. A package that is built
elsewhere names none, and its page contains only the texts of pictures and of links to files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")
LINK_WITH_WORDS = re.compile(r"!?\[([^][]*)" + LINK.pattern)


def urls(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses of the project, none outside of GitHub Actions."""
    repository = environment.get("GITHUB_REPOSITORY")
    if not repository:
        return {}
    source = f"{environment.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
    owner, name = repository.split("/")
    return {
        "Documentation": f"https://{owner.lower()}.github.io/{name}/",
        "Source": source,
        "Issues": f"{source}/issues",
        "Changelog": f"{source}/blob/main/CHANGELOG.md",
    }


def page(text: str, source: str | None) -> str:
    """Return the readme without relative links: they lead to the sources, or are their words."""

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link[1].endswith(".png") else "blob"
        return f"]({source}/{kind}/main/{link[1]})"

    if source:
        return LINK.sub(absolute, text)
    without_pictures = LINK_WITH_WORDS.sub(r"\1", text)
    return LINK_WITH_WORDS.sub(r"\1", without_pictures)  # pictures that are links


class ReadmeHook(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both to the metadata."""
        metadata["urls"] = urls(os.environ)
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": page(text, metadata["urls"].get("Source")),
        }
