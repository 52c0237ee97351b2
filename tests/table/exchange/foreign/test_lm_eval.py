"""lm-evaluation-harness: a metric of every document."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from logs import json_lines, read
from mutants import mutants, reads_or_refuses

from quorate.errors import InvalidData, InvalidInput, UnknownTerm

TIME = "2026-01-02T03-04-05.678901"


def sample(document=0, *, by="none", resps=(("x",),), **scores):
    scores = scores or {"acc": 1.0}
    return {
        "doc_id": document,
        "doc": {"id": f"q{document}", "question": "What?" * 20, "topic": "ab"[document % 2], "level": document % 2},
        "resps": [list(one) for one in resps],
        "filtered_resps": ["x"],
        "filter": by,
        "metrics": list(scores),
        "doc_hash": f"hash {document}",
        **scores,
    }


def results(**changed):
    return {"results": {"t": {"alias": "t", "acc,none": 1.0}}, "configs": {}, "n-shot": {"t": 0}} | changed


@pytest.fixture
def write(tmp_path):
    def writer(*lines, task="t", model="m", time=TIME, about=None):
        folder = tmp_path / model
        folder.mkdir(exist_ok=True)
        path = folder / f"samples_{task}_{time}.jsonl"
        path.write_text(json_lines(lines))
        if about is not None:
            (folder / f"results_{time}.json").write_text(json.dumps(about))
        return path

    return writer


def mean(table):
    return float((table.n * np.nan_to_num(table.mean)).sum() / table.n.sum())


def test_the_model_is_named_by_the_results_or_else_the_folder(write, tmp_path):
    lines = [sample(document) for document in range(4)]
    path = write(*lines)
    assert read(path).facet("system").levels == ("m",)
    write(*lines, about=results(model_name="org/m"))
    for place in (path, path.parent, path.parent / f"results_{TIME}.json"):
        table = read(place)
        assert table.facet("system").levels == ("org/m",)
        assert table.facet("item").levels[0] == "t 0"
        assert table.facet("category").levels == ("a", "b")
        assert "not used: document.level" in table.notes
    alone = tmp_path / "lines.jsonl"
    alone.write_text(path.read_text())
    assert "system" not in read(alone).names


def test_files_named_after_their_models_are_systems_on_the_same_documents(write, tmp_path):
    lines = [sample(document) for document in range(4)]
    others = [line | {"doc": {"id": f"other {line['doc_id']}"}} for line in lines]
    one, two, other = (tmp_path / f"samples_{name}.jsonl" for name in ("t_small", "t_large", "t_other"))
    for file, held in ((one, lines), (two, lines), (other, others)):
        file.write_text(write(*held).read_text())
    table = read([one, two])
    assert (table.facet("system").levels, table.n_levels("item")) == (("t_large", "t_small"), 4)
    with pytest.raises(InvalidData, match="not the same"):
        read([one, other])


def test_a_document_longer_than_what_is_looked_at_is_told(write):
    long = sample(0)
    long["doc"]["context"] = "x" * 200_000
    path = write(long, sample(1))
    assert read(path).n_answers == read(path.parent).n_answers == 2


def test_models_are_one_table(write, tmp_path):
    for model in ("x", "y"):
        write(sample(0), sample(1, acc=0.0), model=model)
    assert read(tmp_path).n_levels("system") == 2
    write(sample(0) | {"doc_hash": "of the prompt too"}, model="z")
    assert read(tmp_path).n_levels("system") == 3
    write(sample(0) | {"doc": {"id": "other"}}, model="z")
    with pytest.raises(InvalidData, match=r"item t 0 is not the same in (x|z) and (x|z): they are of two versions"):
        read(tmp_path)


@pytest.mark.parametrize("changed", [{}, {"doc_hash": "other"}])
def test_where_no_document_is_written_its_hash_says_which_it_is(write, tmp_path, changed):
    bare = {key: value for key, value in sample(0).items() if key != "doc"}
    write(bare, model="x")
    write(bare | changed, model="y")
    if not changed:
        assert read(tmp_path).n_levels("system") == 2
    else:
        with pytest.raises(InvalidData, match="not the same"):
            read(tmp_path)


def test_several_metrics_and_filters_are_never_pooled_in_silence(write):
    scores = {"acc": 1.0, "acc_norm": 0.0}
    path = write(*(sample(n, by=name, **scores) for n in range(2) for name in ("strict", "loose")))
    with pytest.raises(InvalidInput, match=r'4 scores, .*part="t, acc, strict"'):
        read(path)
    assert (read(path, part="acc, strict").n_answers, mean(read(path, part="t, acc_norm, loose"))) == (2, 0)
    with pytest.raises(InvalidInput, match="2 scores"):
        read(path, part="acc")
    both = read(path, part="acc, acc_norm, strict, loose")
    assert (both.facet("judge").levels, both.facet("prompt").levels) == (("acc", "acc_norm"), ("loose", "strict"))
    with pytest.raises(UnknownTerm, match='no task, metric or filter "f1"'):
        read(path, part="f1")


def test_tasks_of_one_metric_are_categories(write):
    write(sample(0), sample(1), task="t")
    path = write(sample(0, acc=True), sample(1, acc=None), task="u")
    table = read(path.parent)
    assert table.facet("category").levels == ("t", "u")
    assert (table.n_answers, table.n_levels("item")) == (3, 4)
    assert read(path.parent, part="u").n_levels("item") == 2


def test_notes_say_what_the_results_know(write):
    about = results(**{"n-samples": {"t": {"original": 500}}, "higher_is_better": {"t": {"acc": False}}})
    notes = read(write(sample(0, resps=[("x", "y")]), sample(1), about=about)).notes
    assert "t: 2 of 500 documents are there" in notes
    assert "t: answered several times, with one score for all: there are no replicates" in notes
    assert "acc: lower is better" in notes


def test_metrics_of_all_documents_together_are_refused(write):
    path = write(sample(0, f1=[0, 1], word_perplexity=[-14.75, 2], bypass=999))
    with pytest.raises(InvalidData, match=r"no score of single documents; .*BLEU: f1, word_perplexity"):
        read(path)


def test_a_document_twice_and_results_alone_are_refused(write):
    path = write(sample(0))
    write(sample(0), time="2026-01-03T03-04-05.678901")
    with pytest.raises(InvalidData, match=r"both have document 0 of t; name the file of one of the runs"):
        read(path.parent)
    alone = path.parent / "results_2027-01-03T03-04-05.678901.json"
    alone.write_text(json.dumps(results()))
    with pytest.raises(InvalidInput, match="run with --log_samples"):
        read(alone)


def test_published_figures(shared):
    folder = shared / "data" / "formats" / "lm-eval"
    facts = read(folder / "facts", part="exact_match, strict, flexible")
    assert int(facts.rows.sum()) == 48
    means = {
        (system, name): round(mean(facts.only("system", system).only("prompt", name)), 6)
        for system in ("amber", "basalt")
        for name in ("strict", "flexible")
    }
    assert list(means.values()) == [0.583333, 0.666667, 0.833333, 0.916667]
    for metric, amber, basalt in (("acc", 1.0, 0.916667), ("acc_norm", 0.666667, 0.583333)):
        table = read(folder / "facts", part=metric)
        assert table.n_answers == 24
        assert [round(mean(table.only("system", name)), 6) for name in ("amber", "basalt")] == [amber, basalt]
    with pytest.raises(InvalidData, match="bits_per_byte, byte_perplexity, word_perplexity"):
        read(folder / "facts", part="facts_ppl")
    with pytest.raises(InvalidInput, match="the log has 4 scores"):
        read(folder / "facts")
    perturbed = read(folder / "math-perturbed")
    assert (perturbed.n_answers, mean(perturbed)) == (10, 0)
    assert "math_perturbed_full: 10 of 5,000 documents are there" in perturbed.notes


@given(mutants([sample(0), sample(1, by="loose", acc=[1, 2], f1=None)], lines=True))
def test_whatever_is_in_its_lines(tmp_path_factory, block):
    folder = tmp_path_factory.getbasetemp()
    (folder / f"results_{TIME}.json").write_text(json.dumps(results(model_name="m")))
    reads_or_refuses(folder / f"samples_t_{TIME}.jsonl", block, format="lm-eval")


ABOUT = results(model_name="m", **{"n-samples": {"t": {"original": 5}}, "higher_is_better": {"t": {"acc": False}}})


@given(mutants(ABOUT))
def test_whatever_is_in_its_results(tmp_path_factory, block):
    folder = tmp_path_factory.getbasetemp() / "lm-eval-results"
    folder.mkdir(exist_ok=True)
    (folder / f"samples_t_{TIME}.jsonl").write_text(json.dumps(sample(0)) + "\n" + json.dumps(sample(1)))
    reads_or_refuses(folder / f"results_{TIME}.json", block, format="lm-eval")
