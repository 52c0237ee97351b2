"""Logs of other tools, as files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from logs import json_lines


@pytest.fixture
def write_lines(tmp_path) -> Callable[..., Path]:
    """Writes records as lines."""

    def write(*records: object, name: str = "log.jsonl") -> Path:
        path = tmp_path / name
        path.write_text(json_lines(records))
        return path

    return write


@pytest.fixture
def write_json(tmp_path) -> Callable[..., Path]:
    """Writes a value as one JSON text."""

    def write(value: object, name: str = "log.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value))
        return path

    return write
