"""Columns of fields that people named."""

from __future__ import annotations

from quorate.table.exchange.foreign.records import beside, columns_of, labelled


def test_each_role_is_taken_once_and_no_name_says_another():
    fields = ["prompt", "Item", "item_id", "model", "judge", "score", "Topic", "topic", "len", "LEN", "", "a\nb"]
    columns = columns_of(fields, "scores")
    assert columns == {
        "Item": "item",
        "model": "system",
        "Topic": "category",
        "prompt": "data.prompt",
        "item_id": "data.item_id",
        "judge": "data.judge",
        "score": "data.score",
        "topic": "data.topic",
        "len": "len",
        "LEN": "data.LEN",
    }


def test_of_votes_the_models_are_fields():
    columns = columns_of(["model_left", "model_right", "question", "winner"], "votes")
    assert columns == {"model_left": "model_a", "model_right": "model_b", "question": "prompt", "winner": "data.winner"}


def test_long_texts_are_labels_in_short_or_left_out():
    columns = columns_of(["item", "answer", "n", "tags"], "scores")
    held = labelled({"item": "x" * 500, "answer": "y" * 500, "n": 3, "tags": ["a"]}, columns)
    assert held.keys() == {"item", "n"}
    assert len(str(held["item"])) <= 57


def test_beside_roles_that_the_tool_says_only_the_category_is_one():
    fields = ["model", "subset", "Topic", "topic", "a\nb", "\ud800"]
    assert beside(fields, "data") == {"model": "data.model", "subset": "category", "Topic": "data.Topic"}
