"""Small studies in a folder of their own."""

from __future__ import annotations

import json

import pytest
import yaml

ITEMS = [
    {"id": "q1", "prompt": "What is 2 + 2?", "response": "4"},
    {"id": "q2", "prompt": "Where is Lyon?", "response": "In France."},
    {"id": "q3", "prompt": "What is 3 + 3?", "response": "It is 7."},
]
STUDY = {"items": "items.jsonl", "judges": {"rule": {"kind": "python"}}, "prompts": ["score"], "budget": {"calls": 100}}


@pytest.fixture
def study(tmp_path):
    """A function that writes a study file, changed by its arguments, and gives its path; None leaves a setting out."""

    def write(*, rows=None, **changes):
        lines = "".join(f"{json.dumps(row)}\n" for row in (ITEMS if rows is None else rows))
        (tmp_path / "items.jsonl").write_text(lines, encoding="utf-8")
        content = {name: value for name, value in {**STUDY, **changes}.items() if value is not None}
        path = tmp_path / "study.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path

    return write
