"""What the four papers propose, and what stands beside it, is reachable: by a command with these options, or by a call.

A row fails when its command, option, function or parameter vanishes: give it its new name, or say in `docs/papers.md`
that the feature is gone.
"""

import inspect
import re
from pathlib import Path

import pytest

import quorate as q
from quorate import simulate
from quorate.cli.entry import program
from quorate.cli.verbs import VERBS, spelling_of
from quorate.reproduction.reproduce import STUDIES
from quorate.reproduction.study import publication

FEATURES = {
    "hidden measurement error: variance components": {
        "components by REML, ML and mean squares": "analyze --method",
        "any terms, nested and fixed facets": "analyze --random --nested --fixed --covariate",
        "noise of its own by level of a facet": "analyze --residual-by",
        "targets of every facet": "analyze --target",
        "intervals of components": "analyze --interval --level",
        "components of log odds and of marks": "analyze --link",
        "posteriors, with priors of an earlier pilot": "analyze --posterior --prior --link --check",
        "a planned design": "plan --design --items --prompts --judges --temperatures --replicates --layout --per-item",
        "the cheapest design, with prices": "plan --budget --target-se --half-width --judge-price --layouts",
        "one configuration's interval beside the corrected one": "q.scores.naive(targets, truth)",
        "pilot and production": "analyze --pilot",
        "validation by redrawn parts": "validate --budgets --plans --pilot",
        "diagnostics, with tests of three-way terms": "analyze --check --resamples",
        "items for people by their variance": "q.scores.flags()",
        "robustness without a level": "q.scores.leave_one_out()",
        "hazard of turns": "agents hazard --threshold --turns",
        "ensembles": "agents ensemble --over --agents",
        "chains": "agents chain --stages --cluster",
        "surrogate labels": "regress --surrogate --drawn --bias",
        "regression on few labels": "regress --outcome --on --labels --probability",
        "chance of a wrong sign": "regress --sign-flip --beta --se",
        "words for a paper, with the checklist": "report --study --format",
        "labels as words": "analyze --labels --most --to-people",
        "judges against labels": "judges --human-label --people --splits",
        "a model in the place of people": "q.agreement.alt_test(people, epsilon)",
        "coefficients of agreement": "q.agreement.alpha(metric)",
        "studies of the paper's designs": "init --recipe",
        "repeated runs": "q.agents.repeated_runs(k, passes)",
    },
    "judge panels": {
        "bias, tests and reversals of judges": "judges --system --generation --identity",
        "strategies validated on a crossed pilot": "judges --validate",
        "groups of judges, families": "judges --group",
        "assignments that a runner carries out": "assign --layout --per-item --seed --out --pilot",
        "choice among many judges": "plan --screen --budget --half-width --uncorrected",
        "strategies redrawn": "simulate.validate_strategies(budgets, repetitions)",
    },
    "human judgments": {
        "votes for a margin, equivalence or from a pilot": "plan --votes --margin --equivalence --pilot --budget",
        "votes that resemble each other": "plan --votes --icc --cluster",
        "borrowed margins": "plan --votes --margins-from",
        "verdicts": "compare --margin --claim --ties --budget --cluster",
        "margins of all pairs": "analyze --minimum --power",
        "encodings of ties": "q.votes.tie_sensitivity()",
        "power by votes": "q.votes.power_curve()",
        "two stages, replayed": "votes replay --budgets --by --c --retained",
        "concentration of the signal": "q.votes.concentration()",
        "two stages, simulated": "simulate.simulate_two_stage()",
        "two protocols": "votes protocols --by --budget --minimum",
        "looking at any time": "compare --watch --margin --tuned",
    },
    "adaptive allocation": {
        "replay of the three policies": "plan --adaptive --budget --delta --variant --runs --human --cycle --sweep",
        "live": "q.scores.adaptive(policy, objective, target, cycle, weights, prices, between, interval)",
        "other constants": "simulate.sweep_allocation(deltas, warmups, floors)",
        "whole cycles against one judge": "simulate.compare_cycles()",
        "first answers alone": "analyze --where",
        "in a study": "run --quote --yes",
    },
    "ranking and gaming": {
        "ratings with models of ties": "rank --ties --elo --regularisation --resamples",
        "style and order": "rank --covariate --position --discrimination",
        "rankings of several": "rank --rankings",
        "how few votes flip the first": "rank --fragility",
        "agreement of pipelines with people": "judges --agree --human-label --each --by --calibrated --position",
        "leaderboards of pipelines": "rank --pipelines --by --cells --cell --human-label",
        "gain of the best of several": "rank --tries --scale --prompts --judges",
        "battles from a pool": "assign --pool --floor --category --out",
        "the battles that tell most": "assign --after --number --criterion --floor",
        "few labels of people": "compare --human --tuning --strata",
        "the same for a leaderboard": "rank --human --tuning",
        "how many labels": "plan --human --human-price --half-width --budget",
        "leaderboards that may be watched": "rank --watch",
        "models of ties side by side": "rank --models --folds",
    },
    "reproduction": {"published figures": "papers --list --reps --quick --data --jobs --resume --report"},
}
ROWS = [(paper, what, how) for paper, rows in FEATURES.items() for what, how in rows.items()]
COMMANDS = program().commands
PAPERS = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("paper", "what", "how"), ROWS, ids=[f"{paper}: {what}" for paper, what, _ in ROWS])
def test_every_feature_is_reachable(paper, what, how):
    if call := re.fullmatch(r"([\w.]+)\.(\w+)\((.*)\)", how):
        home = {"q": q, "simulate": simulate}.get(call[1]) or getattr(q, call[1].removeprefix("q."))
        function = getattr(home, call[2])
        assert {name for name in call[3].split(", ") if name} <= set(inspect.signature(function).parameters)
        return
    name, *words = how.split()
    question, options = VERBS[name].asked(words)
    spelled = {text for one in COMMANDS[spelling_of(question)].params for text in (*one.opts, *one.secondary_opts)}
    assert set(options) <= spelled


def test_the_page_of_the_papers_names_studies_and_errata_that_there_are():
    named = set(re.findall(r"`((?:tee|mc|cyclic|lee|budget)(?:\.[\w-]+)?)`", PAPERS))
    assert named <= {one.id for one in STUDIES} | {one.id.split(".")[0] for one in STUDIES}
    assert set(re.findall(r"\*\*(E\d+)\*\*", PAPERS)) == set(publication().errata)
