"""The panel in Inspect AI itself, with mock models, and the same answers in the project's own runner."""

from __future__ import annotations

import csv
from collections import Counter
from hashlib import sha256

import numpy as np
import pytest

import quorate as q
from quorate.study.inspect.deal import Deal

pytestmark = [pytest.mark.inspect, pytest.mark.filterwarnings("ignore")]
JUDGES = ("alpha", "beta", "gamma")
ITEMS = [f"q{number:02d}" for number in range(30)]


def recorded(item: str, judge: str, asked: object = ()) -> int:
    """What a judge says of an item: an item's quality, a judge's severity and noise."""
    rng = np.random.default_rng(int.from_bytes(sha256(f"{item}{judge}{asked}".encode()).digest()[:8]))
    quality = np.random.default_rng(int.from_bytes(sha256(item.encode()).digest()[:8])).normal(5, 1.5)
    return int(np.clip(round(quality + JUDGES.index(judge) + rng.normal(0, 1)), 1, 10))


@pytest.fixture(scope="module")
def times():
    """Inspect AI, with a provider of judges whose answers are recorded; how often each question was asked."""
    pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelAPI, ModelOutput, modelapi

    times = Counter()

    @modelapi(name="recorded")
    class Recorded(ModelAPI):
        async def generate(self, input, **_settings):  # noqa: A002  (its name in Inspect)
            text = input[-1].text
            item = next(item for item in ITEMS if f"about {item}." in text)
            if item == "q07" and self.model_name == "beta":
                raise RuntimeError("the provider is down")
            key = (item, self.model_name, text)
            again = times[key], "reasoning" in text
            times[key] += 1
            asked = () if again == (0, False) else again
            said = "no idea" if item == "q08" else f'{{"score": {recorded(item, self.model_name, asked)}}}'
            return ModelOutput.from_content(self.model_name, said)

    return times


def evaluated(times, folder, *, epochs=1, items=ITEMS, **options):
    """The finished log of a task whose answers name their items."""
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer._scorer import scorer_create
    from inspect_ai.solver import solver

    @solver
    def answers():
        async def solve(state, generate):
            state.output.completion = f"An answer about {state.sample_id}."
            return state

        return solve

    times.clear()
    judges = [f"recorded/{judge}" for judge in JUDGES]
    task = inspect_ai.Task(
        dataset=[Sample(input="Tell me.", id=item) for item in items],
        solver=answers(),
        scorer=scorer_create("quorate/panel", judges=judges, **options),
        epochs=epochs,
    )
    (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


def metrics(log):
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def test_a_crossed_panel_gives_what_our_own_runner_gives(times, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    items = [item for item in ITEMS if item not in ("q07", "q08")]
    log = evaluated(times, tmp_path / "logs", items=items, layout="factorial")
    ours = q.read(tmp_path / "logs", announce=False)
    lines = [f"{item},score,{judge},{recorded(item, judge)}\n" for item in items for judge in JUDGES]
    (tmp_path / "table.csv").write_text("item,prompt,judge,score\n" + "".join(lines))
    (tmp_path / "items.jsonl").write_text(
        "".join(f'{{"item": "{item}", "prompt": "Tell me.", "response": "{item}"}}\n' for item in items)
    )
    study = "items: {file: items.jsonl, id: item}\nprompts: [score]\nlayout: factorial\nbudget: {calls: 1000}\n"
    study += "ledger: run.db\njudges:\n"
    study += "".join(f"  {judge}: {{kind: replay, table: table.csv}}\n" for judge in JUDGES)
    (tmp_path / "study.yaml").write_text(study)
    from quorate.cli import main

    assert main(["run", str(tmp_path / "study.yaml"), "--yes"]) == 0
    theirs = q.read(tmp_path / "run.db", announce=False)
    one, other = q.decompose(ours).mean, q.decompose(theirs).mean
    assert (one.value, one.se) == pytest.approx((other.value, other.se), rel=1e-9)
    found = metrics(log)
    assert (found["mean"], found["standard_error"]) == pytest.approx((other.value, other.se), rel=1e-9)
    assert main(["analyze", str(tmp_path / "logs")]) == 0
    assert (found["low"], found["high"]) == pytest.approx(other.ends, rel=1e-9)


@pytest.mark.parametrize("layout", ["cyclic", "latin"])
def test_only_judges_that_the_layout_gives_are_asked(times, tmp_path, layout):
    log = evaluated(times, tmp_path, layout=layout, prompts=["score", "score-reasoned"], replicates=2)
    table = q.read(tmp_path, announce=False)
    each = 4 if layout == "cyclic" else 2
    assert int(table.rows.sum()) == each * len(ITEMS)
    counts = {status: int(rows.sum()) for status, rows in table.status.items() if rows.any()}
    assert (counts["unparsed"], "missing" in counts) == (each, False)
    shares = np.bincount(table.column("judge"), weights=table.rows) / table.rows.sum()
    assert shares.min() > 0.1
    estimate = q.decompose(table).mean
    found = metrics(log)
    assert (found["mean"], found["standard_error"]) == pytest.approx((estimate.value, estimate.se))


@pytest.mark.parametrize(("layout", "per_item"), [("cyclic", None), ("latin", None), ("blocks", 2)])
def test_dealt_cells_asked_again_by_our_own_runner_give_the_same_estimate(times, tmp_path, layout, per_item):
    items, prompts = [item for item in ITEMS if item not in ("q07", "q08")], ("score", "score-reasoned")
    options = {"layout": layout, "per_item": per_item, "replicates": 2, "seed": 7}
    log = evaluated(times, tmp_path / "logs", items=items, prompts=list(prompts), **options)
    deal = Deal([f"recorded/{judge}" for judge in JUDGES], prompts, **options)
    cells = {(item, judge, prompt) for item in items for judge, prompt, _ in deal.calls(item, 1)}
    votes = q.read(tmp_path / "logs", announce=False).write(tmp_path / "votes.csv").path
    with votes.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["item"], row["judge"], row["prompt"]) for row in rows} == cells
    names = ["item", "prompt", "judge", "replicate", "score"]
    with (tmp_path / "table.csv").open("w", newline="") as stream:
        table = csv.DictWriter(stream, names, extrasaction="ignore")
        table.writeheader()
        table.writerows({**row, "judge": row["judge"].removeprefix("recorded/")} for row in rows)
    lines = (f'{{"item": "{item}", "prompt": "Tell me.", "response": "{item}"}}\n' for item in items)
    (tmp_path / "items.jsonl").write_text("".join(lines))
    study = f"items: {{file: items.jsonl, id: item}}\nprompts: [{', '.join(prompts)}]\nlayout: factorial\n"
    study += "replicates: 2\nbudget: {calls: 1000}\njudges:\n"
    study += "".join(f"  {judge}: {{kind: replay, table: table.csv}}\n" for judge in JUDGES)
    (tmp_path / "study.yaml").write_text(study)
    ours, found = q.decompose(q.run(tmp_path / "study.yaml")).mean, metrics(log)
    assert (found["mean"], found["standard_error"]) == pytest.approx((ours.value, ours.se), rel=1e-9)
    assert (found["low"], found["high"]) == pytest.approx(ours.ends, rel=1e-9)


def test_failures_are_statuses(times, tmp_path):
    evaluated(times, tmp_path, layout="factorial")
    table = q.read(tmp_path, announce=False)
    counts = {status: int(rows.sum()) for status, rows in table.status.items() if rows.any()}
    assert counts == {"ok": 86, "unparsed": 3, "error": 1}


def test_epochs_are_generations_and_a_reducer_takes_no_votes(times, tmp_path):
    found = metrics(evaluated(times, tmp_path, epochs=3))
    table = q.read(tmp_path, announce=False)
    assert ("generation" in table.names, int(table.rows.sum())) == (True, 90)
    estimate = q.decompose(table).mean
    assert (found["mean"], found["standard_error"]) == pytest.approx((estimate.value, estimate.se))
