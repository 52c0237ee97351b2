import quorate as q
from quorate.cli.options.declared import MODEL
from quorate.cli.options.designs import Targets, source
from quorate.cli.options.reading import ScoreReading
from quorate.estimate.components.published import Components


def test_components_come_from_json_and_from_judgments(tmp_path, scores):
    path = tmp_path / "c.json"
    path.write_text('{"random": {"item": 1.0}}')
    assert isinstance(source(path, ScoreReading(), MODEL()), Components)
    assert source(scores, ScoreReading(), MODEL()).judgments.n_cells == 108


def test_targets_are_as_they_are_asked():
    assert Targets(target=["judge=panel"]).asked() == {"judge": "panel"}
    assert Targets(target=["judge=pool(20)"]).asked() == {"judge": q.pool(20)}
    assert Targets().asked() == {}
