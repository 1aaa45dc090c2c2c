"""The command line of a demonstration that draws one picture of a file of points."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from examples.demo.samples import USER_ERRORS
from separatrix_vtk.io.point_files import read_points


def draw_from_command_line(
    module: str,
    documentation: str | None,
    sample: Path,
    kinds: str,
    draw: Callable[[Any, str, Path, str], None],
    arguments: list[str] | None,
) -> int:
    """Run ``draw(points, name, picture, device)``; 0, or 1 after a sentence on stderr.

    `kinds` says what files of points there are; without --input it is `sample`.
    """
    summary, _, description = (documentation or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog=f"python -m examples.demo.{module}",
        description=summary,
        epilog=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("picture", type=Path, metavar="PICTURE.png")
    parser.add_argument("--input", type=Path, default=sample, help=kinds)
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    options = parser.parse_args(arguments)
    try:
        points, _ = read_points(options.input)
        draw(points, options.input.stem, options.picture, options.device)
    except (*USER_ERRORS, OSError, RuntimeError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print(options.picture)
    return 0
