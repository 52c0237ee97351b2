from quorate.analysis.demo import against_truth
from quorate.analysis.judgments import analyze_judgments
from quorate.simulate.demo import demo_truth, setup_truth, write_demo
from quorate.table.read import read


def test_every_interval_of_a_draw_against_its_truth(tmp_path):
    analysis = analyze_judgments(read(write_demo(tmp_path / "demo.csv", 2), announce=False))
    compared = against_truth(analysis, 2)
    assert (compared.seed, compared.truth) == (2, demo_truth())
    assert [one.interval for one in compared.intervals] == [
        "naive",
        "with these 5 prompts and 3 judges",
        "for prompts and judges like these",
    ]
    assert [one.truth for one in compared.intervals] == [demo_truth(), setup_truth(2), demo_truth()]
    assert all(one.holds_truth == (one.low <= one.truth <= one.high) for one in compared.intervals)
    naive, panel, population = compared.to_dict()["intervals"]
    assert naive["high"] - naive["low"] < panel["high"] - panel["low"] < population["high"] - population["low"]
    assert compared.to_dict()["measured"]["draws"] == compared.measured.draws
