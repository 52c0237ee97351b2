from __future__ import annotations

import pytest

from quorate.table.families import maker, shared


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-4.1-mini", "openai"),
        ("openai/o3-mini", "openai"),
        ("Claude 3.5 Sonnet", "anthropic"),
        ("gemini-1.5-pro", "google"),
        ("Llama-3.3", "meta"),
        ("meta-llama/Llama-3-70b", "meta"),
        ("Mixtral_8x7B", "mistral"),
        ("Qwen2.5-72B", "alibaba"),
        ("deepseek-r1-distill-llama-70b", "deepseek"),
        ("someone/judge-7b", "someone"),
        ("phil", None),
        ("grokking", None),
        ("worker 12", None),
        ("a", None),
    ],
)
def test_makers(name, expected):
    assert maker(name) == expected


def test_makers_of_several():
    names = ["gpt-4o", "claude-3-opus", "gpt-4.1", "ann"]
    assert shared(names) == {"openai": ["gpt-4o", "gpt-4.1"]}
    assert not shared(["ann", "bob", "gpt-4o"])
