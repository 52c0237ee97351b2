import pytest

from quorate.cli.phrasing import columns, in_options


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ('say which: facets={"judge": ...}', "say which: --facet judge=COLUMN"),
        ("name it in facets={...}", "name it in --facet ROLE=COLUMN"),
        ('declare nested={"item": "category"}; or not', "declare --nested item=category; or not"),
        ("read with fixed=() to make it random", 'read with --fixed "" to make it random'),
        ('or status="" to ignore it', 'or --status "" to ignore it'),
        ('say which: status="..."', "say which: --status COLUMN"),
        ('use judge="panel"', "use --target judge=panel"),
        ('goes with layout="blocks"', "goes with --layout blocks"),
        ("say which by identities={judge: system}", "say which by --identity JUDGE=SYSTEM"),
        ('name it by generation="..."', "name it by --generation ROLE"),
        ('or by generation="scale"', "or by --generation scale"),
        ('a price, prices={"judge": {name: usd}}, or', "a price, --judge-price NAME=USD, or"),
        ('name it: prompt_type="..."', "name it: --role prompt_type=COLUMN"),
        (
            'name the column: order="...", or order="model_a" if',
            "name the column: --role order=COLUMN, or --role order=model_a if",
        ),
        ('say cluster="prompt", or', "say --cluster prompt, or"),
        ('use method="normal", which', "use --method normal, which"),
        ('counts with ties="drop"; collect', "counts with --ties drop; collect"),
        ('by="win rate" or regularisation=1, or', '--by "win rate" or --regularisation 1, or'),
        ('goes with scale="elo", got', "goes with --scale elo, got"),
        ("state it, for example margin=0.05", "state it, for example --margin 0.05"),
        ("is no tie, threshold=0.5 to keep it", "is no tie, --threshold 0.5 to keep it"),
        ("win_rate: goes with", "--win-rate: goes with"),
        ("not known; read them with order=", "not known; read them with --role order=COLUMN"),
        ('battle; read the votes with prompt="its column"', "battle; read the votes with --role prompt=COLUMN"),
        ("(most: 0); lower minimum", "(most: 0); lower --minimum"),
        ("fixed: facet x has = signs", "fixed: facet x has = signs"),
    ],
)
def test_arguments_become_options(message, said):
    assert in_options(message) == said


def test_a_note_says_column_once():
    assert columns("a = column = column b") == "a = = column b"
