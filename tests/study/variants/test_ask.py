import asyncio
import time
from functools import partial

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.prompt import Prompt, built_in
from quorate.errors import InvalidInput
from quorate.study.drafting import Ask, Bounds, Drafting, instruction, messages, parts_of

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
