"""Tables under the headers of public files, whose roles are known: what reads tables must not mistake them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from known_roles import Known, values

HEADERS = """
video_id=item annotator_id=judge score=score
prompt_id=item annotator_id=judge score=score precision=measure
item_id=item evaluator=judge rating=label
item_id=item run=time judge_score=score human_score=gold
model=system task_id=item passed=passed duration_ms=measure tokens=measure cost_usd=cost error=note
flow_id=item environment_id=group jitter_env=const blind_id=row rater1=wj rater2=wj rater3=wj notes=note
item_id=item domain=group rater1=wj rater2=wj rater3=wj
TestId=item Form=group Rater1=wj Rater2=wj Rater3=wj Rater4=wj Topic=group Response=text
participant_id=judge item_id=item item_order=order clarity=wc salience=wc arousal=wc
participant_id=judge item_id=item response=score response_time_sec=measure
source=it reference=it prediction=rt fluency=wc adequacy=wc grammar=wc
original=it simplification=it original_sentence_id=item aspect=criterion worker_id=judge rating=score
question_id=item style=system intent=group judge_resolution=wc judge_accuracy=wc judge_empathy=wc judge_reasoning=rt
output_id=item accuracy=wc completeness=wc clarity=wc safety=wc notes=note
id=item model_id=system dimension=criterion judge_score=score override_reason=note
corpus=group source_id=item claim=it annotator_1=wj annotator_2=wj annotator_3=wj
row_id=row query_id=group candidate_id=item annotator_1=wj annotator_2=wj query_text=it
feedback_id=item annotator_1=lj annotator_2=lj annotator_3=lj
trial_id=item query=it response=rt annotator_1=lj annotator_2=lj
participant_id=item rater_id=judge rating=score
model=system question=it solution=rt answer=number accuracy=wc solvability=wc appropriateness=wc
participant_id=judge group=jg sentence_id=item sentence=it condition=group value=score
question_id=item model=system judge_model=judge score=score reasoning=rt
idx=item prompt=it model=system response=rt judge_model=judge score=score
folder_path=row model_a=side model_b=side winner=won
question_id=group model_1=side model_2=side turn=turn judge=judge winner=won
prompt_id=item system=system rater=judge fluency_score=score
StudyID=item Reader=judge Grade=score
stimulus=item listener=judge MOS=score
utt_id=item sys=system listener_id=judge mos=score
essay_id=item essay_set=group essay=it rater1_domain1=wj rater2_domain1=wj
Respondent=judge Q1=wi Q2=wi Q3=wi Q4=wi
ResponseId=judge Q1_1=wi Q1_2=wi Q1_3=wi
paper_id=item reviewer_id=judge recommendation=score confidence=other
submission=item reviewer=judge overall=score
image=item annotator=judge label=label
sentence=it label=label annotator=judge
tweet_id=item user=judge sentiment=label
name=item judge=judge technical=wc artistic=wc
athlete=item judge=judge round=time points=score
wine=item taster=judge score=score vintage=group
task=item agent=system success=passed steps=measure time=measure
instance_id=item model_name_or_path=system resolved=passed
id=item gpt-4=wy claude-3=wy llama-70b=wy
question=it gpt4_score=wy claude_score=wy
case=item Dr_Smith=wj Dr_Jones=wj Dr_Lee=wj
conversation_id=item turn=time judge=judge helpfulness=score
ID=item Coder1=lj Coder2=lj
unit=item coder=judge code=label
experiment=const iteration=time test_case=item assertion=criterion pass=passed
doc=item summarizer=system annotator=judge consistency=score
timestamp=stamp user_id=judge item_id=item rating=score
"""
FRESH = """
abstract_no=item screener=judge include=score
PMID=item Screener_1=lj Screener_2=lj
ticket=item agent_version=system csat=score handle_time=measure
call_id=item qa_analyst=judge compliance=wc tone=wc resolution=wc
src=it hyp=rt mqm=score annotator_login=judge
segmentId=item translator=system DA=score linguist=judge
pair_no=row sysA=side sysB=side pref=won
battle=row left_model=side right_model=side verdict=won voter=judge
bot_a=side bot_b=side human_pref=won topic=group
specimen=item pathologist=judge Gleason=score
scan_id=item radiologist1=wj radiologist2=wj radiologist3=wj slice_mm=measure
clip=item viewer=judge likert=score bitrate=measure
file_name=item emotion=label annotator_no=judge
pid=judge stim=item resp=score rt_ms=measure
subj=judge trial=order item=item rating=score condition=group
student_no=item marker=judge mark=score exam_board=group
essay=item teacher_A=wj teacher_B=wj word_count=measure
script_id=item examiner=judge marks_awarded=score
team=item juror=judge score=score category=criterion
contestant=item judge=judge round=time total=score
recipe=item taster=judge taste=score session=time
problem_id=item llm=system is_right=passed n_tokens=measure
task_name=item solver=system solved=passed wall_seconds=measure seed=time
bug_id=item tool=system fixed=passed cost=cost
uuid=item model_tag=system judge_tag=judge helpful=score rationale=rt
prompt=it completion=rt grader=judge grade=score
qid=item ans=rt gpt4o_grade=wj claude_grade=wj gemini_grade=wj
qn=item coherence=wc relevance=wc fluency=wc consistency=wc
dialog=item turn_idx=time rater=judge engagingness=score
doc_key=item summ_id=system crowd_worker=judge overall_quality=score
comment_id=item rev_id=row worker_id=judge toxicity_score=score
claim=it fact_checker=judge verdict=label
utterance=it coder_1=lj coder_2=lj coder_3=lj
Patient=item Time=time Rater=judge ROM=score
unit_id=item trusted_judgment=const label=label contributor=judge
HITId=item WorkerId=judge Answer=score AcceptTime=stamp
workflow=item variant=system eval_model=judge eval_score=score
chat_id=item assistant_version=system thumbs=passed country=group
case_number=item reviewer_initials=judge severity=score
product_id=item user_id=judge stars=score helpful_votes=measure
movie=item critic=judge rating=score year=group
participant=judge q1=wi q2=wi q3=wi q4=wi age=measure
teacher_id=judge stmt_1=wi stmt_2=wi stmt_3=wi
sample=item lab=judge result=score
part=item operator=judge trial=time measurement=score
date=stamp shift=group inspector=judge panel=item defects=score
question=it llama_3=wy qwen_2=wy mistral=wy
input=it output=rt expected=rt exact=passed
trace_id=item scorer=judge value=score comment=note
run_id=row dataset_item=item evaluator=judge score=score
idx=item human_1=wj human_2=wj human_3=wj
"""
"""Headers that no name in the package was made for."""
SHORT = {
    "wj": "wide:judge",
    "wc": "wide:criterion",
    "wy": "wide:system",
    "wi": "wide:item",
    "lj": "words:judge",
    "it": "itemtext",
    "rt": "rowtext",
    "jg": "judgegroup",
}
WORDS = (("Correct", "Ambiguous", "Incorrect"), ("joy", "anger", "fear", "sadness"), ("YES", "NO"), ("spam", "ham"))


def styled(rng: np.random.Generator, names: list[str]) -> list[str]:
    """Names as another program would write them."""
    kind = rng.integers(4)
    if kind < 2:
        return names
    found = []
    for name in names:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace("-", "_").split("_")
        found.append(
            " ".join(word.capitalize() for word in words)
            if kind == 2
            else words[0].lower() + "".join(w.capitalize() for w in words[1:])
        )
    return found if len({*found}) == len(found) else names


def headed(rng: np.random.Generator) -> Known:
    """A table under one of the headers, with some of the columns that play no role left out."""
    headers = FRESH if rng.random() < 0.5 else HEADERS
    parts = [part.rsplit("=", 1) for part in str(rng.choice(headers.strip().splitlines())).split()]
    if headers is FRESH:
        parts = [parts[place] for place in rng.permutation(len(parts))]
    columns = [(name, SHORT.get(role, role)) for name, role in parts]
    free = ("note", "measure", "cost", "const", "group", "rowtext", "other", "order", "stamp")
    columns = [pair for pair in columns if pair[1] not in free or rng.random() < 0.8]
    names, roles = styled(rng, [name for name, _ in columns]), [role for _, role in columns]
    if "side" in roles:
        return _votes(rng, names, roles)
    crossed = [role for role in ("item", "judge", "system", "time", "criterion") if role in roles]
    by_text = "item" not in roles and "itemtext" in roles
    one_wide = next((role.split(":")[1] for role in roles if ":" in role), "")
    if one_wide == "item":
        crossed = ["judge"]
    n = {role: int(rng.integers(2, 6)) for role in crossed}
    n["item"] = int(rng.integers(12, 50)) if one_wide != "item" else 1
    if one_wide == "item":
        n["judge"] = int(rng.integers(12, 50))
    grid = np.meshgrid(*(np.arange(size) for size in n.values()), indexing="ij")
    place = {role: one.ravel() for role, one in zip(n, grid, strict=True)}
    rows = len(place["item"])
    if rng.random() < 0.4 and rows > 60:
        kept = rng.random(rows) < 0.6
        place = {role: one[kept] for role, one in place.items()}
        rows = len(place["item"])
    if "judge" in place and not one_wide and rng.random() < 0.2:  # a crowd, each item by some of it
        place["judge"] = rng.integers(0, 25, rows)
    effects = [
        rng.normal(size=int(one.max()) + 1)[one] * (0.8 if role == "item" else 0.4) for role, one in place.items()
    ]
    score = values(rng, rows, *effects)
    words = WORDS[rng.integers(len(WORDS))]
    wide, held, kind = [name for name, role in zip(names, roles, strict=True) if ":" in role], {}, rng.integers(4)
    for name, role in zip(names, roles, strict=True):
        held[name] = _column(rng, role, place, rows, score, words, wide, effects, kind)
    item = next(
        (name for name, role in zip(names, roles, strict=True) if role == ("itemtext" if by_text else "item")), None
    )
    facets = frozenset(
        name for name, role in zip(names, roles, strict=True) if role in ("judge", "system", "time", "criterion")
    )
    scores = tuple(wide) or tuple(
        name for name, role in zip(names, roles, strict=True) if role in ("score", "label", "passed")
    )
    return Known(pl.DataFrame(held), "scores", scores, None if one_wide == "item" else item, facets, one_wide)


def _column(
    rng: Any, role: str, place: Any, rows: int, score: Any, words: Any, wide: Any, effects: Any, kind: int
) -> Any:
    kinds = np.random.default_rng(len(wide) * 7 + rows)  # one kind of scale for all columns of one table
    if role.startswith("wide:"):
        latent = sum(effects, rng.normal(size=rows) * 0.7)
        return {
            0: (latent > 0).astype(int),
            1: np.clip(np.round(latent + 3), 1, 5).astype(int),
            2: np.clip(np.round(2 * latent + 5), 0, 10).astype(int),
            3: np.clip(np.round(latent + 4), 1, 7).astype(int),
        }[int(kind)]
    if role.startswith("words:") or role == "label":
        latent = sum(effects, rng.normal(size=rows) * 0.7)
        return np.array(words)[np.clip(np.digitize(latent, np.linspace(-1, 1, len(words) - 1)), 0, len(words) - 1)]
    if role in place and role != "time":
        kind_of_id = kinds.integers(3) if role == "item" else kinds.integers(1, 3)
        stem = {"item": "q", "judge": "ann", "system": "model-", "criterion": "crit"}[role]
        at = place[role]
        return (
            at + 1
            if kind_of_id == 0
            else np.array([f"{stem}{k:03}" if kind_of_id == 1 else f"{stem}_{k * 37 % 101}" for k in at])
        )
    answer = place["item"] * 100 + place.get("system", 0)
    return {
        "time": lambda: place["time"] + 1,
        "score": lambda: score,
        "passed": lambda: score > np.median(score),
        "gold": lambda: np.where(rng.random(rows) < 0.8, score, rng.permutation(score)),
        "row": lambda: np.array([f"r{k:05}" for k in rng.permutation(rows)]),
        "group": lambda: np.array(["alpha", "beta", "gamma"])[place["item"] % 3],
        "judgegroup": lambda: np.array(["g1", "g2"])[place["judge"] % 2],
        "itemtext": lambda: np.array([f"the text of thing {k * 7919 % 1000} and what it says" for k in place["item"]]),
        "rowtext": lambda: np.array([f"what {k * 104729 % 99991} answered, at length" for k in answer]),
        "text": lambda: np.array([f"an answer of {k} words" for k in range(rows)]),
        "note": lambda: np.where(rng.random(rows) < 0.1, "unclear", None),
        "number": lambda: rng.integers(0, 500, rows),
        "measure": lambda: rng.integers(20, 9000, rows),
        "cost": lambda: np.round(rng.random(rows) / 100, 5),
        "other": lambda: rng.integers(1, 6, rows),
        "order": lambda: rng.permutation(rows) % 40 + 1,
        "stamp": lambda: 1_700_000_000 + np.sort(rng.integers(0, 900_000, rows)),
        "const": lambda: np.full(rows, "v1"),
    }[role]()


def _votes(rng: np.random.Generator, names: list[str], roles: list[str]) -> Known:
    rows, k = int(rng.integers(60, 200)), int(rng.integers(2, 6))
    systems = np.array(["gpt-5", "claude-v1", "llama-13b", "vicuna", "palm"])[:k]
    a = rng.integers(0, k, rows)
    b = (a + rng.integers(1, k, rows)) % k
    won, kind = rng.integers(0, 3, rows), rng.integers(3)
    held: dict[str, Any] = {}
    sides = [a, b]
    for name, role in zip(names, roles, strict=True):
        if role == "side":
            held[name] = systems[sides.pop(0)]
        elif role == "won":
            own = [names[at] for at, one in enumerate(roles) if one == "side"]
            held[name] = (
                np.array(["a", "b", "tie"])[won]
                if kind == 0
                else np.array([*own, "tie"])[won]
                if kind == 1
                else np.where(won == 0, systems[a], np.where(won == 1, systems[b], "tie"))
            )
        else:
            held[name] = {
                "row": lambda: np.array([f"2025/{j:03}" for j in range(rows)]),
                "group": lambda: rng.integers(80, 100, rows),
                "turn": lambda: rng.integers(1, 3, rows),
                "judge": lambda: np.array(["j1", "j2", "j3"])[rng.integers(0, 3, rows)],
            }[role]()
    return Known(pl.DataFrame(held), "votes", (names[roles.index("won")],), None)


def headed_tables(n: int, seed: int) -> Iterator[Known]:
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield headed(rng)
