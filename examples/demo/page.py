"""The page of `make demo`: a section a job, with its picture, code, numbers and files.

One file of HTML that needs nothing from elsewhere; it follows the reader's light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path

from examples.demo.jobs import Job, Run

Done = tuple[Job, Run]

STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #1b2330;
  --faint: #5b6675; --line: #dfe3e9; --code: #f0f2f6; --mark: #0b6aa8; }
@media (prefers-color-scheme: dark) { :root { --page: #0b0e15; --card: #141923; --ink: #e3e8ef;
  --faint: #98a3b3; --line: #262d3a; --code: #0f131b; --mark: #6fc0f0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 3rem 1.25rem 5rem; }
h1 { font-size: clamp(2rem, 5vw, 3rem); letter-spacing: -0.02em; line-height: 1.1; margin: 0; }
h2 { margin: 4rem 0 0; font-size: 0.85rem; letter-spacing: 0.12em; text-transform: uppercase;
  color: var(--faint); }
h3 { margin: 0 0 0.5rem; font-size: 1.3rem; letter-spacing: -0.01em; line-height: 1.3; }
p { margin: 0 0 1rem; } .lead { color: var(--faint); max-width: 46rem; margin: 1rem 0 2rem; }
a { color: var(--mark); text-underline-offset: 0.15em; }
section { margin-top: 1.25rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; overflow: hidden; }
section > a { display: block; } img { display: block; width: 100%; height: auto; }
.words { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.15fr); gap: 1.75rem;
  padding: 1.5rem; }
@media (max-width: 760px) { .words { grid-template-columns: minmax(0, 1fr); gap: 1rem; } }
dl { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; margin: 0 0 1rem; }
dl div { display: flex; flex-direction: column-reverse; } dt { color: var(--faint);
  font-size: 0.82rem; line-height: 1.3; } dd { margin: 0; font-size: 1.25rem; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
pre { margin: 0; padding: 1rem 1.1rem; overflow-x: auto; background: var(--code);
  border: 1px solid var(--line); border-radius: 10px; font: 0.82rem/1.55 ui-monospace,
  SFMono-Regular, Menlo, Consolas, monospace; }
.files { color: var(--faint); font-size: 0.9rem; margin: 0; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; } table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; padding: 0.55rem 1rem; border-top: 1px solid var(--line);
  vertical-align: top; } thead th { border-top: 0; color: var(--faint); font-weight: 500; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
footer { margin-top: 3rem; color: var(--faint); font-size: 0.9rem; }
"""


def counts_of(run: Run) -> str:
    """The counts of a job in words."""
    return ", ".join(f"{number:,} {name}" for name, number in run.counts)


def write_page(path: Path, done: list[Done], device: str, seconds: float) -> None:
    """The page of all jobs that were done; seconds: of all together, drawing included."""
    sections = []
    for family, members in groupby(done, key=lambda pair: pair[0].family):
        sections.append(f"<h2>{escape(family)}</h2>")
        sections += [section_of(job, run) for job, run in members]
    place = "the CPU" if device == "cpu" else escape(device)
    path.write_text(
        f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Separatrix: what it does</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>Separatrix</h1>
<p class="lead">Topology of volumes, meshes, molecules and points, each shown on one of the
samples. Everything on this page was computed on {place} and drawn in
{seconds:.0f} seconds; a picture is a link to itself in full size, and the files open in
ParaView. The code runs in the root of the repository; where it begins with
<code>import pyvista</code>, do <code>pip install pyvista</code> first.</p>
{table_of(done)}
{"".join(sections)}
<footer>Made by <code>make demo</code>. Seconds are those of computing alone, without reading,
writing and drawing.</footer>
</main>
</body>
</html>
""",
        encoding="utf-8",
    )


def table_of(done: Iterable[Done]) -> str:
    """All jobs at a glance, each a link to its section."""
    rows = "".join(
        f'<tr><td><a href="#{job.name}">{escape(job.title)}</a></td>'
        f"<td>{escape(run.input)}</td><td>{escape(counts_of(run))}</td>"
        f'<td class="number">{run.seconds:.2f}</td></tr>\n'
        for job, run in done
    )
    return f"""<div class="wide"><table>
<thead><tr><th>Job</th><th>Input</th><th>Run</th><th>Seconds</th></tr></thead>
<tbody>
{rows}</tbody>
</table></div>
"""


def section_of(job: Job, run: Run) -> str:
    """One job: its pictures, what is seen, numbers, files and code."""
    pictures = "".join(
        f'<a href="{escape(name)}"><img src="{escape(name)}" width="1350" height="840" '
        f'loading="lazy" alt="{escape(job.title)}: {escape(counts_of(run))}"></a>\n'
        for name in run.pictures
    )
    numbers = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{number:,}</dd></div>" for name, number in run.counts
    )
    files = ", ".join(f'<a href="{escape(name)}">{escape(name)}</a>' for name in run.files)
    return f"""<section id="{job.name}">
{pictures}<div class="words">
<div>
<h3>{escape(job.title)}</h3>
<p>{escape(job.seen)}</p>
<dl>{numbers}<div><dt>seconds</dt><dd>{run.seconds:.2f}</dd></div></dl>
<p class="files">From {escape(run.input)}. Files: {files}</p>
</div>
<pre><code>{escape(job.code)}</code></pre>
</div>
</section>
"""
