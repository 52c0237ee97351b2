"""Studies: a file that says what is to be judged, by whom, in which words and for how much, carried out.

The folder ``variants`` drafts other wordings of its prompts; ``inspect`` is a panel as a scorer of Inspect AI.
"""
