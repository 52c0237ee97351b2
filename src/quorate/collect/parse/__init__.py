"""Parsing: what the words of a judge amount to.

In reading order:

- ``parse`` goes from a reply to a status and a score
- ``reply_text`` takes out what is not said as the answer, and knows refusals
- ``score_forms`` are the forms of a number, ``verdict_forms`` those of a label
"""
