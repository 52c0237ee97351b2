"""HELM: statistics of instances, and judges of scenario_state."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from logs import read, statuses
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput, UnknownTerm


def stat(name, mean, split="test", count=1):
    return {"name": {"name": name, "split": split}, "count": count} | ({"mean": mean} if count else {})


def record(item, *stats, **more):
    return {"instance_id": item, "train_trial_index": 0, "stats": [*stats, stat("num_references", 4)]} | more


def request(item, **annotations):
    return {"instance": {"id": item, "split": "test"}, "train_trial_index": 0, "annotations": annotations}


SPEC = {"name": "quiz:subject=art,model=x_y", "adapter_spec": {"model": "x/y"}}
STATS = [
    record("id1", stat("exact_match", 1.0)),
    record("id1", stat("exact_match", 0.0), perturbation={"name": "typos"}),
    record("id2", stat("exact_match", None, count=0)),
    record("id3"),
]
STATE = {
    "request_states": [
        request("id1", harm={"gpt_score": 1.0, "gpt_reasoning": "", "llama_score": None, "llama_reasoning": ""}),
        request("id2", harm={"gpt_score": 0.5, "gpt_reasoning": "", "prompt_text": "?"}),
        {"instance": {"id": "id3"}},
    ]
}


EQUIVALENT = {
    "request_states": [
        request("id1", omni={"gpt_equivalence_judgement": True, "gpt_justification": "", "llama_score": 3}),
        request("id2", omni={"gpt_equivalence_judgement": None, "gpt_justification": ""}),
        request("id3", omni={"prompt_text": None, "empty_output_equivalence_judgement": False}),
    ]
}


@pytest.fixture
def run_folder(tmp_path):
    def writer(stats=STATS, state=None, name="run", spec=SPEC):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        held = {"run_spec": spec, "per_instance_stats": stats, "scenario_state": state}
        for file, value in held.items():
            if value is not None:
                (folder / f"{file}.json").write_text(value if isinstance(value, str) else json.dumps(value))
        return folder

    return writer


@pytest.mark.slow
def test_a_statistic_by_instance_and_perturbation(run_folder):
    table = read(run_folder())
    assert table.facet("prompt").levels == ("original", "typos")
    assert (table.facet("system").levels, table.facet("category").levels) == (("x/y",), ("quiz:subject=art",))
    assert statuses(table) == {"ok": 2, "missing": 2}
    assert "score = statistic exact_match" in table.notes


def test_only_the_split_test_counts_where_it_is_there(run_folder):
    stats = [record("a", stat("f1_score", 0.5)), {"instance_id": "b", "stats": [stat("f1_score", 0, "valid")]}]
    table = read(run_folder(stats))
    assert (table.n_answers, "1 instance of the split valid left out: only test counts" in table.notes) == (1, True)
    assert read(run_folder(stats[1:])).n_answers == 1


def test_judges_come_from_their_own_words(run_folder):
    table = read(run_folder([record("id1", stat("safety_score", 0.75))], STATE))
    assert table.facet("judge").levels == ("gpt", "llama")
    assert statuses(table) == {"ok": 2, "unparsed": 1, "missing": 1}
    averaged = read(run_folder([record("id1", stat("safety_score", 0.75))], STATE), part="safety_score")
    assert [one.code for one in averaged.source.caveats] == ["averages-of-judges"]


def test_a_jury_has_criteria(run_folder):
    jury = {"gpt": {"tone": {"score": 3, "explanation": ""}, "truth": {"score": 5}}, "llama": {"tone": {"score": 2}}}
    folder = run_folder(state={"request_states": [request("id1", wild=jury, toxic={"score": 0.1})]})
    with pytest.raises(InvalidInput, match=r"3 metrics.*wild\.tone \(2, 2 to 3\); wild\.truth \(1, 5 to 5\); toxic"):
        read(folder)
    table = read(folder, part="wild.tone,wild.truth")
    assert (table.n_answers, table.facet("metric").levels) == (3, ("wild.tone", "wild.truth"))
    assert read(folder, part="toxic").facet("judge").levels == ("toxic",)


@pytest.mark.slow
def test_runs_of_several_scenarios_are_one_table(run_folder, tmp_path):
    run_folder(name="one")
    run_folder(name="two", spec={"name": "other:model=x_y", "adapter_spec": {"model": "x/y"}})
    assert read(tmp_path).n_levels("item") == 6
    run_folder(name="three")
    with pytest.raises(InvalidData, match=r"one and three both have category quiz:subject=art, item id1|both have"):
        read(tmp_path)


def test_statistics_without_their_folder_have_no_model(run_folder, tmp_path):
    path = tmp_path / "stats.json"
    path.write_text(json.dumps(STATS))
    table = read(path)
    assert "system" not in table.names
    assert "no run_spec.json beside it: the model is not known" in table.notes


def test_what_is_not_understood_is_named(run_folder):
    with pytest.raises(InvalidData, match=r"record 1: mean of exact_match is \"x\"; a number"):
        read(run_folder([record("a", stat("exact_match", "x"))]))
    with pytest.raises(InvalidData, match="record 1 has no instance_id"):
        read(run_folder([{"stats": []}]))
    with pytest.raises(InvalidData, match="holds no statistic"):
        read(run_folder([]))
    with pytest.raises(UnknownTerm, match='no metric "x"'):
        read(run_folder(), part="x")


BROKEN = st.one_of(
    st.tuples(mutants(STATS), st.just(None), st.just(SPEC)),
    st.tuples(st.just(STATS), mutants(STATE), st.just(SPEC)),
    st.tuples(st.just(STATS), st.just(None), mutants(SPEC)),
)


@given(files=BROKEN)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_broken_run_is_a_table_or_one_line(run_folder, files):
    stats, state, spec = files
    reads_or_refuses(run_folder(stats, state, spec=spec), format="helm")


@pytest.mark.parametrize(
    ("name", "part", "rows", "mean"),
    [
        ("mmlu", "exact_match", 9, 0.111111),
        ("narrative_qa", "f1_score", 4, 0.174242),
        ("commonsense", "exact_match", 10, 0.3),
    ],
)
def test_published_runs(shared, name, part, rows, mean):
    (folder,) = (shared / "data" / "formats" / "helm").glob(f"{name}*")
    table = read(folder, part=part)
    assert (table.n_answers, int(table.rows.sum())) == (rows, rows)
    assert np.average(table.mean, weights=table.n) == pytest.approx(mean, abs=5e-7)


def test_both_splits_pooled_are_what_the_tool_does_not_report(shared):
    """The pooled figures are of valid and test together; we read test alone, as its leaderboards do."""
    (folder,) = (shared / "data" / "formats" / "helm").glob("mmlu*")
    every = json.loads((folder / "per_instance_stats.json").read_text())
    hits = [one["mean"] for row in copy.copy(every) for one in row["stats"] if one["name"]["name"] == "exact_match"]
    assert (len(hits), np.mean(hits)) == (10, pytest.approx(0.1))


def test_verdicts_of_every_shape_and_of_nobody(run_folder):
    table = read(run_folder(state=EQUIVALENT))
    assert table.facet("judge").levels == ("gpt", "llama")
    assert statuses(table) == {"ok": 2, "unparsed": 1, "missing": 3}
    assert sorted(table.mean[table.n > 0].tolist()) == [1, 3]
