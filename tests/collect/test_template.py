"""Templates end, whatever they ask for, and what is wrong with them is said in a line."""

from __future__ import annotations

import time
from itertools import pairwise
from string import ascii_lowercase

import pytest

from quorate.collect.expects import Expects
from quorate.collect.prompt import Prompt
from quorate.errors import InvalidInput

DOUBLED = (
    "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x|length }}"
)
SETS = [f"{{% set {two} = {one} ~ {one} ~ {one} ~ {one} %}}" for one, two in pairwise(ascii_lowercase)]
ENDLESS = [
    "{{ 9 ** 9 ** 9 }}",
    "{{ (9 ** 9) ** (9 ** 9) }}",
    "{{ 'x' * 10 ** 10 }}",
    "{{ [1] * 999999999 }}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for i in range(99999) %}{{ range(99999)|sum }}{% endfor %}",
    DOUBLED,
    DOUBLED.replace("~", "+"),
    "{% set a = 'ab' %}" + "".join(SETS) + "{{ z }}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
    "{{ 'x'['format'](1) }}",
    "{{ ('{:9999999999}'|attr('format'))(1) }}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{{ 'x'|center(10 ** 10) }}",
    "{{ 'x'.zfill(10 ** 10) }}",
    "{{ '%9999999999d'|format(1) }}",
    "{{ '%9999999999d' % 1 }}",
    "{{ '{:9999999999}'.format(1) }}",
    "{{ lipsum(n=10 ** 6) }}",
    "{% for i in range(90000) %}" + "x" * 100 + "{% endfor %}",
]
WRONG = [
    "{% if",
    "{{ response.upper() }}",
    "{{ {}['a'] }}",
    "{{ [1]|map('nothing')|list }}",
    "{{ [1, 'a']|sort }}",
    "{{ 'x'.encode('nothing') }}",
    "{{ '\\ud800'.encode() }}",
    "{{ dict([1]) }}",
    "{% extends 'nothing.j2' %}",
    "{% include response %}",
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "{{ x" + "|upper" * 3000 + " }}",
    "x" * 2_000_000,
]


@pytest.mark.parametrize("template", ENDLESS + WRONG, ids=lambda template: template[:40])
def test_what_cannot_be_printed_is_told_soon_and_in_a_line(template):
    start = time.process_time()
    with pytest.raises(InvalidInput, match='prompt "mine": ') as caught:
        Prompt("mine", template, Expects(1, 10)).messages({"response": "text"})
    assert time.process_time() - start < 2
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2001


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("{% for i in range(3) %}{{ loop.index }}. {% endfor %}", "1. 2. 3."),
        ("{{ '%03d' | format(7) }} {{ 2 ** 3 * 4 }} {{ 'a' ~ 'b' + 'c' }} {{ 'x' * 3 }}", "007 32 abc xxx"),
        ("{% macro f(n) %}<{{ n }}>{% endmacro %}{{ f(1) }}{{ ['b', 'a']|sort|join('-') }}", "<1>a-b"),
        ("{% if response|length > 3 %}long{% endif %}", "long"),
    ],
)
def test_ordinary_templates_are_printed(template, shown):
    (message,) = Prompt("mine", template, Expects(1, 10)).messages({"response": "text"})
    assert message.content == shown
