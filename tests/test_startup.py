"""What `import quorate` and the help of commands load, and the table of public names behind that."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from types import ModuleType

import pytest

import quorate
from quorate import agents, agreement, scores, simulate, types, votes
from quorate.lazily import homes_of
from quorate.simulate import write_demo

HEAVY = {
    *("altair", "duckdb", "httpx2", "jinja2", "narwhals", "numpy", "pandas", "polars", "pyarrow", "pydantic", "scipy"),
    *("starlette", "uvicorn", "vl_convert"),
}

HELP = """
from quorate.cli import main
assert main(["--help"]) == 0
"""
HELP_OF_COMMANDS = """
from quorate.cli import main
from quorate.cli.verbs import VERBS
for name, verb in VERBS.items():
    asked = [option.split(", ")[0].partition(" ") for option in verb.more]
    for words in ([[]] if verb.own else []) + [[option, *(["1"] if value else [])] for option, _, value in asked]:
        assert main([name, *words, "--help"]) == 0, (name, words)
"""


def loaded_by(code: str) -> set[str]:
    """Top-level modules in memory after running ``code`` in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stderr.split())


@pytest.mark.parametrize(
    "code",
    [
        "import quorate",
        "import quorate; quorate.InvalidInput; dir(quorate)",
        "import quorate.simulate",
        HELP,
        HELP_OF_COMMANDS,
    ],
    ids=["import", "names", "simulators", "help", "help of commands"],
)
def test_nothing_heavy_is_loaded_at_the_start(code):
    loaded = loaded_by(code)
    assert "quorate" in loaded
    assert not loaded & HEAVY


ANALYSIS = """
import sys
from quorate.cli import main
code = main()
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""
UNUSED = {
    *("altair", "httpx2", "narwhals", "pandas", "polars", "pyarrow", "scipy", "starlette", "vl_convert", "yaml"),
    *("quorate.cli.plan", "quorate.estimate.nominal", "quorate.collect", "quorate.decide", "quorate.estimate.labels"),
    *("quorate.numerics.links.search", "quorate.numerics.ratings", "quorate.table.read_votes", "quorate.web"),
}
"""What an analysis of scores has no use for: SciPy, other commands, formats and frames, labels, votes, drawing."""


def test_an_analysis_of_plain_scores_loads_nothing_for_anything_else(tmp_path):
    """The script as installed: arguments from the process, text that the terminal's encoding cannot show, its code."""
    path = write_demo(tmp_path / "scores.csv")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:121]))
    call = [sys.executable, "-c", ANALYSIS, "analyze", "scores.csv", "--report", "page.html", "--half-width", "0.001"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    run = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    (modules,) = run.stderr.splitlines()
    loaded = set(modules.split())
    assert run.returncode == 2
    assert r"\xb1" in run.stdout
    assert "quorate.analysis.judgments" in loaded
    assert (tmp_path / "page.html").stat().st_size > 100_000
    assert not {name for name in loaded if any(name == one or name.startswith(f"{one}.") for one in UNUSED)}
    readers = {name.removeprefix("quorate.table.exchange.foreign.") for name in loaded if ".exchange.foreign." in name}
    assert readers == {"together"}


MODULES = (quorate, agents, agreement, scores, votes, types, simulate)
HOMES = {(module, name): home for module in MODULES for name, home in homes_of(module.__name__).items()}
PUBLIC = [*HOMES]


def test_every_public_name_is_there_and_says_what_it_is():
    found = {(module, name): getattr(module, name) for module, name in PUBLIC}
    homes = {(module, name): getattr(import_module(home), name) for (module, name), home in HOMES.items()}
    assert [name for (module, name), value in found.items() if value is not homes[module, name]] == []
    assert [name for (_, name), value in found.items() if not value.__doc__] == []


def test_a_folder_does_not_hide_a_public_name_of_the_same_name():
    for home in HOMES.values():
        import_module(home)
    assert not [name for module, name in PUBLIC if isinstance(getattr(module, name), ModuleType)]


def test_every_type_that_a_public_function_returns_is_published():
    functions = [getattr(module, name) for module, name in PUBLIC if module not in (types, simulate)]
    returned = {
        name for f in functions for name in re.findall(r"\w+", getattr(f, "__annotations__", {}).get("return", ""))
    }
    assert returned - {"tuple", "int", "float", "Path", "None", "Iterator"} <= set(types.__all__)


def test_the_names_are_listed():
    assert dir(quorate) == sorted(name for module, name in PUBLIC if module is quorate)
    assert quorate.__version__ == version("quorate")


def test_an_unknown_name_is_an_attribute_error():
    for module in (quorate, types, simulate):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'reed'"):
            module.reed  # noqa: B018
