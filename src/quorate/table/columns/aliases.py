"""Names of columns that say what they hold, in lower case with words joined by underscores; roles are made of them.

A name means the same in a table of scores and of votes; which role that is differs: what is asked is the item of
scores, and the prompt of votes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorate.table.columns.languages import plain
from quorate.wording import words

ASKED = ("item", "item_id", "question_id", "question")
EXAMPLES = (
    "qid",
    "hit_id",
    "dataset_record_id",
    "example_id",
    "sample_id",
    "doc_id",
    "instance_id",
    "dataset_item",
    "dataset_item_id",
)
NUMBERED = tuple(f"{one}_{n}" for one in ("item", "question") for n in ("no", "n", "nr", "num", "number", "key", "ref"))
SEGMENTS = ("segment", "segment_id", "seg", "seg_id")
_SHOWN = ("article", "utterance", "utt", "clip", "passage", "brief", "sentence", "scenario", "query", "source_text")
SHOWN = (*(name for one in _SHOWN for name in (one, f"{one}_id")), "image_id", "task_id", "ticket_id")
"""What answers that are compared are to, beside questions and prompts."""
PROMPTS = ("prompt", "prompt_id")
VARIANTS = (
    "variant",
    "variant_id",
    "judge_prompt",
    "grader_prompt",
    "prompt_template",
    "prompt_variant",
    "prompt_variant_id",
    "template",
    "rubric",
    "rubric_id",
    "rubric_name",
    "rubric_version",
)
JUDGES = words(
    "judge judge_id judge_model judge_name judge_hash grader grader_id grader_model rater rater_id annotator "
    "annotator_id worker worker_id workerid evaluator evaluator_id assessor assessor_id labeler labeller coder "
    "coder_id"
)
JUDGES_ALONE = words(
    "judge jury grader rater annotator worker evaluator assessor labeler labeller coder reviewer expert participant "
    "respondent scorer critic examiner marker observer referee moderator adjudicator panelist panellist juror "
    "verifier checker inspector autorater turker crowdworker clinician physician radiologist pathologist reader "
    "voter listener viewer triager tester sme taster auditor appraiser proofreader peer jury_member panel_member "
    "ta informant analyst playtester dermatologist cardiologist neurologist oncologist ophthalmologist "
    "corrector physio physiotherapist therapist psychologist sonographer psychiatrist radiographer interviewer"
)
"""What somebody, or a model, is called that judges."""
_BESIDE = words("id name model llm code no nr num number uuid email initials")
_JUDGING = ("judging", "judge", "eval", "evaluation", "evaluator", "grading", "scoring", "rating")
_JUDGED_BY = (
    *("judged", "rated", "scored", "graded", "annotated", "reviewed", "evaluated", "assessed", "coded", "marked"),
    *("checked", "verified", "inspected", "audited"),
)
_WHO = ("model", "name", "id", "by", "user")
"""Keys that say who gave what is in a list of judgments, such as ``ratings.model``."""
JUDGES_TOO = (
    *JUDGES_ALONE,
    *(f"{alone}_{beside}" for alone in JUDGES_ALONE for beside in _BESIDE),
    *(f"{kind}_{alone}" for kind in ("llm", "model", "ai", "human", "auto", "crowd") for alone in JUDGES_ALONE),
    *(f"{judging}_{model}" for judging in _JUDGING for model in ("model", "llm")),
    *(f"{judged}_by" for judged in (*_JUDGED_BY, "labeled", "labelled")),
    *(f"{held}_{who}" for held in ("judgments", "judgements", "ratings", "annotations", "reviews") for who in _WHO),
    *(f"{alone}s_{who}" for alone in JUDGES_ALONE for who in _WHO),
    *words("user_id user_name username login participantid raterid annotatorid session_uuid prolific_pid"),
    *(
        "signature",
        "author_user_id",
        "signatures",
        "email_address",
        "address_email",
        "address_de_email",
        "address_de_mail_electronico",
        "your_name",
        "wer_rated",
        "your_email",
    ),
    *("participant_private_id", "participant_public_id", "assignment_worker_id"),
)
"""Names of judges where no column has one of the others."""
SYSTEMS = ("system", "system_id", "sut", "sut_model", "model", "model_id", "model_name", "llm", "llm_name")
SYSTEMS_TOO = (
    *("agent", "agent_id", "agent_name", "model_version", "system_name", "bot", "assistant_model", "target_model"),
    *(
        "model_name_or_path",
        "model_type",
        "candidate_model",
        "generator_model",
        "generator_name",
        "mt_system",
        "asr_system",
        "tts_system",
    ),
    *(f"{answered}_model" for answered in ("answer", "response", "output", "completion", "generation", "summary")),
    *(f"{answered}_model" for answered in ("answering", "generating", "tested", "evaluated", "test", "eval_target")),
    *(
        f"{answered}_source"
        for answered in ("answer", "response", "output", "summary", "reply", "report", "text", "draft", "message")
    ),
    *(f"{made}_by" for made in ("drafted", "written", "generated", "translated", "produced", "authored")),
    *("retriever", "generator", "summarizer", "engine", "codec", "method", "approach", "algorithm", "checkpoint"),
    *("vocoder", "reranker", "summariser", "translator", "sys", "sys_id", "distortion", "rating_stimulus"),
)
"""Names of systems where no column has one of the others."""
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
PLACES = ("position", "answer_position", "order", "answer_order", "presentation_order", "shown_first", "swapped")
"""Facets of scores that say where or when in a pair an answer was shown: the places there are, not some of many."""
LENGTHS = ("length", "len", "words", "tokens", "chars", "word_count", "token_count", "n_words", "n_tokens", "n_chars")
"""How long a response is, where its column has the name of a response before it or none."""
RESPONSES = words("response answer output completion reply generation generated hyp hypothesis retrieved")
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
