"""Names of columns that say what they hold, in lower case with words joined by underscores; roles are made of them.

A name means the same in a table of scores and of votes; which role that is differs: what is asked is the item of
scores, and the prompt of votes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorate.table.columns.outcomes import plain

ASKED = ("item", "item_id", "question", "question_id")
EXAMPLES = ("example_id", "sample_id", "doc_id", "instance_id")
SEGMENTS = ("segment", "segment_id")
PROMPTS = ("prompt", "prompt_id")
VARIANTS = ("variant", "variant_id", "prompt_variant", "prompt_variant_id", "template")
JUDGES = (
    *("judge", "judge_id", "judge_model", "judge_name", "judge_hash", "grader", "grader_id", "grader_model"),
    *("rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid"),
    *("evaluator", "evaluator_id", "assessor", "assessor_id", "labeler", "labeller", "coder", "coder_id"),
)
JUDGES_TOO = (
    *("reviewer", "reviewer_id", "expert", "expert_id", "user_id", "participant", "participant_id", "respondent"),
    *("respondent_id", "llm_judge", "model_judge", "scorer", "scorer_id", "critic", "critic_id", "examiner"),
    *("examiner_id", "marker", "marker_id", "judging_model", "eval_model", "evaluator_model", "observer"),
)
"""Names of judges where no column has one of the others."""
SYSTEMS = ("system", "system_id", "sut", "sut_model", "model", "model_id", "model_name", "llm", "llm_name")
GENERATIONS = ("generation", "generation_id", "gen_id", "completion_id")
TEMPERATURES = ("temperature", "temp", "judge_temperature")
TURNS = ("turn", "turn_id", "turn_index", "turn_number")
REPLICATES = ("replicate", "replicate_id", "replication", "rep", "epoch", "repeat")
SCORES = ("score", "outcome", "rating")
TYPES = ("category", "category_id", "subset", "topic")
LANGUAGES = ("language", "lang", "task")
SESSIONS = ("session", "session_id", "evaluation_session_id")
RANKINGS = ("ranking", "ranking_id")
PROPENSITIES = ("propensity", "sampling_probability")
ORDERS = ("order", "presentation_order", "swapped", "is_swapped", "flipped", "shown_first", "first_shown")
TIMES = ("time", "timestamp", "tstamp", "created_at", "date", "datetime")
COUNTS = ("count", "n_votes", "votes")
STATUSES = ("status", "judgment_status", "vote_status")


def claims(columns: Iterable[str], names: Sequence[str], further: Sequence[str] = ()) -> list[str]:
    """Columns with one of these names; where there is none, those with a name that says it less plainly.

    Examples
    --------
    >>> claims(["Item ID", "doc_id"], ["item_id"], ["doc_id"]), claims(["doc_id"], ["item_id"], ["doc_id"])
    (['Item ID'], ['doc_id'])
    """
    named = [(column, plain(column)) for column in columns]
    return [column for column, name in named if name in names] or [c for c, name in named if name in further]
