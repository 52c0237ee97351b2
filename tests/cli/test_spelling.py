import pytest

from quorate.arguments import argument
from quorate.cli.spelling import in_options


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("say which: " + argument("facets", {"judge": ...}), "say which: --facet judge=COLUMN"),
        ("name it in " + argument("facets", {...: ...}), "name it in --facet ROLE=COLUMN"),
        ("declare " + argument("nested", {"item": "category"}) + "; or not", "declare --nested item=category; or not"),
        ("with " + argument("fixed", ()) + " to make it random", 'with --fixed "" to make it random'),
        ("or " + argument("status", "") + " to ignore it", 'or --status "" to ignore it'),
        ("say which: " + argument("status", ...), "say which: --status COLUMN"),
        ("use " + argument("judge", "panel", group="targets"), "use --target judge=panel"),
        ("goes with " + argument("layout", "blocks"), "goes with --layout blocks"),
        ("by " + argument("identities", {...: ...}), "by --identity JUDGE=SYSTEM"),
        ("by " + argument("generation", ...), "by --generation ROLE"),
        ("as by " + argument("only", {"prompt": "p 1", "system": "x"}), 'as by --only "prompt=p 1" --only system=x'),
        ("by " + argument("generation", "scale"), "by --generation scale"),
        ("a price, " + argument("prices", {"judge": {...: ...}}), "a price, --judge-price NAME=USD"),
        ("name it: " + argument("prompt_type", ..., group="roles"), "name it: --role prompt_type=COLUMN"),
        ("say " + argument("order", "model_a", group="roles"), "say --role order=model_a"),
        ("say " + argument("cluster", "prompt"), "say --cluster prompt"),
        ("in " + argument("by", ...), "in --by ROLE"),
        (argument("by", "win rate") + " or " + argument("regularisation", 1), '--by "win rate" or --regularisation 1'),
        ("for example " + argument("margin", 0.05), "for example --margin 0.05"),
        (argument("win_rate") + ": goes with", "--win-rate: goes with"),
        ("(most: 0); lower " + argument("minimum"), "(most: 0); lower --minimum"),
        ("name it, such as " + argument("format", "inspect"), "name it, such as --file-format inspect"),
        ("such as " + argument("part", "Tone (GEval)"), 'such as --part "Tone (GEval)"'),
        ("such as " + argument("part", "tone;x"), 'such as --part "tone;x"'),
        ("such as " + argument("part", 'the "$x"'), "such as --part 'the \"$x\"'"),
        ("overwrite it with " + argument("force", True), "overwrite it with --force"),
        (
            "say " + argument("outcomes", {"a": ..., "b": ..., "tie": ...}),
            "say --outcome a=LABEL --outcome b=LABEL --outcome tie=LABEL",
        ),
        ("text alone: margin=0.05 of the data stays", "text alone: margin=0.05 of the data stays"),
    ],
)
def test_arguments_become_options(sentence, said):
    assert in_options(sentence) == said


def test_limits_are_options_of_their_own_or_levels():
    wider = argument("limits", {"items": range(2, 801), "annotator": range(1, 13)})
    assert in_options("allow more with " + wider) == "allow more with --items 2-800 --levels annotator=1-12"
