"""Mutants of the modules of a folder, and a sample of them in which every module has its share."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

import libcst as cst
from mutmut.mutation.file_mutation import Mutation, create_mutations, deep_replace

SOURCE = Path("src")
_STRICT = re.compile(r",\s*(strict=\w+)?(?=\s*\))")


@dataclass(frozen=True)
class Mutant:
    """A module in which one expression is another."""

    path: Path
    number: int
    tree: cst.Module
    mutation: Mutation

    @property
    def module(self) -> str:
        return ".".join(self.path.relative_to(SOURCE).with_suffix("").parts)

    @property
    def key(self) -> str:
        """What a trial is kept under: it holds for the same change of the same text."""
        return f"{self.module}:{self.number}:{hashlib.sha256(self.old.encode()).hexdigest()[:12]}"

    @cached_property
    def old(self) -> str:
        return self.tree.code

    @cached_property
    def new(self) -> str:
        return deep_replace(self.tree, self.mutation.original_node, self.mutation.mutated_node).code

    @cached_property
    def diff(self) -> str:
        lines = difflib.unified_diff(self.old.splitlines(), self.new.splitlines(), lineterm="", n=1)
        return "\n".join(list(lines)[2:])

    @property
    def same(self) -> bool:
        """Whether it can change nothing: ``strict`` of a ``zip`` guards lengths that callers have made equal."""
        return _STRICT.sub("", self.old) == _STRICT.sub("", self.new)

    @property
    def statement(self) -> int | None:
        """First line of the innermost statement of a function that is changed; None for a field of a class."""
        old, new = self.old.splitlines(), self.new.splitlines()
        changed = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        around = [one for one in statements(ast.parse(self.old)) if one.lineno <= changed + 1 <= (one.end_lineno or 0)]
        return max((one.lineno for one in around), default=None)


def statements(tree: ast.AST) -> list[ast.stmt]:
    """Every statement in a function, and the functions themselves."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node for function in functions for node in ast.walk(function) if isinstance(node, ast.stmt)]


def sample(folder: Path, count: int, seed: int) -> tuple[list[Mutant], int]:
    """``count`` mutants, every so many-th of all in the order of modules, and how many there are in all.

    They come in random order, so that those that were tried when a run is stopped are a sample too.
    """
    places, trees = [], {}
    for path in sorted(folder.rglob("*.py")):
        tree, mutations, *_ = create_mutations(str(path), path.read_text())
        trees[path] = tree, mutations
        within = [at for at, one in enumerate(mutations) if one.contained_by_top_level_function is not None]
        Random(f"{seed}/{path}").shuffle(within)
        places += [(path, at) for at in within]
    step = len(places) / count
    start = Random(seed).random() * step
    drawn = [places[int(start + step * turn)] for turn in range(count)]
    Random(seed).shuffle(drawn)
    return [Mutant(path, at, trees[path][0], trees[path][1][at]) for path, at in drawn], len(places)
