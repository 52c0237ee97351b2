"""The source keeps to its layers, its mirror of tests, and its house rules."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"

# From bottom to top. A module imports from the layers below its own and from its own folder, from nothing else.
LAYERS = (
    {"errors", "caveats", "streams", "wording", "arrays", "roles"},
    {"table", "numerics"},
    {"estimate"},
    {"plan"},
    {"decide", "collect"},
    {"study", "simulate"},
    {"analysis"},
    {"reporting"},
    {"web"},
    {"__init__", "types"},
    {"cli"},
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
FOREIGN_FRAMES = {"duckdb", "narwhals", "pandas", "polars", "pyarrow"}
DRAWERS = {"common", "helpers", "misc", "util", "utils"}
MOST_LINES = 400

# Source files without a test file of their own, each with the reason.
EXCEPTIONS = {
    "quorate/__init__.py": "tests/test_startup.py checks its table of names",
    "quorate/types.py": "tests/test_startup.py checks its table of names",
    "quorate/arrays.py": "types of arrays, which the type checker checks",
    "quorate/roles.py": "names alone",
}


def name_of(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = sorted(SRC.rglob("*.py"))
MODULES = {name_of(path): path for path in PATHS}


def by_path(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def imported(path: Path, *, types: bool = True) -> set[str]:
    """Dotted names of everything a file imports, wherever in the file: ``from a import b`` is ``a.b``.

    Without ``types``, what is imported for annotations alone (under ``if TYPE_CHECKING``) is left out.
    """
    names: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not types:
        tree.body = [
            node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
        ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{'.' * node.level}{node.module}.{alias.name}" for alias in node.names}
    return names


def ours(path: Path, *, types: bool = True) -> set[str]:
    """The modules of this package that a file imports."""
    return {module_of(name) for name in imported(path, types=types) if name.split(".")[0] == "quorate"}


def module_of(name: str) -> str:
    return name if name in MODULES else module_of(name.rpartition(".")[0])


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def has_code(path: Path) -> bool:
    """Whether there is more than a docstring, imports and the list of exported names."""
    return not all(
        isinstance(node, (ast.Import, ast.ImportFrom))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
    )


def mirror(path: Path) -> Path:
    inside = path.relative_to(SRC / "quorate")
    return ROOT / "tests" / inside.parent / f"test_{inside.stem.strip('_')}.py"


def test_the_package_is_found():
    assert "quorate.errors" in MODULES


def test_every_folder_has_a_layer():
    assert {layer_of(module) for module in MODULES} <= RANK.keys()


@pytest.mark.parametrize("path", PATHS, ids=by_path)
def test_imports_point_down(path):
    own = layer_of(name_of(path))
    strangers = {name for name in ours(path) if layer_of(name) != own and RANK[layer_of(name)] >= RANK[own]}
    if RANK[own] == 0:  # the ground floor is one folder
        strangers -= {f"quorate.{name}" for name in LAYERS[0]}
    assert not strangers, f"{own} may not import {sorted(strangers)}"


def test_no_cycles():
    """A result may name, for annotations, the type whose method calls it."""
    graph = {module: ours(path, types=False) - {module} for module, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("path", PATHS, ids=by_path)
def test_foreign_frames_stay_in_table(path):
    """Everything else works on our own tables and on arrays."""
    tops = {name.split(".")[0] for name in imported(path)}
    assert layer_of(name_of(path)) == "table" or not tops & FOREIGN_FRAMES


@pytest.mark.parametrize("path", PATHS, ids=by_path)
def test_scipy_stats_is_not_imported(path):
    """It takes half a second to load; scipy.special has the distributions."""
    assert not [name for name in imported(path) if name.startswith("scipy.stats")]


@pytest.mark.parametrize("path", [path for path in PATHS if has_code(path)], ids=by_path)
def test_every_module_has_a_test_file(path):
    assert mirror(path).is_file() or by_path(path) in EXCEPTIONS, f"no {mirror(path).relative_to(ROOT)}"


@pytest.mark.parametrize("path", [SRC / path for path in EXCEPTIONS], ids=by_path)
def test_every_exception_is_needed(path):
    assert path.is_file()
    assert not mirror(path).exists()


@pytest.mark.parametrize("path", PATHS, ids=by_path)
def test_files_are_short_and_named_for_what_they_do(path):
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= MOST_LINES
    assert not {path.stem, path.parent.name} & DRAWERS


def test_nothing_is_left_to_do():
    later = re.compile(r"\b(TODO|FIXME|XXX)\b|raise NotImplementedError")
    found = [by_path(path) for path in PATHS if later.search(path.read_text(encoding="utf-8"))]
    assert not found


def test_layers_name_each_folder_once():
    assert sum(map(len, LAYERS)) == len(RANK)
