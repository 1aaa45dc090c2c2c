"""`make demo`: one page of pictures, a table, files; every capability on a sample."""

from __future__ import annotations

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from examples.demo import scene
from examples.demo.jobs import JOBS
from examples.demo.palette import separatrix_categories
from paraview_app.pictures import pixels_of
from paraview_app.without_display import REPOSITORY, run
from separatrix.plotting import palette

pytestmark = pytest.mark.long

WIDTH = 450
FAMILIES = ["Images and volumes", "Meshes", "Molecules", "Points"]
EMPTY_ELEMENTS = {"meta", "img", "br", "link", "hr"}


class Page(HTMLParser):
    """References of a page, and whether its elements are nested correctly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: dict[str, list[dict[str, Any]]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.setdefault(tag, []).append(dict(attrs))
        if tag not in EMPTY_ELEMENTS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder that the demonstration fills, and what it said."""
    folder = tmp_path_factory.mktemp("demo")
    done = run("-m", "examples.demo", folder, "--device", "cpu", "--width", WIDTH, patience=400)
    assert done.returncode == 0, done.stderr
    return folder, done


def test_the_page_is_complete_and_self_contained(demo):
    text = (demo[0] / "index.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert text.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?://|<script|<link|@import|url\(", text)
    assert "prefers-color-scheme: dark" in text
    assert re.findall(r"<h2>(.*?)</h2>", text) == FAMILIES


def test_every_link_of_the_page_leads_somewhere(demo):
    folder, _ = demo
    page = Page((folder / "index.html").read_text(encoding="utf-8"))
    anchors = {section["id"] for section in page.found["section"]}
    assert len(anchors) == len(JOBS)
    for link in page.found["a"]:
        place = link["href"]
        if place.startswith("#"):
            assert place[1:] in anchors
        else:
            assert (folder / place).stat().st_size > 300, place


def test_every_picture_of_the_page_shows_something(demo):
    folder, _ = demo
    pictures = Page((folder / "index.html").read_text(encoding="utf-8")).found["img"]
    assert len(pictures) == len(JOBS)
    for picture in pictures:
        assert picture["alt"]
        pixels = pixels_of(folder / picture["src"])
        assert pixels.shape == (280, WIDTH, 3)
        middle = pixels[60:210]
        assert (middle.max(axis=2) > 0.3).mean() > 0.03, picture["src"]
        words = pixels[5:30].max(axis=2)
        assert (words > 0.5).sum() > 60, f"no title: {picture['src']}"


def test_the_table_has_a_whole_row_for_each_job(demo):
    _, done = demo
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["job", "input", "found", "seconds", "device"]
    rows = [line.split() for line in lines if re.search(r" \d+\.\d\d +cpu\b", line)]
    assert len(rows) == len(JOBS)
    for name in ("8 minima", "14 minima", "7 minima", "48 maxima", "6,836 cells", "34 pockets"):
        assert name in done.stdout
    for name in ("360 components", "117 loops", "67 voids"):
        assert name.split()[0] in done.stdout
    assert "index.html" in lines[-1]


def test_the_files_match_the_counts_on_the_page(demo):
    text = (demo[0] / "bars.csv").read_text().splitlines()
    assert len(text) - 1 == 360 + 117 + 67
    points = demo[0] / "atomic_orbital" / "atomic_orbital_0.vtp"
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(points))
    reader.Update()
    assert reader.GetOutput().GetNumberOfPoints() == 8 + 20 + 17 + 4


def test_the_code_of_each_section_runs_as_it_stands(monkeypatch):
    monkeypatch.setenv("SEPARATRIX_DEVICE", "cpu")
    monkeypatch.chdir(REPOSITORY)
    for job in JOBS.values():
        exec(compile(job.code, job.title, "exec"), {})


# === legends
def test_a_legend_contains_only_kinds_that_are_shown():
    shown = [2, 0, 2]
    rows = scene.entries(separatrix_categories(3), "line", shown)
    assert [entry.words for entry in rows] == ["descending to a minimum", "ascending to a maximum"]
    assert scene.entries(palette.critical_categories(3), "ball", []) == []


def test_a_picture_of_any_width_is_averaged_from_whole_pixels(monkeypatch):
    for width in (675, 451, 333):
        monkeypatch.setattr(scene.Picture, "pixels", width / scene.SIZE[0])
        for size in (scene.SIZE, scene.TILE):
            drawn = scene.Picture(size).window.GetSize()
            assert all(length % scene.OVERSAMPLING == 0 for length in drawn)
