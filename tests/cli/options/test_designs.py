import quorate as q
from quorate.cli.options.designs import Targets, source
from quorate.cli.options.fit import Fit
from quorate.cli.options.reading import ScoreReading
from quorate.estimate.components.published import Components


def test_components_come_from_json_and_from_judgments(tmp_path, scores):
    path = tmp_path / "c.json"
    path.write_text('{"random": {"item": 1.0}}')
    assert isinstance(source(path, ScoreReading(), Fit()), Components)
    assert source(scores, ScoreReading(), Fit()).judgments.n_cells == 108


def test_judges_stand_for_others_where_the_data_tell(simulate):
    frame = simulate({"item": 6, "judge": 3}, seed=1)
    fit = q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}))
    assert Targets().asked() == {}
    assert Targets(target=["judge=panel"]).of(fit) == {"judge": "panel"}
    assert Targets(target=["judge=pool(20)"]).of(fit) == {"judge": q.pool(20)}
    assert Targets().of(q.components({"item": 1.0})) == {}
