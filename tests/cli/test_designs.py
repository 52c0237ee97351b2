from __future__ import annotations

import io

import pytest
from rich.console import Console

import quorate as q
from quorate.cli.designs import layout_of, scope, show_designs, source_of, targets_of
from quorate.estimate.components.published import Components


@pytest.fixture
def safety() -> Components:
    return q.components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})


def shown(designs, name, **options):
    out = Console(file=io.StringIO(), width=80)
    show_designs(out, designs, name, **options)
    return out.file.getvalue()


def test_designs_side_by_side(safety):
    designs = {
        "one": q.project(safety, items=100, judges=1, prices={"call": 0.5}),
        "two": q.project(safety, items=100, judges=3, layout="blocks", per_item=2, prices={"call": 0.5}),
    }
    lines = {line.split("  ")[1]: line.split() for line in shown(designs, "two").splitlines() if line[:2] == "  "}
    assert lines["calls"][-2:] == ["100", "200"]
    assert lines["price"][-2:] == ["$50.00", "$100.00"]
    assert lines["layout"][-4:] == ["factorial", "2", "judges", "each"]
    assert "price" not in shown(designs, "two", priced=False)


def test_the_layout_says_how_many_judges_an_item_has(safety):
    assert layout_of(q.project(safety, items=10, judges=3, layout="cyclic")) == "cyclic"
    assert layout_of(q.project(safety, items=10, judges=3, layout="blocks", per_item=2)) == "2 judges each"


def test_components_come_from_json_and_from_judgments(tmp_path, simulate):
    path = tmp_path / "c.json"
    path.write_text('{"random": {"item": 1.0}}')
    assert isinstance(source_of(path, lambda: pytest.fail("judgments are not read")), Components)
    frame = simulate({"item": 6, "judge": 3}, seed=1)
    read = q.read(frame, facets={"item": "item", "judge": "judge"})
    assert source_of(tmp_path / "c.csv", lambda: read).judgments.n_cells == 18


def test_judges_stand_for_others_where_the_data_tell(safety, simulate):
    frame = simulate({"item": 6, "judge": 3}, seed=1)
    fit = q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}))
    assert targets_of(fit, None) == {"judge": "population"}
    assert targets_of(fit, ["judge=panel"]) == {"judge": "panel"}
    assert targets_of(fit, ["judge=pool(20)"]) == {"judge": q.pool(20)}
    assert targets_of(safety, None) == {}
    assert scope(q.project(fit, targets={"judge": "population"})) == ", for judges like these"
    assert scope(q.project(fit)) == ", for this panel"
