"""The source keeps to its layers, its mirror of tests, and its house rules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"

# From bottom to top. A module imports from the layers below its own and from its own folder, from nothing else.
LAYERS = (
    {"arguments", "errors", "caveats", "streams", "waiting", "wording", "writing", "arrays", "roles"},
    {"table", "numerics"},
    {"estimate"},
    {"plan"},
    {"decide", "collect"},
    {"study", "simulate"},
    {"analysis"},
    {"reproduction"},
    {"reporting"},
    {"web"},
    {"__init__", "types"},
    {"cli"},
    {"__main__"},
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
FOREIGN_FRAMES = {"duckdb", "narwhals", "pandas", "polars", "pyarrow"}
DRAWERS = {"common", "helpers", "misc", "util", "utils"}
MOST_LINES = 600
MOST_FILES = 25
"""Files of one folder; about 15 is what a reader takes in at a look."""
MOST_OF_A_PREFIX = 3
"""Files of one folder whose names begin with the same word; more are a folder of that name."""

# Source files without a test file of their own, each with the reason.
EXCEPTIONS = {
    "quorate/__init__.py": "tests/test_startup.py checks its table of names",
    "quorate/simulate/__init__.py": "tests/test_startup.py checks its table of names",
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


@dataclass(frozen=True)
class Source:
    """What the tests ask about a file of source: it is parsed once."""

    imports: frozenset[tuple[str, bool]]
    """Dotted names of everything it imports, wherever: ``from a import b`` is ``a.b``.

    With each, whether it stands under ``if TYPE_CHECKING``, for annotations alone.
    """
    has_code: bool
    """Whether there is more than a docstring, imports and the list of exported names."""
    doc: str


@cache
def source(path: Path) -> Source:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = {
        (name, isinstance(top, ast.If) and "TYPE_CHECKING" in ast.dump(top.test))
        for top in tree.body
        for node in statements([top])
        for name in names_of(node)
    }
    return Source(frozenset(imports), not all(map(is_silent, tree.body)), ast.get_docstring(tree) or "")


def statements(body: list[ast.AST]) -> Iterator[ast.AST]:
    """All statements, those within others too: imports are statements, and expressions take most of the time."""
    for node in body:
        yield node
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from statements(getattr(node, part, []))


def names_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{'.' * node.level}{node.module}.{alias.name}" for alias in node.names]
    return []


def is_silent(node: ast.stmt) -> bool:
    """Whether it is a docstring, an import or the list of exported names."""
    return (
        isinstance(node, (ast.Import, ast.ImportFrom))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    )


def imported(path: Path, *, types: bool = True) -> set[str]:
    """Dotted names of what a file imports, with or without what it needs for annotations alone."""
    return {name for name, annotation in source(path).imports if types or not annotation}


def ours(path: Path, *, types: bool = True) -> set[str]:
    """The modules of this package that a file imports."""
    return {module_of(name) for name in imported(path, types=types) if name.split(".")[0] == "quorate"}


def module_of(name: str) -> str:
    return name if name in MODULES else module_of(name.rpartition(".")[0])


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def mirror(path: Path) -> Path:
    inside = path.relative_to(SRC / "quorate")
    if inside.parts[:2] == (
        "reproduction",
        "studies",
    ):  # a study is a value, which one file of tests runs with the others
        return ROOT / "tests" / "reproduction" / "test_studies.py"
    return ROOT / "tests" / inside.parent / f"test_{inside.stem.strip('_')}.py"


def test_the_package_is_found():
    assert "quorate.errors" in MODULES


def test_every_folder_has_a_layer():
    assert {layer_of(module) for module in MODULES} <= RANK.keys()
    assert sum(map(len, LAYERS)) == len(RANK), "a folder stands in two layers"


def test_imports_point_down():
    """The ground floor is one folder; everywhere else a module imports from below, or from its own folder."""
    up = {
        f"{by_path(path)} imports {name}"
        for path in PATHS
        for name in ours(path)
        if RANK[layer_of(name)] >= RANK[layer_of(name_of(path))] > 0 and layer_of(name) != layer_of(name_of(path))
    }
    assert not up


def test_no_cycles():
    """A result may name, for annotations, the type whose method calls it."""
    graph = {module: ours(path, types=False) - {module} for module, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_foreign_frames_stay_in_table():
    """Everything else works on our own tables and on arrays."""
    tops = {path: {name.split(".")[0] for name in imported(path)} for path in PATHS}
    assert not [by_path(p) for p in PATHS if layer_of(name_of(p)) != "table" and tops[p] & FOREIGN_FRAMES]


def test_scipy_stats_is_not_imported():
    """It takes half a second to load; scipy.special has the distributions."""
    assert not [by_path(path) for path in PATHS if any(name.startswith("scipy.stats") for name in imported(path))]


def test_every_module_has_a_test_file():
    bare = {by_path(path) for path in PATHS if source(path).has_code and not mirror(path).is_file()}
    assert bare - EXCEPTIONS.keys() == set(), "no test file at the same place under tests/"
    assert EXCEPTIONS.keys() - bare == set(), "an exception that is not needed"


def test_files_are_short_and_named_for_what_they_do():
    assert not [by_path(path) for path in PATHS if path.read_text(encoding="utf-8").count("\n") > MOST_LINES]
    assert not [by_path(path) for path in PATHS if {path.stem, path.parent.name} & DRAWERS]


def test_folders_are_small_and_no_prefix_is_a_folder_in_disguise():
    files = [path for path in PATHS if path.stem != "__init__"]
    sizes = Counter(path.parent for path in files)
    prefixes = Counter((path.parent, path.stem.split("_")[0]) for path in files)
    assert not {by_path(folder): n for folder, n in sizes.items() if n > MOST_FILES}
    assert not {f"{by_path(folder)}/{word}_*": n for (folder, word), n in prefixes.items() if n > MOST_OF_A_PREFIX}


def test_every_folder_lists_its_files_in_reading_order():
    silent = []
    for folder in {path.parent for path in PATHS} - {SRC / "quorate"}:
        doc = source(folder / "__init__.py").doc
        inside = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
        silent += [f"{by_path(folder)}: {stem}" for stem in inside if not re.search(rf"\b{stem}\b", doc)]
    assert not silent


def test_nothing_is_left_to_do():
    later = re.compile(r"\b(TODO|FIXME|XXX)\b|raise NotImplementedError")
    assert not [by_path(path) for path in PATHS if later.search(path.read_text(encoding="utf-8"))]
