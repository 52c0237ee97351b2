"""The source keeps to its layers and its house rules."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import quorate
from quorate import simulate

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"

# From bottom to top. A module imports from the layers below its own and from its own folder, from nothing else.
LAYERS = (
    {
        *("arguments", "errors", "caveats", "streams", "waiting", "wording", "writing", "arrays", "roles", "rules"),
        *("frozen", "lazily", "workers"),
    },
    {"table", "numerics"},
    {"estimate"},
    {"planning"},
    {"decide", "collect"},
    {"study", "simulate"},
    {"analysis"},
    {"reproduction"},
    {"reporting"},
    {"web"},
    {"__init__", "types", "agents", "agreement", "scores", "votes"},
    {"cli"},
    {"__main__"},
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
FOREIGN_FRAMES = {"duckdb", "narwhals", "pandas", "polars", "pyarrow"}
DRAWERS = {"common", "helpers", "misc", "util", "utils"}
MOST_LINES = 600


def name_of(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = sorted(SRC.rglob("*.py"))
MODULES = {name_of(path): path for path in PATHS}


IMPORT = re.compile(r"^ *((?:from [.\w]+ )?import (?:\([^)]*\)|[^(\n#]+)) *(?:#.*)?$", re.MULTILINE)
"""A statement that imports, on a line of its own: to parse whole files takes seconds."""


def by_path(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def names_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{'.' * node.level}{node.module}.{alias.name}" for alias in node.names]
    return []


@cache
def imported(path: Path) -> frozenset[str]:
    """Dotted names of all that a file imports, wherever, for annotations too: ``from a import b`` is ``a.b``."""
    found = ast.parse("\n".join(IMPORT.findall(path.read_text(encoding="utf-8"))))
    return frozenset(name for node in found.body for name in names_of(node))


def ours(path: Path) -> set[str]:
    """The modules of this package that a file imports."""
    return {module_of(name) for name in imported(path) if name.split(".")[0] == "quorate"}


def module_of(name: str) -> str:
    return name if name in MODULES else module_of(name.rpartition(".")[0])


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def test_the_package_is_found():
    assert "quorate.errors" in MODULES


def test_every_folder_has_a_layer():
    assert {layer_of(module) for module in MODULES} <= RANK.keys()
    assert sum(map(len, LAYERS)) == len(RANK), "a folder stands in two layers"


def test_frozen_classes_are_quick_to_declare():
    """Commands load hundreds: what is frozen is declared by `quorate.frozen`, in a tenth of the time."""
    slow = {"dataclasses.dataclass", "dataclasses.make_dataclass"}
    changed = {"reporting.draw.svg", "table.exchange.foreign.openai_evals", "web.serve"}
    found = {name for name, path in MODULES.items() if imported(path) & slow}
    assert found == {f"quorate.{name}" for name in changed | {"frozen"}}


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
    """Types count too: a value stands below what is made of it, and a class with methods for that above."""
    graph = {module: ours(path) - {module} for module, path in MODULES.items()}
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


def test_every_public_function_is_tested():
    """Tests are by subject: where one stands is no rule, that there is one is."""
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    words = {word for text in tests for word in re.findall(r"\w+", text)}
    fields = (quorate, quorate.scores, quorate.votes, quorate.agents, quorate.agreement, simulate)
    public = [name for module in fields for name in module.__all__ if name[0].islower()]
    assert not [name for name in public if name not in words]


def test_what_long_tests_import_exists():
    """Those of `make calibrate` are not collected with the others: what a move leaves behind there shows here."""
    for path in sorted((ROOT / "tests" / "calibration").rglob("*.py")):
        named = sorted(name for name in imported(path) if name.split(".")[0] == "quorate" and name not in MODULES)
        both = [(module, name) for module, _, name in (one.rpartition(".") for one in named)]
        gone = [f"{module}.{name}" for module, name in both if not hasattr(import_module(module), name)]
        assert not gone, f"{path}: there is no {gone}"


def test_no_two_public_classes_have_one_name():
    """In modules of which something is in the reference, and those of `quorate.types`."""
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md")]
    documented = {name for page in pages for name in re.findall(r"^::: ([\w.]+)", page, re.MULTILINE)}
    documented |= {name.rpartition(".")[0] for name in documented | imported(MODULES["quorate.types"])}
    homes: dict[str, set[str]] = {}
    for module in documented & MODULES.keys():
        for name in re.findall(r"^class ([A-Z]\w*)", MODULES[module].read_text(encoding="utf-8"), re.MULTILINE):
            homes.setdefault(name, set()).add(module)
    assert not {name: found for name, found in homes.items() if len(found) > 1}


def test_files_are_short_and_named_for_what_they_do():
    assert not [by_path(path) for path in PATHS if path.read_text(encoding="utf-8").count("\n") > MOST_LINES]
    assert not [by_path(path) for path in PATHS if {path.stem, path.parent.name} & DRAWERS]


def test_nothing_is_left_to_do():
    later = ("TODO", "FIXME", "XXX", "raise NotImplementedError")
    texts = {path: path.read_text(encoding="utf-8") for path in PATHS}
    assert not [by_path(path) for path, text in texts.items() if any(word in text for word in later)]
