"""One runner in a process of its own, ``python loopback_run.py OPTIONS``: options and outcome are JSON."""

from __future__ import annotations

import json
import sys
import time

import httpx2

from quorate.collect.budget import Budget
from quorate.collect.judge import Expects, Message, Reply, Request
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Limits, Pace
from quorate.collect.runner.run import collect, run

SCALE = Expects(1, 10)


class Loopback:
    """A judge without any parsing to speak of."""

    def __init__(self, name: str, port: int, most: int, cost: float | None) -> None:
        self.name, self.cost, self.url = name, cost, f"http://127.0.0.1:{port}/v1/chat/completions"
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most)
        self.client = httpx2.AsyncClient(limits=limits, timeout=30, trust_env=False)

    async def ask(self, request: Request) -> Reply:
        started = time.perf_counter()
        content = {"messages": [{"role": turn.role, "content": turn.content} for turn in request.messages]}
        try:
            answer = await self.client.post(self.url, json=content)
        except httpx2.HTTPError as error:
            return Reply("error", retryable=True, error=repr(error))
        text = answer.json()["choices"][0]["message"]["content"]
        score = float(json.loads(text)["score"])
        return Reply("ok", score, text, cost=self.cost, latency=time.perf_counter() - started)

    async def close(self) -> None:
        await self.client.aclose()


def build(cell) -> Request:
    return Request(cell.key, (Message("user", f"{cell.key}\nRate {cell.levels['item']}."),), {}, SCALE, cell.judge)


async def main(options, stop) -> dict[str, object]:
    most = options.get("concurrency", 64)
    with Ledger.open(options["path"]) as ledger:
        judges = {one.judge: Loopback(one.judge, options["port"], most, options.get("cost")) for one in ledger.status()}
        limits = Limits(pace=Pace(most), **options.get("limits", {}))
        budget = Budget(**options.get("budget", {}))
        say("started")
        outcome = await collect(ledger, judges, build, limits=limits, budget=budget, stop=stop)
        for judge in judges.values():
            await judge.close()
    return {"ended": outcome.ended.name, "finished": outcome.finished, "left": outcome.left, "seconds": outcome.seconds}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    say(json.dumps(run(lambda stop: main(json.loads(sys.argv[1]), stop))))
