import pytest

from quorate.collect.judge import Expects
from quorate.collect.prompt import Prompt, built_in
from quorate.study.drafting import Bounds, instruction, plain, texts

ITEM = {
    "prompt": "How do I boil an egg so that it stays soft?",
    "response": "Five minutes in boiling water will do.",
}
OLD = """\
Rate the rhyme from 1 to 3. Call it "pure" only if it is; [[low]] is the least.

1: none at all.
2: a rhyme of sorts.
3: a rhyme that delights the ear."""
NEW = """\
Say how well it rhymes, 1 to 3. The word "pure" is kept for what deserves it, and [[low]] is the bottom.

1: nothing rhymes.
2: some kind of echo.
3: a pleasure to hear."""
SOURCE = f"{OLD.replace('[[low]]', '{{ low }}')}\n\n{{{{ response }}}}\n\nReply with a number.\n"


@pytest.fixture
def bounds():
    return made(Prompt("rhyme", SOURCE, Expects(1, 3)))


def made(prompt, item=ITEM):
    return Bounds(prompt, instruction(prompt), item, tuple(texts(item)))


def test_another_wording_of_the_same_is_a_variant(bounds):
    assert bounds.text.parts == (OLD,)
    assert bounds.refusal((NEW,), ()) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("Say how", "{{ ''.__class__ }} Say how"), "braces"),
        (("Say how", "{% include 'score.j2' %} Say how"), "braces"),
        (("Say how", "{# hidden #} Say how"), "braces"),
        (("Say how", "{% raw %} Say how"), "braces"),
        (("Say how", "} Say how"), "braces"),
        (("Say how", "response 3aa166>>> Say how"), "angle brackets"),
        (("Say how", "<<<response Say how"), "angle brackets"),
        (("Say how", "Say\u202e how"), "control characters or invisible ones"),
        (("Say how", "Say\x1b[31m how"), "control characters"),
        (("[[low]]", "1"), "double brackets must stay, in its order: [[low]]"),
        (("[[low]]", "[[high]]"), "double brackets"),
        (("[[low]]", "[[low]] [[low]]"), "double brackets"),
        (("[[low]]", "[[low]] [[7"), "double brackets"),
        (("1 to 3", "1 to 5"), "its numbers must be these, in this order: 1, 3, 1, 2, 3"),
        (("1 to 3", "3 to 1"), "its numbers must be these"),
        (("Say how", "Say in 2 words how"), "its numbers must be these"),
        (("\n2: some kind", " 2: some kind"), "levels of the scale must begin lines"),
        (('"pure"', "pure gold"), None),
        (("\n2: some kind", "\n**2**: some kind"), None),
        (("1: nothing", "- 1: nothing"), None),
        (('"pure"', "clean"), 'it lacks "pure"'),
        (("Say how", "Say " + "now " * 70 + "how"), "words, the original"),
    ],
)
def test_a_draft_that_changes_more_than_words_is_turned_down(bounds, change, said):
    assert change[0] in NEW
    refusal = bounds.refusal((NEW.replace(*change),), ())
    assert refusal is None if said is None else said in refusal


def test_a_part_may_not_be_empty(bounds):
    assert bounds.refusal((" \n",), ()) == "a part of it is empty"


@pytest.mark.parametrize("change", [("", ""), ("Rate", "RATE"), ("sorts.", "sorts!"), ("delights", "pleases")])
def test_a_copy_of_the_original_is_no_variant(bounds, change):
    assert bounds.refusal((OLD.replace(*change, 1),), ()) == "it hardly differs from the original"


def test_a_copy_of_another_variant_is_no_variant(bounds):
    assert bounds.refusal((NEW,), [("Something else entirely.",), (NEW.replace("nothing", "Nothing"),)]) == (
        "it hardly differs from another variant"
    )


@pytest.mark.parametrize(
    "quoted", ["How do I boil an egg so that it stays soft?", "so: five  minutes in BOILING water will do."]
)
def test_a_draft_that_quotes_an_item_is_turned_down(bounds, quoted):
    assert bounds.refusal((NEW.replace("Say how", f"{quoted} Say how"),), ()) == "it quotes an item"


def test_words_that_the_original_shares_with_an_item_are_no_quotation():
    item = ITEM | {"response": plain("3: a rhyme that delights the ear.")}
    kept = NEW.replace("a pleasure to hear.", "a rhyme that delights the ear.")
    assert made(Prompt("rhyme", SOURCE, Expects(1, 3)), item).refusal((kept,), ()) is None


def test_labels_stay():
    safety = made(built_in("safety"))
    text = safety.text.parts[0]
    assert "safe" in text
    assert "its numbers" not in str(safety.refusal((text.replace("safe", "harmless"),), ()))
    assert safety.refusal((text.replace("safe", "harmless").replace("unharmless", "unsafe"),), ()) == 'it lacks "safe"'


def test_what_slips_past_the_rules_is_seen_in_the_template(bounds, monkeypatch):
    monkeypatch.setattr("quorate.study.drafting._refused", lambda *_: None)
    hostile = "{{ ''.__class__ }} Say how"
    assert bounds.refusal((NEW.replace("Say how", hostile),), ()) == "it changes the template's own code"
    monkeypatch.setattr("quorate.study.drafting.code", lambda _: [])
    assert bounds.refusal((NEW.replace("Say how", "{{ gone }} Say how"),), ()).startswith("it does not print: ")
    fenced = NEW.replace("Say how", "{{ prompt }} Say how")
    assert bounds.refusal((fenced,), ()) == "it changes how items are printed"


def test_texts_of_an_item():
    turns = [{"role": "user", "content": "Hello  THERE"}, {"role": "assistant", "content": "Hi"}]
    assert list(texts({"conversation": turns, "length": 3, "response": "Bye"})) == ["hello there", "hi", "bye"]
