"""The formats of other tools that are read; the reader of one is loaded where something at a first sight may be its."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from quorate.table.exchange.format import Format
from quorate.table.exchange.glance import Glance


def _tool(name: str, module: str, *words: str) -> Format:
    """A format by its name, the module beside this one that reads it, and words of which all that is its has one."""

    @cache
    def read() -> Format:
        form: Format = import_module(f"{__package__}.{module}").FORMAT
        return form

    def claims(glance: Glance) -> bool:
        return any(word in glance.words for word in words) and read().claims(glance)

    return Format(
        name,
        open=lambda *source: read().open(*source),
        claims=claims,
        tool=True,
        opens=lambda path: read().opens(path),
        holds=lambda place: read().holds(place),
        caveats=lambda place: read().caveats(place),
        paid=lambda place: read().paid(place),
    )


TOOLS = (
    _tool("inspect", "inspect.log", "PK\3\4", '"eval"'),
    _tool("helm", "helm", "per_instance_stats", "instance_id"),
    _tool("promptfoo", "promptfoo", '"results"', "gradingResult", "Grader Reason"),
    _tool("lm-eval", "lm_eval", "samples_", '"doc_id"', '"alias"'),
    _tool("deepeval", "deepeval", "testCases", "conversationalTestCases"),
    _tool("openai-evals", "openai_evals", "completion_fns", "event_id", "final_report"),
    _tool("langsmith", "langsmith", "feedback."),
    _tool("phoenix", "phoenix", "_execution_details"),
    _tool("ragas", "ragas", "user_input"),
    _tool("mturk", "people.mturk", "HITId"),
    _tool("arena-hard", "pairs.arena_hard", '"games"'),
    _tool("mt-bench", "pairs.mt_bench", "question_id"),
    _tool("alpaca-eval", "pairs.alpaca_eval", '"generator_1"'),
    _tool("arena", "pairs.arena", "anony", "evaluation_", "conversation_a", "winner_model_a"),
    _tool("judgebench", "pairs.judgebench", '"judgments"'),
    _tool("label-studio", "people.label_studio", "annotation_id", '"annotations"'),
    _tool("argilla", "people.argilla", ".responses", '"responses"'),
    _tool("every-eval-ever", "every_eval_ever", '"schema_version"'),
    _tool("prodigy", "people.prodigy", '"_task_hash"'),
    _tool("reward-bench", "reward_bench", '"subset"', '"results"', '"model_type"', '"chat_template"'),
)
"""In the order in which they are asked; one more is one file beside this one and a line in this list."""
