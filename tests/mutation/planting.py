"""Modules whose text is another than that of their file, in this process alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


class Loader(SourceLoader):
    """One module, compiled from what it is given."""

    def __init__(self, name: str, path: Path, code: CodeType, names: Mapping[str, Any]) -> None:
        self.name, self.path, self.code, self.names = name, path, code, names

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def get_code(self, fullname: str) -> CodeType:
        return self.code

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self.names)
        exec(self.code, vars(module))


class Planted(MetaPathFinder):
    """Finds modules before Python does: what ``compiled`` gives for their file, which knows ``names``."""

    def __init__(
        self, files: Mapping[str, Path], compiled: Callable[[Path], CodeType], names: Mapping[str, Any]
    ) -> None:
        self.files, self.compiled, self.names = files, compiled, names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self.files.get(fullname)
        if file is None:
            return None
        code = self.compiled(file)
        return spec_from_file_location(fullname, file, loader=Loader(fullname, file, code, self.names))


def plant(module: str, path: Path, source: str) -> None:
    """Have ``module`` be ``source`` when it is imported."""
    code = compile(source, str(path.resolve()), "exec", dont_inherit=True)
    sys.meta_path.insert(0, Planted({module: path.resolve()}, lambda _: code, {}))


class Marks(ast.NodeTransformer):
    """Has every statement of a function say its line before it runs, and a function its own."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        for inner in ast.walk(node):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(inner, field, None)
                if isinstance(block, list) and not isinstance(inner, ast.ClassDef):
                    setattr(inner, field, self._marked(block))
        node.body.insert(0, self._mark(node))
        return node

    def _marked(self, block: list[ast.stmt]) -> list[ast.stmt]:
        marked: list[ast.stmt] = []
        for statement in block:
            new = not hasattr(statement, "marked")
            statement.marked = True  # type: ignore[attr-defined]  # a function in a function is walked twice
            marked += [self._mark(statement), statement] if new else [statement]
        return marked

    def _mark(self, at: ast.stmt) -> ast.stmt:
        place = ast.Tuple([ast.Constant(self.path), ast.Constant(at.lineno)], ast.Load())
        call = ast.Call(ast.Name("__reached__", ast.Load()), [place], [])
        mark = ast.copy_location(ast.Expr(call), at)
        mark.marked = True  # type: ignore[attr-defined]
        return ast.fix_missing_locations(mark)


def mark(files: Mapping[str, Path], reached: Callable[[tuple[str, int]], None]) -> None:
    """Have the modules ``files`` call ``reached`` with their path and line, statement by statement."""

    def compiled(path: Path) -> CodeType:
        tree = Marks(path.relative_to(Path.cwd())).visit(ast.parse(path.read_text()))
        return compile(tree, str(path), "exec", dont_inherit=True)

    named = {name: path.resolve() for name, path in files.items()}
    sys.meta_path.insert(0, Planted(named, compiled, {"__reached__": reached}))
