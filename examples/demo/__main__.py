"""Each capability on a sample: files, pictures, a table, and a page that shows them.

    python -m examples.demo OUTPUT_DIR [JOB ...] [--input FILE] [--device auto]

OUTPUT_DIR/index.html shows the results. With --input one job runs on another file. --pictures draws
all pictures of the documentation instead, and writes no other files. Drawing without a display
requires VTK 9.4 or newer; --window requires ParaView, Xvfb, and openbox.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from examples.demo.first_apply import picture_of_first_apply
from examples.demo.gallery import draw_others
from examples.demo.jobs import JOBS, Job
from examples.demo.page import Done, counts_of, write_page
from examples.demo.samples import USER_ERRORS
from examples.demo.scene import SIZE, Picture
from examples.demo.window import picture_of_window
from separatrix_vtk.base.computing import device_of

LINE = 118  # characters of the table, if the width of the terminal is unknown


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0, or 1 after a message on stderr."""
    summary, _, description = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m examples.demo",
        description=summary,
        epilog=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="folder for the results")
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"{', '.join(JOBS)}; default: all")
    parser.add_argument("--input", type=Path, help="a file to use instead of the sample of a job")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    parser.add_argument("--width", type=int, default=1350, help="of pictures, in pixels")
    parser.add_argument("--pictures", action="store_true", help="all pictures of docs/images")
    parser.add_argument("--window", action="store_true", help="also ParaView's window")
    options = parser.parse_args(arguments)
    if unknown := set(options.jobs) - set(JOBS):
        parser.error(f"JOB must be one of {', '.join(JOBS)}; got {', '.join(sorted(unknown))}")
    if options.input and len(options.jobs) != 1:
        parser.error("--input requires one JOB")
    if options.output.exists() and not options.output.is_dir():
        parser.error(f"OUTPUT_DIR must be a folder; got {options.output}")
    Picture.pixels = options.width / SIZE[0]
    jobs = [JOBS[name] for name in options.jobs or JOBS]
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        run_jobs(jobs, options)
        if options.pictures:
            draw_others(options.output, options.device)
        if options.window:
            picture_of_window(options.output / "paraview.png")
            picture_of_first_apply(options.output / "first_apply.png")
    except (*USER_ERRORS, OSError, RuntimeError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


def run_jobs(jobs: list[Job], options: argparse.Namespace) -> None:
    """Run the jobs, write the page and print the table; with --pictures draw only."""
    from rich.console import Console

    begun, done = time.perf_counter(), []
    for number, job in enumerate(jobs, 1):
        if len(jobs) > 1 and not options.pictures:
            print(f"{number}/{len(jobs)}  {job.title}", file=sys.stderr, flush=True)
        run = job.run(options.output, options.device, options.input, not options.pictures)
        done.append((job, run))
    if options.pictures:
        return
    device = device_of({"device": options.device})
    write_page(options.output / "index.html", done, device, time.perf_counter() - begun)
    console = Console()
    if not console.is_terminal:
        console = Console(width=LINE)
    console.print(table_of(done, device))
    print(f"{options.output / 'index.html'} shows the results")


def table_of(done: list[Done], device: str) -> object:
    """Table of the jobs, their results, and their times."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("job", "input", "found"):
        table.add_column(heading, overflow="fold")
    table.add_column("seconds", justify="right")
    table.add_column("device")
    for job, run in done:
        table.add_row(job.title, run.input, counts_of(run), f"{run.seconds:.2f}", device)
    return table


if __name__ == "__main__":
    sys.exit(main())
