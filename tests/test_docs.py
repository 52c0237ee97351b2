"""Every example that a reader can see runs: code blocks of the pages, and examples in docstrings.

The blocks of one page run in order, in one name space and one empty working directory. Python blocks are executed; in
bash blocks, lines that start with ``quorate`` run through the command line and must succeed. An HTML comment on the
line before a block says what a reader need not see:

- ``<!-- exit: 2 -->``: the last command of the bash block ends with this code;
- ``<!-- skip: reason -->``: the block does not run; `SKIPPED` counts these, so that none slips in;
- ``<!-- output -->``: this text block is what the block before it prints, where ``...`` stands for anything, and
  on the last line for the rest.

A comment that starts with ``<!-- python`` on a line of its own is a Python block that is not shown.

Pages of ``docs/`` are marked ``docs``: ``make docs`` runs them. README and docstrings run with all other tests.

``QUORATE_UPDATE_DOCS=1 pytest -m docs tests/test_docs.py`` writes what blocks print into the pages instead of
comparing it; read the difference before you commit it.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [README, *DOCS]
SKIPPED = 0
UPDATE = bool(os.environ.get("QUORATE_UPDATE_DOCS"))

BLOCK = re.compile(
    r"(?:^<!-- *(?:exit: *(?P<exit>\d+)|skip: *(?P<skip>.+?)|(?P<output>output)) *-->\n\n?)?"
    r"^(?:```|<!-- *)(?P<language>python|bash|(?(output)text|bash))\n(?P<code>.*?)^(?:```|-->)$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int
    exit: int
    skip: str | None
    span: tuple[int, int]


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [block(match, text.count("\n", 0, match.start("code"))) for match in BLOCK.finditer(text)]


def block(match: re.Match[str], line: int) -> Block:
    return Block(match["language"], match["code"], line, int(match["exit"] or 0), match["skip"], match.span("code"))


def commands(code: str) -> list[list[str]]:
    lines = code.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.startswith("quorate ")]


def run_command(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Exit code of the installed command, called as its script calls it."""
    from quorate.cli import main

    monkeypatch.setattr(sys, "argv", words)
    try:
        code = main()
    except SystemExit as leaving:
        code = leaving.code
    return int(code or 0)


def run_bash(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = commands(block.code)
    codes = [run_command(words, monkeypatch) for words in asked]
    assert codes == [0 for _ in asked[:-1]] + [block.exit for _ in asked[-1:]], block.code


def check_output(block: Block, printed: str) -> None:
    same = doctest.OutputChecker().check_output(block.code, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert same, f"line {block.line}: the page shows\n{block.code}\nand the block before it prints\n{printed}"


def with_gaps(shown: str, printed: str) -> str:
    """What was printed, with the lines of the page that leave out what differs every time, such as a port.

    A page that ends with a line of ``...`` alone goes on ending after as many lines.
    """
    rows, lines = shown.splitlines(), printed.strip("\n").splitlines()
    if rows[-1:] == ["..."]:
        last = rows.pop()
        lines[len(rows) :] = [last]
    open_ = [row for row in rows if "..." in row]
    same = doctest.OutputChecker().check_output
    kept = (next((old for old in open_ if same(old, line, doctest.ELLIPSIS)), line) for line in lines)
    return "".join(f"{line}\n" for line in kept)


def update(page: Path, printed: dict[tuple[int, int], str]) -> None:
    """Write what blocks printed into the page, from the last to the first."""
    text = page.read_text(encoding="utf-8")
    for (start, end), output in sorted(printed.items(), reverse=True):
        lines = "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())
        text = text[:start] + lines + text[end:]
    page.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "page",
    [README, *(pytest.param(page, marks=pytest.mark.docs) for page in DOCS)],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names: dict[str, object] = {"__name__": "page"}
    printed: dict[tuple[int, int], str] = {}
    for block in blocks(page):
        if block.skip is not None:
            continue
        if block.language == "text" and UPDATE:
            printed[block.span] = with_gaps(block.code, capsys.readouterr().out)
        elif block.language == "text":
            check_output(block, capsys.readouterr().out)
        elif block.language == "python":
            capsys.readouterr()
            # Blank lines before the code make a traceback name the line of the page.
            exec(compile("\n" * block.line + block.code, str(page), "exec"), names)
        else:
            capsys.readouterr()
            run_bash(block, monkeypatch)
    if printed:
        update(page, printed)


def test_every_skipped_block_is_counted():
    assert sum(block.skip is not None for page in PAGES for block in blocks(page)) == SKIPPED


EXAMPLES = [path for path in sorted(SRC.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.docs
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.relative_to(SRC).as_posix())
def test_the_examples_of_a_module_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = import_module(".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__"))
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 0
    assert results.failed == 0


def test_blocks_are_read_from_a_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    found = [(block.language, block.code, block.line, block.exit, block.skip) for block in blocks(page)]
    assert found == [
        ("python", "x = 1\n", 3, 0, None),
        ("bash", "quorate a 'b c' \\\n    --d  # why\nls\n", 8, 2, None),
        ("python", "y = 1\n", 15, 0, None),
        ("bash", "quorate x\n", 21, 0, "asks a server"),
        ("text", "shown ... here\n", 30, 0, None),
    ]
    last = blocks(page)[-1]
    check_output(last, "shown  anything here\n")
    with pytest.raises(AssertionError, match="line 30"):
        check_output(last, "another thing\n")
    assert with_gaps("port ...\nmore\n...\n", "\nport 1\nless\nrest\nrest\n") == "port ...\nless\n...\n"
    assert with_gaps("port ...\nmore\n", "port 1\nmore\nrest\n") == "port ...\nmore\nrest\n"
    update(page, {last.span: "\nanother thing  \n"})
    assert blocks(page)[-1].code == "another thing\n"
    assert commands(found[1][1]) == [["quorate", "a", "b c", "--d"]]


PAGE = """\
# Page

```python
x = 1
```

<!-- exit: 2 -->
```bash
quorate a 'b c' \\
    --d  # why
ls
```

text
<!-- python
y = 1
-->


<!-- skip: asks a server -->
```bash
quorate x
```

```text
quorate no
```

<!-- output -->
```text
shown ... here
```
"""
