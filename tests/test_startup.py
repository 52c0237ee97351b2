"""What `import quorate` and `quorate --help` load, and the table of public names behind that."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import quorate

HEAVY = {
    *("altair", "duckdb", "httpx2", "jinja2", "narwhals", "numpy", "pandas", "polars", "pyarrow", "pydantic", "scipy"),
    "vl_convert",
}
NAMES = [name for name in quorate.__all__ if name != "__version__"]

HELP = """
import contextlib, sys
sys.argv = ["quorate", "--help"]
from quorate.cli import main
with contextlib.suppress(SystemExit):
    main()
"""


def loaded_by(code: str) -> set[str]:
    """Top-level modules in memory after running ``code`` in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stderr.split())


@pytest.mark.parametrize(
    "code",
    ["import quorate", "import quorate; quorate.InvalidInput; dir(quorate)", HELP],
    ids=["import", "names", "help"],
)
def test_nothing_heavy_is_loaded_at_the_start(code):
    loaded = loaded_by(code)
    assert "quorate" in loaded
    assert not loaded & HEAVY


def test_the_table_of_names_and_its_typed_twin_agree():
    tree = ast.parse(Path(quorate.__file__).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    twin = {alias.asname: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    assert twin == {name: f"{home}.{name}" for name, home in quorate._HOMES.items()}


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_there_and_says_what_it_is(name):
    value = getattr(quorate, name)
    assert value is getattr(import_module(quorate._HOMES[name]), name)
    assert value.__doc__


def test_a_folder_does_not_hide_a_public_name_of_the_same_name():
    for home in set(quorate._HOMES.values()):
        import_module(home)
    assert not [name for name in NAMES if isinstance(getattr(quorate, name), ModuleType)]


def test_the_names_are_listed():
    assert dir(quorate) == sorted(quorate.__all__)
    assert quorate.__version__ == version("quorate")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'quorate' has no attribute 'reed'"):
        quorate.reed  # noqa: B018
