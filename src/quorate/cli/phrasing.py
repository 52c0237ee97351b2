"""Messages of the library in the words of the command line."""

from __future__ import annotations

import re

_OPTIONS = (
    (r'\bfacets=\{"([^"]*)": \.\.\.\}', r"--facet \1=COLUMN"),
    (r"\bfacets=\{\.\.\.\}", "--facet ROLE=COLUMN"),
    (r'\bnested=\{"([^"]*)": "([^"]*)"\}', r"--nested \1=\2"),
    (r'\bstatus=""', '--status ""'),
    (r'\bstatus="\.\.\."', "--status COLUMN"),
    (r"\bfixed=\(\)", '--fixed ""'),
    (r'\b(\w+)="(panel|population)"', r"--target \1=\2"),
    (r'\blayout="(\w+)"', r"--layout \1"),
    (r"\bidentities=\{judge: system\}", "--identity JUDGE=SYSTEM"),
    (r'\bgeneration="\.\.\."', "--generation ROLE"),
    (r'\bgeneration="(\w+)"', r"--generation \1"),
    (r'\bname (it|the column): (\w+)="\.\.\."', r"name \1: --role \2=COLUMN"),
    (r'\border="(\w+)"', r"--role order=\1"),
    (r'\bcluster="(\w+)"', r"--cluster \1"),
    (r'\bmethod="(\w+)"', r"--method \1"),
    (r'\bin by="\.\.\."', "with --by ROLE"),
    (r'\bby="([^"]*\s[^"]*)"', r'--by "\1"'),
    (r'\bscale="(\w+)"', r"--scale \1"),
    (r"\b(margin|regularisation|resamples|threshold)=([0-9]*\.?[0-9]+)", r"--\1 \2"),
    (r"^win_rate:", "--win-rate:"),
    (r'\bread (it|them|the votes) with (\w+)=("its column"|\B)', r"read \1 with --role \2=COLUMN"),
    (r'\bwith ties="(\w+)"', r"with --ties \1"),
    (
        r'\boutcomes=\{"a": \.\.\., "b": \.\.\., "tie": \.\.\.\}',
        "--outcome a=LABEL --outcome b=LABEL --outcome tie=LABEL",
    ),
    (r"\bforce=True\b", "--force"),
    (r"\blower minimum\b", "lower --minimum"),
    (r"\braise minimum\b", "raise --minimum"),
    (r"\bprices=\{\"judge\": \{name: usd\}\}", "--judge-price NAME=USD"),
)


def in_options(message: str) -> str:
    """A message with arguments of functions written as the options that stand for them.

    Examples
    --------
    >>> in_options('name it in facets={...}, or read with fixed=()')
    'name it in --facet ROLE=COLUMN, or read with --fixed ""'
    """
    for pattern, option in _OPTIONS:
        message = re.sub(pattern, option, message)
    return message


def columns(note: str) -> str:
    """What reading took for granted, without the word that says so each time.

    Examples
    --------
    >>> columns("judge = column judge_model")
    'judge = judge_model'
    """
    return note.replace(" = column ", " = ", 1)
