"""One version everywhere, an archive of all sources, portable code."""

import importlib.util
import io
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import separatrix
import separatrix_vtk

REPOSITORY = Path(__file__).resolve().parents[2]
VERSION = separatrix.__version__
CHANGELOG = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
RECIPE = (REPOSITORY / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
WORKFLOW = (REPOSITORY / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
SETTINGS = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d{2}-\d{2})$", re.MULTILINE)


def module_at(path):
    """A module of the build, which is not installed."""
    spec = importlib.util.spec_from_file_location("separatrix_build_hook", REPOSITORY / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_is_the_same_everywhere():
    plugin = (REPOSITORY / "plugins" / "SeparatrixPlugin.py").read_text(encoding="utf-8")
    reported = {
        "engine": VERSION,
        "filters": separatrix_vtk.__version__,
        "plugin file": re.findall(r'_version = "Separatrix", "([^"]+)"', plugin)[0],
        "recipe": re.findall(r'^  version: "([^"]+)"$', RECIPE, re.MULTILINE)[0],
        "CITATION.cff": re.findall(r"^version: (\S+)$", CITATION, re.MULTILINE)[0],
        "CHANGELOG.md": HEADING.findall(CHANGELOG)[0][0],
    }
    assert set(reported.values()) == {VERSION}, reported


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The sources' archive, as `make wheels` makes it."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is needed to build an archive")
    folder = tmp_path_factory.mktemp("archive")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.iterdir()
    return found


def test_the_archive_contains_every_source_and_no_build_output(archive):
    assert archive.name == f"separatrix-{VERSION}.tar.gz"
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    wanted = [
        path.relative_to(REPOSITORY).as_posix()
        for folder in ("engine", "plugins", "xml", "tests", "docs", "examples", "sample_data")
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file() and not {"_lib", "__pycache__", "results"} & set(path.parts)
    ]
    wanted += ["LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "Makefile"]
    assert sorted(set(wanted) - names) == []
    made = re.compile(
        r"(^|/)(_lib|build|dist|__pycache__|\.[a-z]+_cache|\.venv|\.git)/|\.(so|o|pyc)$"
    )
    assert [name for name in names if made.search(name)] == []


@pytest.mark.parametrize("source", ["https://github.com/somebody/separatrix", None])
def test_the_page_on_an_index_leads_to_the_repository_that_built_it(archive, source):
    """See ReadmeHook in engine/index_page.py."""
    hook = module_at("engine/index_page.py")
    environment = {"GITHUB_REPOSITORY": "somebody/separatrix"} if source else {}
    assert hook.urls(environment).get("Source") == source
    page = hook.page((REPOSITORY / "README.md").read_text(encoding="utf-8"), source)
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    picture = f"[![Pockets of an enzyme]({source}/raw/main/docs/images/tile_pockets.png)]("
    assert (picture in page) == bool(source)
    assert "Pockets of an enzyme" in page
    if ("GITHUB_REPOSITORY" in os.environ) == bool(source):
        with tarfile.open(archive) as tar:
            (member,) = [name for name in tar.getnames() if name.endswith("/PKG-INFO")]
            metadata = (tar.extractfile(member) or io.BytesIO()).read().decode()
        assert ("Project-URL: Source, " in metadata) == bool(source)
        assert "description-content-type: text/markdown" in metadata.lower()
        assert source or metadata.endswith(page)


def test_the_workflow_builds_and_tests_what_pyproject_declares():
    platforms = re.findall(r"platform: (\w+),.* artifact: ([a-z]+)-", WORKFLOW)
    assert platforms == [
        ("manylinux_x86_64", "dist"),
        ("manylinux_aarch64", "dist"),
        ("macosx_arm64", "experimental"),
        ("win_amd64", "experimental"),
    ]
    build = re.findall(r'^build = "(cp\d+)-\*"', SETTINGS, re.MULTILINE)[0]
    assert f"CIBW_BUILD: {build}-${{{{ matrix.platform }}}}" in WORKFLOW
    assert "pattern: dist-*" in WORKFLOW  # and so experimental wheels are not published
    run = re.findall(r"python (?:\{project\}/)?(tests/\S+?\.py)", SETTINGS + WORKFLOW + RECIPE)
    assert len(run) == 3
    assert all((REPOSITORY / path).is_file() for path in run)


def test_results_are_the_same_on_every_machine():
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "tests" / "repository" / "same_bits.py")],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "engine")},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wheel_is_portable_by_default(tmp_path, monkeypatch):
    module = module_at("engine/build_kernels.py")
    monkeypatch.setenv("SEPARATRIX_PORTABLE", "")  # what the hook sets is undone afterwards
    commands = []

    def build(root, *, folder=None):
        commands.append(module.compile_command())
        return (folder or root / "_lib") / "libseparatrix.so"

    monkeypatch.setattr(module, "build", build)
    for portable, version in ((None, "standard"), ("0", "standard"), (None, "editable")):
        monkeypatch.delenv("SEPARATRIX_PORTABLE", raising=False)
        if portable is not None:
            monkeypatch.setenv("SEPARATRIX_PORTABLE", portable)
        hook = object.__new__(module.KernelBuildHook)
        hook.__dict__["_BuildHookInterface__root"] = str(REPOSITORY)
        if type(hook).__mro__[1] is object:
            hook.root = str(REPOSITORY)
        data = {"force_include": {}}
        hook.initialize(version, data)
        assert data["pure_python"] is False
    assert ["-march=native" in command for command in commands] == [False, True, True]
