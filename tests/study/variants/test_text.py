import pytest

from quorate.collect.judge import Expects
from quorate.collect.prompt import BUILT_IN, Prompt, built_in
from quorate.errors import InvalidInput
from quorate.study.drafting import code, instruction

WHOLE = """\
Rate this response from {{ low }} to {{- high }}. The least is {{low}}.

Be strict.
It is the user who counts.

What was asked:

{{ prompt }}

Response:
{{ response }}
{% if reference is defined %}
Compare it with this answer: {{ reference }}
{% endif %}
{# a note #}
Length is no merit here.

Mind the marks {{ mark }}.

Reply with {"{{ name }}": N}.
"""


def prompt(source):
    return Prompt("own", source, Expects(1, 5))


@pytest.mark.parametrize("name", BUILT_IN)
def test_of_a_built_in_prompt_the_task_alone_may_change(name):
    text = instruction(built_in(name))
    assert text.worded(text.parts) == built_in(name).source
    assert len(text.parts) == 1
    assert text.words > 50
    other = text.worded(["Something else."])
    assert other == text.kept[0] + "Something else." + text.kept[1]
    assert code(other) == code(built_in(name).source)


def test_of_a_template_paragraphs_of_instructions_may_change():
    text = instruction(prompt(WHOLE))
    assert text.parts == (
        "Rate this response from [[low]] to [[high]]. The least is [[low]].\n\nBe strict.\nIt is the user who counts.",
        "Length is no merit here.",
    )
    assert text.worded(text.parts) == WHOLE
    other = text.worded(["From [[low]] to [[high]], not below [[low]].", "Two."])
    assert other.startswith("From {{ low }} to {{- high }}, not below {{low}}.\n\nWhat was asked:")
    assert "\nTwo.\n\nMind the marks {{ mark }}.\n" in other


@pytest.mark.parametrize(
    "paragraph",
    [
        "Reply with a number only.",
        "Then answer in one word.",
        'Use the form {"score": N}.',
        "End with [[N]].",
        "Write <score>N</score>.",
        "The output is JSON.",
        "Consider {{ response }} well.",
        "{% if reasoned %}{% endif %}",
        "The response:",
        "7",
    ],
)
def test_forms_of_answers_headings_and_items_stay(paragraph):
    text = instruction(prompt(f"Rate it.\n\n{paragraph}\n"))
    assert text.parts == ("Rate it.",)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{{ prompt }} {{ response }}", "no paragraph of instructions"),
        ("Rate {{ response }} from 1 to 5.", "no paragraph of instructions"),
        ("{% raw %}{{ x }}{% endraw %} Rate it.", "raw blocks"),
        ("Rate it. \ue000", "raw blocks"),
    ],
)
def test_what_cannot_be_taken_apart_is_refused(source, said):
    with pytest.raises(InvalidInput, match=said):
        instruction(prompt(source))
