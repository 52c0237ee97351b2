"""Studies: a file that says what is to be judged, by whom, in which words and for how much, carried out.

In reading order:

- ``file`` is a study file, made of ``kinds`` of judges, ``adaptive`` and ``goal``; ``problems`` says in one line what
  is wrong with one
- ``items`` are what is judged, ``judges`` who judges, ``questions`` everything that may be asked
- ``quote`` says what a run may come to
- ``people`` are judges who answer on a page
- ``loop`` carries a study out; in ``turns``, where what to ask next follows from the answers: ``rounds`` of a
  ``policy``, ``looks`` at a goal that buy what its ``offer`` has, ``battles`` that are drawn
- ``label_studio`` has people answer in another tool
- ``status`` says how far a study is

The folder ``variants`` drafts other wordings of its prompts; ``inspect`` is a panel as a scorer of Inspect AI.
"""
