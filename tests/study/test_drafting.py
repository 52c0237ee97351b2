import asyncio
import time
from functools import partial

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Expects, Reply
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.prompt import BUILT_IN, Prompt, built_in
from quorate.errors import InvalidInput
from quorate.study.drafting import Ask, Bounds, Drafting, code, instruction, messages, parts_of, plain, texts

WHOLE = """\
Rate this response from {{ low }} to {{- high }}. The least is {{low}}.

Be strict.
It is the user who counts.

What was asked:

{{ prompt }}

Response:
{{ response }}
{% if reference is defined %}
Compare it with this answer: {{ reference }}
{% endif %}
{# a note #}
Length is no merit here.

Mind the marks {{ mark }}.

Reply with {"{{ name }}": N}.
"""


def prompt(source):
    return Prompt("own", source, Expects(1, 5))


@pytest.mark.parametrize("name", BUILT_IN)
def test_of_a_built_in_prompt_the_task_alone_may_change(name):
    text = instruction(built_in(name))
    assert text.worded(text.parts) == built_in(name).source
    assert len(text.parts) == 1
    assert text.words > 50
    other = text.worded(["Something else."])
    assert other == text.kept[0] + "Something else." + text.kept[1]
    assert code(other) == code(built_in(name).source)


def test_of_a_template_paragraphs_of_instructions_may_change():
    text = instruction(prompt(WHOLE))
    assert text.parts == (
        "Rate this response from [[low]] to [[high]]. The least is [[low]].\n\nBe strict.\nIt is the user who counts.",
        "Length is no merit here.",
    )
    assert text.worded(text.parts) == WHOLE
    other = text.worded(["From [[low]] to [[high]], not below [[low]].", "Two."])
    assert other.startswith("From {{ low }} to {{- high }}, not below {{low}}.\n\nWhat was asked:")
    assert "\nTwo.\n\nMind the marks {{ mark }}.\n" in other


@pytest.mark.parametrize(
    "paragraph",
    [
        *("Reply with a number only.", "Then answer in one word.", 'Use the form {"score": N}.', "End with [[N]]."),
        *("Write <score>N</score>.", "The output is JSON.", "Consider {{ response }} well."),
        *("{% if reasoned %}{% endif %}", "The response:", "7"),
    ],
)
def test_forms_of_answers_headings_and_items_stay(paragraph):
    text = instruction(prompt(f"Rate it.\n\n{paragraph}\n"))
    assert text.parts == ("Rate it.",)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{{ prompt }} {{ response }}", "no paragraph of instructions"),
        ("Rate {{ response }} from 1 to 5.", "no paragraph of instructions"),
        ("{% raw %}{{ x }}{% endraw %} Rate it.", "raw blocks"),
        ("Rate it. \ue000", "raw blocks"),
    ],
)
def test_what_cannot_be_taken_apart_is_refused(source, said):
    with pytest.raises(InvalidInput, match=said):
        instruction(prompt(source))


ITEM = {"prompt": "How do I boil an egg so that it stays soft?", "response": "Five minutes in boiling water will do."}
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


PROMPT = Prompt("own", "Rate how clear it is.\n\n{{ response }}\n", built_in("score").expects)
DRAFTS = ["Judge its clarity.", "Say whether it can be followed.", "Assess how plain the text reads."]


class Judge:
    """Replies from a list, then the last one again."""

    name = "told"

    def __init__(self, *replies):
        self.replies, self.asked = list(replies), []

    async def ask(self, request):
        self.asked.append(request)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return said(reply) if isinstance(reply, str) else reply


def said(text):
    return Reply("unparsed", text=f"<part1>{text}</part1>", cost=0.25)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "study.db") as opened:
        yield opened


@pytest.fixture
def drafted(ledger):
    """A function that asks a judge for drafts; gives what came of it, and the pauses."""
    return partial(asked_for, ledger)


def drafting(ledger, judge, number=2, tries=3, budget=None, worst=0.5, pause=asyncio.sleep, stop=None):
    bounds = Bounds(PROMPT, instruction(PROMPT), {"response": "r"}, ())
    ask = Ask(number, tries, {"temperature": 0.9}, worst, budget or Budget(calls=100), pause)
    return Drafting(judge, bounds, ask, ledger, stop=stop)


def asked_for(ledger, judge, number=2, tries=3, budget=None, worst=0.5):
    waits, before = [], ledger.spend().calls

    async def pause(seconds):
        waits.append(seconds)

    found = asyncio.run(drafting(ledger, judge, number, tries, budget, worst, pause).drafted())
    assert before or ledger.spend() == found.spend
    assert ledger.spend().calls == before + found.spend.calls
    return found, waits


def test_drafts_are_asked_for_one_by_one(drafted):
    judge = Judge(*DRAFTS)
    found, waits = drafted(judge, 3)
    assert [parts for (parts,) in found.drafts] == DRAFTS
    assert (found.shortfall, waits) == ("", [])
    assert (found.spend.calls, found.spend.money, found.spend.unpriced) == (3, 0.75, 0)
    assert len({request.key for request in judge.asked}) == 3  # a local model makes its seed from it
    assert dict(judge.asked[0].params) == {"temperature": 0.9}
    assert "<part1>\nRate how clear it is.\n</part1>" in judge.asked[0].messages[1].content


def test_a_draft_that_is_turned_down_is_asked_for_again_with_the_reason(drafted):
    judge = Judge("{{ ''.__class__ }}", DRAFTS[0], DRAFTS[1])
    found, _ = drafted(judge)
    assert len(found.drafts) == 2
    assert "turned down" not in judge.asked[0].messages[1].content
    assert (
        judge.asked[1]
        .messages[1]
        .content.endswith("An earlier wording was turned down: it has braces, which are template code.")
    )
    assert "turned down" not in judge.asked[2].messages[1].content


def test_tries_are_bounded(drafted):
    judge = Judge(DRAFTS[0])
    found, _ = drafted(judge, number=3, tries=2)
    assert len(found.drafts) == 1
    assert found.shortfall == "it hardly differs from another variant"
    assert len(judge.asked) == 1 + 2 + 2


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            Reply("truncated", text="<part1>Judge its cla"),
            "the reply was cut off; raise max_tokens in the params of the judge",
        ),
        (Reply("refused", text="I cannot."), "the judge declined"),
        (Reply("unparsed", text="Judge its clarity."), "the reply has not one text between each tag"),
        (Reply("ok", 7.0, "7"), "the reply has not one text between each tag"),
    ],
)
def test_replies_without_a_draft(drafted, reply, reason):
    found, _ = drafted(Judge(reply), number=1, tries=2)
    assert (found.drafts, found.shortfall, found.spend.calls) == ((), reason, 2)


def test_a_judge_that_does_not_answer_is_left_alone_and_then_given_up(drafted):
    wait = Reply("error", error="too many requests", retryable=True, retry_after=3, cost=0.0)
    found, waits = drafted(Judge(wait, DRAFTS[0], DRAFTS[1]))
    assert (len(found.drafts), waits) == (2, [3])
    broken = Reply("error", error="no whole answer", retryable=True)
    found, waits = drafted(Judge(broken))
    assert (found.shortfall, found.spend.calls, waits) == ("no answer (no whole answer)", 3, [1, 2])
    assert found.spend.money == 1.5  # what it may have cost at worst


@pytest.mark.parametrize(
    "reply",
    [
        Reply("error", error="wrong key", fatal=True),
        Reply("error", error="bad request"),
        Reply("error", error="later", retryable=True, retry_after=3600),
    ],
)
def test_what_asking_again_cannot_mend_ends_it(drafted, reply):
    found, waits = drafted(Judge(reply), number=3)
    assert (found.spend.calls, waits) == (1, [])
    assert found.shortfall == f"no answer ({reply.error})"


@pytest.mark.parametrize(("budget", "calls"), [(Budget(calls=2), 2), (Budget(money=0.9), 2), (Budget(money=0.2), 0)])
def test_the_budget_holds(drafted, budget, calls):
    found, _ = drafted(Judge(*DRAFTS), number=3, budget=budget)
    assert (found.spend.calls, len(found.drafts)) == (calls, calls)
    assert found.shortfall == "the budget has no room for another call"


def test_calls_of_unknown_price_are_counted(drafted):
    found, _ = drafted(Judge(Reply("unparsed", text=f"<part1>{DRAFTS[0]}</part1>")), number=1, worst=None)
    assert (found.spend.money, found.spend.unpriced) == (0.0, 1)


def test_parts_are_data():
    assert parts_of("<think><part1>no</part1></think><Part1>\n a \n</Part1> and <part2>b</part2>", 2) == ("a", "b")
    for text in ("<part1>a</part1>", "<part2>a</part2><part1>b</part1>", "<part1>a</part1>" * 3, "<part1>a", ""):
        assert parts_of(text, 2) is None
    assert parts_of(f"<part{'1' * 5000}>a</part{'1' * 5000}>", 1) is None


def test_a_reply_of_line_ends_is_read_at_once():
    for text in ("<part1>" + "\n" * 65_536 + "x", "<part1>" * 9_000, "<part1>" + " \n" * 32_768 + "</part2>"):
        began = time.process_time()
        assert parts_of(text, 1) is None
        assert time.process_time() - began < 1


def test_the_reason_that_is_told_is_bounded():
    assert len(messages(("a",), "x" * 10_000)[1].content) < len(messages(("a",))[1].content) + 350


def test_calls_that_were_made_before_count(ledger):
    assert ledger.charge(0.5, Budget())
    ledger.settle(0.5, 0.25)
    found = asyncio.run(drafting(ledger, Judge(*DRAFTS), 3, budget=Budget(calls=3, money=9)).drafted())
    assert (found.spend.calls, found.shortfall) == (2, "the budget has no room for another call")
    assert (ledger.spend().calls, ledger.spend().money) == (3, 0.75)


def test_a_call_is_counted_before_it_is_sent(ledger):
    class Killed(Judge):
        async def ask(self, _):
            assert (ledger.spend().calls, ledger.spend().money) == (1, 0.5)
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(drafting(ledger, Killed()).drafted())
    assert (ledger.spend().calls, ledger.spend().money) == (1, 0.5)


def test_it_is_stopped_after_the_call_under_way(ledger):
    stop = asyncio.Event()

    class Stopped(Judge):
        async def ask(self, request):
            stop.set()
            return await super().ask(request)

    found = asyncio.run(drafting(ledger, Stopped(*DRAFTS), stop=stop).drafted())
    assert (found.drafts, found.shortfall, found.stopped) == (((DRAFTS[0],),), "it was stopped", True)
    done = asyncio.run(drafting(ledger, Stopped(*DRAFTS), 1, stop=asyncio.Event()).drafted())
    assert (done.shortfall, done.stopped) == ("", False)


def test_a_pause_is_ended_by_a_stop(ledger):
    stop = asyncio.Event()

    async def endless(_):
        stop.set()
        await asyncio.sleep(60)

    wait = Reply("error", error="too many requests", retryable=True, retry_after=60, cost=0.0)
    began = time.monotonic()
    found = asyncio.run(drafting(ledger, Judge(wait), pause=endless, stop=stop).drafted())
    assert (found.spend.calls, found.stopped) == (1, True)
    assert time.monotonic() - began < 30


def test_what_is_paid_for_is_kept_where_the_ledger_fails(ledger, monkeypatch):
    def lost(*_):
        raise InvalidInput("ledger: the connection was lost")

    monkeypatch.setattr(ledger, "settle", lost)
    found = asyncio.run(drafting(ledger, Judge(*DRAFTS)).drafted())
    assert (found.drafts, found.shortfall) == (((DRAFTS[0],),), "ledger: the connection was lost")
