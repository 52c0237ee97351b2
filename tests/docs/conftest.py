from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(scope="session")
def script() -> Callable[[str], ModuleType]:
    """A function that loads a script of the docs, which are no package."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"docs_{Path(name).stem}", DOCS / name)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
