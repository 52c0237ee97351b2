"""Words in the names of columns, and what they say of a column whose role nobody has said."""

from __future__ import annotations

import re
from functools import lru_cache

from quorate.table.columns import aliases
from quorate.table.columns.given_names import is_given, without_remark
from quorate.table.columns.languages import plain
from quorate.wording import words

HINTS = words(
    "score rating grade mark points stars correct passed pass resolved solved success successes accuracy acc reward "
    "met satisfied fulfilled acceptable ok match likert quality value opinion mos dmos cmos nps csat wer cer bleu "
    "jailbroken thumb thumbs note voto voti liking satisfaction acceptability enjoyment holistic da"
)
"""Words in the name of a column of scores, the likeliest first."""
EXCEPTIONS = frozenset(
    ("violation", "violations", "violated", "unsafe", "harm", "harmful", "toxic", "failed", "failure", "flagged")
)
"""Words in the name of a column of zeros that says of every item that something did not happen."""
_NUMBERS = frozenset(("n.", "n\N{DEGREE SIGN}", "n\N{MASCULINE ORDINAL INDICATOR}", "\N{NUMERO SIGN}", "#"))
"""Signs that stand for number."""
_CALLED = frozenset(("key", "ref", "n"))
"""Last words in the name of a column that names something, such as ``case_ref``; of an answer it is what is right."""
MEASURES = frozenset(
    words(
        "len length chars tokens words seconds secs sec spent time timestamp date year price cost eur usd gbp "
        "datetime created start started end ended updated due deadline duration ms rt years months days hours "
        "minutes count latency age runtime size bytes width height line steps experience confidence certainty weight "
        "params parameters max min std sd variance diff abs turns messages mmol mmhg mm hg kg bpm mg ml cm ldl hdl "
        "threshold cutoff flesch kincaid"
    )
)
"""Words in the name of a column that is measured, and neither given by a judge nor what is judged."""
LESS = frozenset(
    words(
        "error errors wer cer ter loss perplexity toxicity toxic hallucination bias hallucinations hallucinated harm "
        "harmful harmfulness violation violations violated unsafe jailbroken failed failure failures mistakes "
        "defects penalty refused attack attacks jailbreak jailbreaks ppl lpips fid mae rmse mse"
    )
)
"""Words in the name of a column of which less is better."""
PLAINLY_LESS = frozenset(words("wer cer ter loss perplexity ppl lpips fid mae rmse mse"))
"""Those of which everybody knows it."""
_TURNED = frozenset(words("free no not non without detected detection resisted blocked resistance"))
"""Words beside those that turn them round."""
METRICS = frozenset(
    words(
        "bleu sacrebleu chrf ter comet xcomet rouge meteor bertscore bleurt wer cer ppl pesq stoi dnsmos utmos nisqa "
        "rouge1 rouge2 rougel rougelsum unieval gptscore bartscore moverscore alignscore sari cider clipscore "
        "ndcg mrr recall precision f1 auc auroc iou miou dice psnr ssim lpips fid"
    )
)
"""Words in the name of a column that a program computed: of several none is the score."""
ARRANGED = frozenset(
    words(
        "first position order swapped flipped shuffled run trial attempt try draw seed round rank place placing "
        "placement batch"
    )
)
"""Words in the name of a column that says how or when something was shown: no score, but perhaps a facet."""
IDS = frozenset(words("id ids idx index row number nr no uuid uid guid hash slug pmid doi isbn"))
"""Words in the name of a column that names something: no score, but perhaps what is judged or who judges."""
PEOPLE = frozenset(
    words(
        "human humans gold golden truth reference expert experts people manual annotator analyst lawyer attorney "
        "clinician physician md"
    )
)
"""Words in the name of a column that holds what people said, where others hold what judges say."""
MACHINES = frozenset(words("judge llm model ai auto predicted prediction pred grader bot machine"))
"""Words in the name of a column that holds what a judge said that is a model, where another holds what people said."""
TRUE = frozenset(("truth", "gold", "golden", "reference"))
"""Words in the name of a column of what is right, which who judged is held against."""
TOTALS = frozenset(("total", "totals", "sum", "mean", "average", "avg", "median", "overall", "aggregate", "final"))
"""Words in the name of a column that may be made of those beside it, and of a row that may be made of those above."""
RESOLVED = frozenset(words("agreed moderated final consensus resolved adjudicated awarded reconciled confirmed"))
"""Words in the name of a column that several who judged came to together, beside what each of them gave."""
SYSTEMS = frozenset(words("model system assistant llm baseline candidate old new control treatment treated variant"))
"""Words in the names of columns that hold the scores of one system each."""
ARMS = frozenset(
    words(
        "baseline candidate old new current control treatment treated variant before after original optimized "
        "optimised improved augmented finetuned tuned proposed base ft sft"
    )
)
"""Words in the names of columns that hold the scores of the two sides of a comparison."""
ACTS = frozenset(("assignment", "annotation", "rating", "judgment", "judgement", "event", "log", "evaluation"))
"""Words in the name of an id of the act of judging, and not of what was judged."""
RESPONSES = frozenset(aliases.RESPONSES)
"""Words in the name of a column of what a system answered."""
OCCASIONS = frozenset(("time", "occasion", "session", "wave", "day", "week", "visit", "round", "rd", "timepoint"))
"""What a column of few whole numbers is called that says when the same was judged again."""
GIVEN = words("winner label verdict judgment decision answer choice pick class outcome result grade")
"""Words in the name of a column of labels, the likeliest first."""
SAID = words("stage diagnosis severity priority sentiment stance intent emotion recommendation band birads pirads")
"""Words in the name of a column that may be what a judge said, or a facet."""
ANSWERERS = frozenset(
    ("respondent", "participant", "user", "worker", "voter", "annotator", "rater", "reviewer", "evaluator")
)
"""What a column is called that says who answered, beside words such as id."""
COMPARED = frozenset(
    words(
        "version condition variant arm config configuration setup strategy provider vendor brand product tool "
        "pipeline template treatment policy build release technique framework setting prompt supplier design flavour "
        "flavor recipe protocol tts asr codec vocoder module voice solver planner router"
    )
)
"""First or last word in the name of a column of what is compared, where no other says which systems are."""
_ASKED_BY = frozenset(("prompt", "template", "setting", "design", "release", "build"))
"""Those of them that may be of the judge, or of when it was."""
CONTESTANTS = frozenset(
    words(
        "diver skater singer contestant athlete gymnast competitor performer player entrant finalist dancer pianist "
        "rider surfer boxer debater team"
    )
)
"""What a column is called of those who compete, of whom each judge sees every round."""
PROFESSIONS = frozenset(
    words("teacher professor lecturer instructor tutor doctor nurse dentist editor supervisor surgeon lawyer attorney")
)
"""What a column is called that says who judged, where nobody is judged: else they may be judged themselves."""
ASKED_PEOPLE = frozenset(words("patient student pupil customer client child parent employee member user person"))
"""Words in the name of a column of people who are judged, or are asked of others."""
JUDGED = frozenset(
    words(
        "case subject sample example text document doc session output patient student pupil essay task image article "
        "answer response target ratee object query conversation dialogue dialog summary sentence paper video product "
        "instance trial candidate ticket review abstract statement specimen scan slide interview speech passage "
        "message comment post tweet record story url problem scenario generation person customer employee member "
        "child unit request stimulus stim vignette utterance utt segment seg sent token span phrase claim fact "
        "finding issue bug commit snippet trace behavior behaviour forum submission manuscript proposal application "
        "listing meme clip audio phrase song photo picture headline report email letter transcript call chat "
        "filename lesion test essay ad exercise script src img pic wav snip sku asin wine dish poem skater speaker "
        "singer contestant project brief translation pr puzzle quiz clause contract motion argument entry exhibit "
        "lesson citation tender meeting leaflet"
    )
)
"""Words in the name of a column that says what every row is of."""
CRITERIA = frozenset(
    words(
        "coverage accuracy helpful helpfulness clear clarity coherent coherence fluent fluency relevant relevance "
        "relevancy hallucination recall precision accurate correctness faithful faithfulness factual factuality "
        "consistent consistency complete completeness concise conciseness tone style safe safety harmless "
        "harmlessness natural naturalness readable readability grammar useful usefulness creativity depth empathy "
        "polite politeness groundedness engaging adequacy appropriateness solvability simplicity informativeness "
        "factualness grounded specific solving knowledge skills succinctness specificity convincingness toxicity "
        "novelty originality adherence truthfulness organization organisation mechanics spelling punctuation "
        "vocabulary structure impact feasibility innovation humor humour pacing believability plausibility "
        "persuasiveness trustworthiness usability aesthetics composition realism taste flavour flavor aroma texture "
        "appearance communication collaboration teamwork leadership values coding professionalism motivation "
        "attitude terminology rigour rigor thesis evidence meaning naturalness resolution salience arousal valence "
        "technical artistic alignment engagement citation brevity warmth encouragement"
    )
)
"""Words in the names of columns that hold one criterion each."""
_NO_QUALITY, _SHORTEST = frozenset(words("business witness harness illness sickness wilderness likeness")), 6
"""Words that end as those of qualities do and are none, and how long one of a quality is at least."""
_ASPECTS = frozenset(("criterion", "criteria", "dimension", "aspect", "metric", "rubric", "attribute", "trait"))
"""What a column is called that says by which criterion a score was given."""
DESCRIBED = frozenset(
    words(
        "gender sex age country nationality ethnicity race education occupation city region browser os timezone "
        "affiliation institution department seniority"
    )
)
"""Words in the name of a column that describes people: no judgment."""
GROUPS = frozenset(
    words(
        "category subset topic domain area group type kind class difficulty split language lang source dataset task "
        "section level genre field subject skill benchmark tag tags theme locale reason format file set part fold "
        "version config status suite component plan list channel platform device phenomenon track assignment "
        "specialty speciality ward clinic desk phase termination"
    )
)
"""Words in the name of a column that groups what is judged, or says where it comes from."""
CLUSTERS = frozenset(
    words("cluster thread page team school site author repo repository book chapter cohort scene character")
)
"""Words in the name of a column of what was drawn, with all that is judged of it."""
_SHORT_FOR = ("ann", "annot", "rad", "obs", "j", "qa", "md", "rn", "ed")
"""What columns of judges are called for short, with a number or a letter behind."""
_COUNTS = frozenset(("n", "num", "nb", "total"))
"""First words in the name of a column that counts something, such as ``n_turns``."""
REMARKS = frozenset(
    words("comments commentary note remark remarks notes feedback reason reasoning rationale explanation justification")
)
"""Words in the name of a column of what a judge added in words."""
_SHARES = frozenset(("pct", "percent", "percentage", "share", "proportion", "fraction"))
"""Words in the name of a column of shares."""
_TITLES = frozenset(
    words("dr prof mr ms mrs nurse physio ta hr fr herr frau mme mlle sr sra sig pan pani dhr mevr avv dott ing")
)
"""What stands before the name of a person who judges."""
_SHORT_TITLES = re.compile(
    rf"(?i)((({'|'.join(sorted(_TITLES))})(\.?(ssa|ra|a|ª|in))?\.|frau|herr)\s*)+(?P<name>\w+([ -]\w+)?)\s*"
)
"""Titles with their points, such as ``Prof. Dr.`` and ``Dott.ssa``, before one name or two."""
_KINDS_OF = frozenset(("llm", "ai", "model", "human", "auto", "machine"))
"""What stands before the word for who judges."""
_ORDINALS = frozenset(("first", "second", "third", "fourth", "1st", "2nd", "3rd", "primary", "secondary"))
_COUNTED = frozenset(
    ("votes", "counts", "errors", "likes", "upvotes", "downvotes", "views", "clicks", "replays", "playbacks", "plays")
)
"""Last words in the name of a column that counts something, such as ``helpful_votes``."""
_NAMED = (
    JUDGED | ANSWERERS | {"item", "question", "model", "system", "prompt", "judge", "hit", "row", "run", "group", "q"}
)
"""What ``id`` is joined to without a mark, as in ``taskid``."""
HOLDERS = frozenset(
    words(
        "scores ratings criteria rubric rubrics metrics grades marks evaluation codings checks assertions dimensions "
        "aspects"
    )
)
"""Names of records that hold a score for each of several criteria, whose columns are ``scores.helpful``."""
CRITERIA_IN = frozenset(("criteria", "rubric", "rubrics", "checks", "assertions", "dimensions", "aspects"))
"""Names of records that hold a score for each of several criteria, and nothing else."""
QUESTION = re.compile(r"(q|question|item|statement|frage)_?\d+([a-z]|_\d+)?")
"""The name of a column that holds the answers to a question."""
LABEL_OF_ITEM = r"(q|question|item|statement|task|case|sample|example|prompt|doc|document|problem|id)[ _#-]*\d+"
"""What the labels of items look like, in lower case."""
_SAYS_NOTHING = re.compile(r"(key|column)(_?\d+)?")


def words_of(name: str) -> list[str]:
    """The words in the name of a column, numbers apart, such as ``rater 1`` of ``rater1``.

    Examples
    --------
    >>> words_of("RaterID"), words_of("model_a1.score")
    (['rater', 'id'], ['model', 'a', '1', 'score'])
    """
    return [*_words_of(name)]


@lru_cache(maxsize=4096)
def _words_of(name: str) -> tuple[str, ...]:
    words = re.sub(r"(?<=[a-z])(?=[0-9])", "_", plain(name)).split("_")
    parts = ((word[:-2], "id") if word[:-2] in _NAMED and word[-2:] == "id" else (word,) for word in words)
    return tuple(part for some in parts for part in some)


def form_of(name: str) -> str:
    """A name, or a label, with a sign in the place of each number, which all that are numbered alike share.

    Examples
    --------
    >>> form_of("clip_07"), form_of("task/12"), form_of("rater")
    ('clip_#', 'task/#', 'rater')
    """
    return re.sub(r"\d+", "#", name)


def is_person(name: str) -> bool:
    """Whether a column says who answered, by its name.

    Examples
    --------
    >>> is_person("Respondent ID"), is_person("user_input"), is_person("student")
    (True, False, False)
    """
    words = {*words_of(name)} - {*IDS, "name", "code"}
    return plain(name) == "response_id" or (bool(words) and words <= ANSWERERS)


def is_judged(name: str) -> bool:
    """Whether a column says what every row is of, by its name.

    Examples
    --------
    >>> is_judged("Patient No."), is_judged("output_len"), is_judged("id")
    (True, False, False)
    """
    words = _said(name)
    return bool(words) and words <= JUDGED


def groups_items(name: str) -> bool:
    """Whether a column groups what is judged, by its name: a topic, or what several questions are about.

    Examples
    --------
    >>> groups_items("document_id"), groups_items("Topic"), groups_items("rater")
    (True, True, False)
    """
    words = _said(name)
    return bool(words) and words <= JUDGED | GROUPS | CLUSTERS


def is_cluster(name: str) -> bool:
    """Whether what groups items was drawn with them, by its name: a document is, a topic was chosen.

    Examples
    --------
    >>> is_cluster("document_id"), is_cluster("Topic")
    (True, False)
    """
    words = _said(name)
    return bool(words) and words <= (JUDGED - GROUPS - RESPONSES - {"target"}) | CLUSTERS


def _said(name: str) -> set[str]:
    """What a name says beside that it is one."""
    listed = words_of(name)
    called = len(listed) > 1 and listed[-1] in _CALLED and not RESPONSES & {*listed}
    words = {*(listed[:-1] if called else listed)} - {*IDS, "name", "code", "title"}
    return words - {"input", "file", "path", "plan"} or words


def is_id(name: str) -> bool:
    """Whether a column names something, by its name.

    Examples
    --------
    >>> is_id("output_id"), is_id("Patient No."), is_id("no_errors"), is_id("N.")
    (True, True, False, True)
    """
    words = words_of(name)
    return bool((IDS - {"no"}) & {*words}) or words[-1] == "no" or name.strip().lower() in _NUMBERS


def is_judge(name: str) -> bool:
    """Whether a column holds the scores of one judge, by its name.

    Examples
    --------
    >>> [is_judge(name) for name in ("rater1", "Coder B", "Dr. Hansen", "second_marker", "judge_gpt4o")]
    [True, True, True, True, True]
    >>> is_judge("Dott.ssa Ferri"), is_judge("Prof. Dr. Anna Kern")
    (True, True)
    >>> [is_judge(name) for name in ("rater_id", "rater1_score", "judge_model", "Teacher Notes")]
    [False, False, False, False]
    >>> is_judge("teacher_Okafor"), is_judge("llm_grader_sonnet")
    (True, True)
    """
    bare = re.sub(r"['\u2019](\w)", lambda one: one[1].lower(), without_remark(name))  # such as Judge O'Connor
    if re.fullmatch(r"(panel|jury|committee|board)_member_\w+", plain(name)) or _has_initials(bare):
        return True
    titled, words = _SHORT_TITLES.fullmatch(bare), words_of(bare)
    if titled is not None and all(map(str.isalpha, words_of(titled["name"]))):
        words = ["dr", words_of(titled["name"])[-1]]
    if len(words) == len(("llm", "grader", "gpt")) and words[0] in _KINDS_OF and words[1] in aliases.JUDGES_ALONE:
        words = words[1:]
    others = {*IDS, *TOTALS, *HINTS, *GIVEN, *SAID, *CRITERIA, *GROUPS, *MEASURES, "name", "model", "code"}
    if 2 not in (len(words), len(plain(bare).split("_"))) or others & {*words[1:]}:
        return False
    first, last = words[:2]
    if first == "qa" and not (len(last) == 1 or is_given(last)):  # of question answering
        return False
    surname = re.split(r"[\s_-]+", bare.strip())[-1]
    told = (
        (_ORDINALS, last in aliases.JUDGES_ALONE),
        ((*PROFESSIONS, "annotation", "coding", "dev", "engineer"), len(last) == 1),
        (("panel", "juror"), last.isdigit()),
        (_TITLES, last.isalpha()),
        (PROFESSIONS, surname.isalpha() and surname.istitle() and last not in REMARKS),
        ((*aliases.JUDGES_ALONE, *_SHORT_FOR), True),
    )
    return any(first in kinds and named for kinds, named in told)


def _has_initials(name: str) -> bool:
    """Whether a name is the word for who judges and initials."""
    who, _, initials = name.strip().partition("_" if "_" in name else " ")
    capitals = initials.isascii() and initials.isalpha() and initials.isupper() and len(initials) in (2, 3)
    return capitals and initials.lower() not in IDS and who.lower() in aliases.JUDGES_ALONE


def is_compared(name: str) -> bool:
    """Whether a column says what is compared, by its name, and not how a judge was asked.

    Examples
    --------
    >>> is_compared("pipeline"), is_compared("Model version"), is_compared("prompt_template"), is_compared("topic")
    (True, True, False, False)
    """
    words = words_of(name)
    return bool({words[0], words[-1]} & COMPARED) and not {*words} & _ASKED_BY


def says_nothing(name: str) -> bool:
    """Whether a column has the name that columns without one get, as of the keys in JSON.

    Examples
    --------
    >>> says_nothing("key 2"), says_nothing("column3"), says_nothing("keyword")
    (True, True, False)
    """
    return _SAYS_NOTHING.fullmatch(plain(name)) is not None


def says_ends(name: str) -> bool:
    """Whether a name says from where to where a scale goes.

    Examples
    --------
    >>> says_ends("Method (0-4)"), says_ends("Total [0 to 16]"), says_ends("rank (1 = best)"), says_ends("score")
    (True, True, False, False)
    """
    return re.search(r"[(\[]\s*\d+\s*(-|\u2013|to|bis|a|\u00e0)\s*\d+\s*[)\]]\s*$", name) is not None


def is_arm(name: str) -> bool:
    """Whether a column holds the scores of one side of a comparison, by its name.

    Examples
    --------
    >>> is_arm("old_score"), is_arm("Candidate"), is_arm("candidate_id"), is_arm("gpt_old")
    (True, True, False, False)
    """
    words = {*words_of(name)}
    return bool(words & ARMS) and words <= {
        *ARMS,
        *HINTS,
        "model",
        "system",
        "bot",
        "version",
        "a",
        "b",
        "1",
        "2",
        "response",
    }


_OF_JUDGING = frozenset(("usd", "eur", "gbp", "latency", "tokens", "ms", "runtime"))
"""Words in the name of a column of what it took to judge, or to answer."""


def is_criterion(name: str) -> bool:
    """Whether a column holds one criterion, by its name.

    Examples
    --------
    >>> is_criterion("clarity_score"), is_criterion("Sweetness"), is_criterion("business_unit")
    (True, True, False)
    >>> is_criterion("relevance cost in USD")
    False
    """
    said = {*plain(name).split("_")}
    if said & _OF_JUDGING:
        return False
    return bool(CRITERIA & said) or any(word.endswith("ness") and len(word) > _SHORTEST for word in said - _NO_QUALITY)


def is_less(name: str) -> bool:
    """Whether less of what a column holds is better, by its name.

    Examples
    --------
    >>> is_less("toxicity_score"), is_less("WER"), is_less("error_free"), is_less("not_toxic")
    (True, True, False, False)
    """
    words = {*words_of(name)}
    return bool(words & LESS) and not words & _TURNED


def is_aspect(name: str) -> bool:
    """Whether a column says by which criterion a score was given, by its name.

    Examples
    --------
    >>> is_aspect("Dimension"), is_aspect("criterion_id"), is_aspect("id")
    (True, True, False)
    """
    words = _said(name)
    return bool(words) and words <= _ASPECTS


def measures(name: str) -> bool:
    """Whether a column is measured, by its name; ``rater_MS`` is of somebody."""
    return not _has_initials(name) and bool(MEASURES & set(plain(name).replace("up_to_date", "current").split("_")))


def is_count(name: str) -> bool:
    """Whether a column counts something, by its name.

    Examples
    --------
    >>> is_count("n_turns"), is_count("n"), is_count("turns"), is_count("total_score")
    (True, False, False, False)
    """
    words = plain(name).split("_")
    summed = words[0] == "total" and words[-1] in HINTS
    return (len(words) > 1 and words[0] in _COUNTS and not summed) or (words[-1] in _COUNTED and words != ["votes"])


def no_score(name: str) -> bool:
    """Whether a column holds no score, by its name: a share of words that were right is one, and no length."""
    words = {*plain(name).replace("up_to_date", "current").split("_")}
    if re.search(r"[a-z]_(km|mm|cm|kg|kwh|ppm|degc)$|(depth|height|width|distance|altitude)_m$", name):  # a unit
        return True
    share = words & _SHARES and words & {*HINTS}
    if name.rstrip().endswith("?"):  # what was asked of who judged
        return False
    planned = {"story", "points"} <= words  # of how much work it is
    return is_id(name) or planned or (bool((MEASURES | ARRANGED) & words) and not share)
