import asyncio

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.prompt import Prompt, built_in
from quorate.study.variants_ask import Ask, Drafting, messages, parts_of
from quorate.study.variants_check import Bounds
from quorate.study.variants_text import instruction

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


def drafted(judge, number=2, tries=3, budget=None, worst=0.5):
    waits = []

    async def pause(seconds):
        waits.append(seconds)

    bounds = Bounds(PROMPT, instruction(PROMPT), {"response": "r"}, ())
    ask = Ask(number, tries, {"temperature": 0.9}, worst, budget or Budget(calls=100), pause)
    return asyncio.run(Drafting(judge, bounds, ask).drafted()), waits


def test_drafts_are_asked_for_one_by_one():
    judge = Judge(*DRAFTS)
    found, waits = drafted(judge, 3)
    assert [parts for (parts,) in found.drafts] == DRAFTS
    assert (found.shortfall, waits) == ("", [])
    assert (found.spend.calls, found.spend.money, found.spend.unpriced) == (3, 0.75, 0)
    assert len({request.key for request in judge.asked}) == 3  # a local model makes its seed from it
    assert dict(judge.asked[0].params) == {"temperature": 0.9}
    assert "<part1>\nRate how clear it is.\n</part1>" in judge.asked[0].messages[1].content


def test_a_draft_that_is_turned_down_is_asked_for_again_with_the_reason():
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


def test_tries_are_bounded():
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
def test_replies_without_a_draft(reply, reason):
    found, _ = drafted(Judge(reply), number=1, tries=2)
    assert (found.drafts, found.shortfall, found.spend.calls) == ((), reason, 2)


def test_a_judge_that_does_not_answer_is_left_alone_and_then_given_up():
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
def test_what_asking_again_cannot_mend_ends_it(reply):
    found, waits = drafted(Judge(reply), number=3)
    assert (found.spend.calls, waits) == (1, [])
    assert found.shortfall == f"no answer ({reply.error})"


@pytest.mark.parametrize(("budget", "calls"), [(Budget(calls=2), 2), (Budget(money=0.9), 2), (Budget(money=0.2), 0)])
def test_the_budget_holds(budget, calls):
    found, _ = drafted(Judge(*DRAFTS), number=3, budget=budget)
    assert (found.spend.calls, len(found.drafts)) == (calls, calls)
    assert found.shortfall == "the budget has no room for another call"


def test_calls_of_unknown_price_are_counted():
    found, _ = drafted(Judge(Reply("unparsed", text=f"<part1>{DRAFTS[0]}</part1>")), number=1, worst=None)
    assert (found.spend.money, found.spend.unpriced) == (0.0, 1)


def test_parts_are_data():
    assert parts_of("<think><part1>no</part1></think><Part1>\n a \n</Part1> and <part2>b</part2>", 2) == ("a", "b")
    for text in ("<part1>a</part1>", "<part2>a</part2><part1>b</part1>", "<part1>a</part1>" * 3, "<part1>a", ""):
        assert parts_of(text, 2) is None
    assert parts_of(f"<part{'1' * 5000}>a</part{'1' * 5000}>", 1) is None


def test_the_reason_that_is_told_is_bounded():
    assert len(messages(("a",), "x" * 10_000)[1].content) < len(messages(("a",))[1].content) + 350
