"""Names of columns that say a role both of scores and of votes, in lower case, words joined by underscores."""

from __future__ import annotations

JUDGES = (
    *("judge", "judge_id", "judge_model", "judge_name", "judge_hash", "grader", "grader_id", "grader_model"),
    *("rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid"),
    *("evaluator", "evaluator_id", "assessor", "assessor_id", "labeler", "labeller", "coder", "coder_id"),
)
STATUSES = ("status", "judgment_status", "vote_status")
