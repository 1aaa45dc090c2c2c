"""What the sources may not do, by their syntax trees: run data, trust paths, search libraries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for folder in ("engine/separatrix", "plugins")
    for path in (REPOSITORY / folder).rglob("*.py")
)
RUNNERS = {
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "os.execv", "os.execvp",
    "os.spawnv", "pickle.load", "pickle.loads", "marshal.load", "marshal.loads", "shelve.open",
    "dill.load", "dill.loads", "yaml.load", "yaml.unsafe_load", "joblib.load", "runpy.run_path",
    "subprocess.getoutput", "subprocess.getstatusoutput", "tempfile.mktemp", "os.tempnam",
}  # fmt: skip
MODULES = {"pickle", "marshal", "shelve", "yaml", "dill", "joblib", "telnetlib", "xmlrpc"}
OF_THE_SYSTEM = {"libcuda.so.1"}  # of the driver: it has no path of ours


def calls_in(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Every call, with the name of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def faults_in(text: str) -> list[str]:
    """What a source does that none may."""
    tree, faults = ast.parse(text), []
    for name, call in calls_in(tree):
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        if name in RUNNERS:
            faults.append(f"line {call.lineno} calls {name}")
        if given.get("shell", "False") != "False":
            faults.append(f"line {call.lineno} calls {name} with a shell")
        if name.endswith(("np.load", "numpy.load")) and given.get("allow_pickle") != "False":
            faults.append(f"line {call.lineno} loads arrays and does not refuse pickles")
        if name.endswith("CDLL") and isinstance(call.args[0], ast.Constant):
            library = call.args[0].value
            if "/" not in library and library not in OF_THE_SYSTEM:
                faults.append(f"line {call.lineno} searches for {library}")
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        faults += [f"imports {name}" for name in names if name.partition(".")[0] in MODULES]
    return faults


@pytest.mark.parametrize(
    "text",
    [
        "eval(x)", "import pickle", "from yaml import load", "np.load(f)",
        "np.load(f, allow_pickle=True)", "subprocess.run(c, shell=True)", "run(c, shell=s)",
        "ctypes.CDLL('libm.so')", "os.system(x)", "tempfile.mktemp()",
    ],
)  # fmt: skip
def test_the_test_sees_each_fault(text: str) -> None:
    assert len(faults_in(text)) == 1


def test_no_source_runs_data_or_trusts_a_path(tried: Any) -> None:
    assert len(SOURCES) > 100
    found = {path: faults_in(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {str(path): faults for path, faults in found.items() if faults} == {}
    tried("source files read for eval, exec, pickles, shells and libraries by name", len(SOURCES))


def test_no_filter_has_a_setting_that_becomes_code(tried: Any) -> None:
    """Whoever calls sx.reduce in the plugins gives the formula as a text of the source itself."""
    n = 0
    for path in SOURCES:
        if "separatrix_vtk" not in path.parts:
            continue
        for name, call in calls_in(ast.parse(path.read_text(encoding="utf-8"))):
            if name in ("sx.reduce", "separatrix.reduce", "reduce_on_blocks"):
                assert isinstance(call.args[0], ast.Constant), (path, call.lineno)
                n += 1
    pytest.importorskip("vtkmodules")
    import separatrix_vtk
    from separatrix.options import options_of

    n_settings = 0
    for name in separatrix_vtk.__all__:
        kind = getattr(separatrix_vtk, name)
        if isinstance(kind, type) and hasattr(kind, "OUTPUTS"):
            n_settings += len(options_of(kind))
            assert not {"formula", "expression", "code"} & set(options_of(kind))
    assert n_settings > 50
    tried("settings of filters and calls of the plugins that could hold a formula", n + n_settings)


def test_what_is_promised_is_written_down() -> None:
    text = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    assert all(f"## {title}" in text for title in ("What is promised", "How to report"))
