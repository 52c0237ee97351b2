"""JSON read from its blocks: the same as read whole, wherever a block ends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.inspect.attempts import Streamed

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def streamed(text, size=1 << 18):
    return Streamed(iter([text[start : start + size] for start in range(0, len(text), size)]), "log")


@given(st.dictionaries(st.text(max_size=2), VALUES), st.integers(1, 9), st.booleans(), st.booleans())
def test_wherever_a_block_ends(value, size, ascii_only, indented):
    """Fields that are wanted are read, and others passed over, texts with quotes, brackets and backslashes included."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2 if indented else None).encode()
    wanted = {key for place, key in enumerate(value) if place % 2}
    assert streamed(text, size).fields(wanted) == {key: value[key] for key in value if key in wanted}
    whole = streamed(b"[" + text + b" , 7]", size)
    elements = whole.elements()
    next(elements)
    assert whole.fields(set(), whole=True) == {}
    assert [whole.value() for _ in elements] == [7]


def test_what_follows_is_not_read_once_all_is_found():
    def blocks():
        yield b'{"id": 1, "scores": {"a": NaN}, "events": ['
        raise AssertionError("read on")

    assert str(Streamed(blocks(), "log").fields({"id", "scores"})) == "{'id': 1, 'scores': {'a': nan}}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a": "half', "log: is cut off"),
        (b'{"a": [1, 2', "log: is cut off"),
        (b'{"a": 1', "log: is cut off"),
        (b"", "log: is cut off"),
        (b"[1]", r"log: is not JSON at byte 0 \(b'\[' where b'{' is needed\)"),
        (b'{"a": tru}', r"log: is not JSON at byte 9 \(Expecting value\)"),
        (b'{"a" 1}', r"log: is not JSON at byte 5"),
        (b'{"a": 1 "b": 2}', r"log: is not JSON at byte 9"),
        (b"{1: 2}", "a key is no text"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number with too many digits"),
    ],
)
def test_what_is_not_json_is_one_line(text, said):
    with pytest.raises(InvalidData, match=said) as caught:
        streamed(text).fields({"a", "b"})
    assert "\n" not in str(caught.value)


def test_a_list_of_nothing():
    assert list(streamed(b"[ ]").elements()) == []
    assert streamed(b" { } ").fields({"a"}) == {}
