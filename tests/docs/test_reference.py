from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import quorate as q
from quorate import caveats, simulate, types
from quorate.reporting.paper.record import KEYS

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference"
NAMES = [
    name
    for page in sorted(REFERENCE.glob("*.md"))
    for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
]


def test_the_page_of_the_command_line_has_every_command(script):
    page = script("reference/cli.py").page()
    commands = re.findall(r"^## quorate (.+)$", page, re.MULTILINE)
    assert {"analyze", "compare", "doctor", "run"} <= set(commands)
    assert page.count("Also all of [Reading a file](#reading-a-file).") > 5
    assert "`--level" in page.partition("## quorate analyze")[2].partition("\n## ")[0]


def test_every_public_name_is_in_the_reference():
    fields = {"": q, **{f".{name}": getattr(q, name) for name in ("agents", "agreement", "scores", "votes")}}
    public = {f"quorate{field}.{name}" for field, module in fields.items() for name in module.__all__}
    assert public - {"quorate.__version__"} - set(NAMES) == set()
    assert {f"quorate.simulate.{name}" for name in simulate.__all__} - set(NAMES) == set()


def test_every_published_type_is_in_the_reference():
    """Types that are public names as well, such as `quorate.Votes`, stand there by these."""
    missing = {name for name in types.__all__ if f"quorate.types.{name}" not in NAMES}
    assert missing - set(q.__all__) == set()


def test_every_key_of_a_study_record_is_in_the_reference():
    page = (REFERENCE / "reporting.md").read_text(encoding="utf-8")
    rows = {name: f"| `{name}` | {key.meaning} | {', '.join(key.kinds)} |" for name, key in KEYS.items()}
    assert {name for name, row in rows.items() if row not in page} == set()


def test_every_caveat_is_in_the_reference(script):
    page = script("reference/caveats.py").page()
    source = "".join(path.read_text(encoding="utf-8") for path in Path(caveats.__file__).parent.glob("*.py"))
    codes = re.findall(r'Caveat\(\s*"([a-z-]+)"', source)
    assert len(codes) > 10
    assert {code for code in codes if f"| `{code}` |" not in page} == set()
    assert "|  |" not in page


def test_no_name_is_in_the_reference_twice():
    assert len(NAMES) == len(set(NAMES))


def test_every_name_in_the_reference_exists():
    parts = {name: name.rpartition(".") for name in NAMES}
    found = {name: getattr(import_module(home), last, None) for name, (home, _, last) in parts.items()}
    assert [name for name, one in found.items() if one is None or inspect.ismodule(one) or not one.__doc__] == []
