"""Prompt variants drafted by paraphrase.

In reading order:

- ``variants`` has a judge word a prompt anew, and writes what can be used
- ``plan`` says what will be asked, and what that may cost
- ``text`` takes a template apart, ``ask`` asks for other words, ``check`` turns drafts down
- ``files`` writes the templates and the lines that name them
"""
