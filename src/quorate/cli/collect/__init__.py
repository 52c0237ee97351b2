"""Commands that collect judgments.

- `init`: a study file to begin with.
- `variants`: other wordings of a prompt.
- `run`: the study carried out; `quoting` says its price and asks for a yes.
- `status`: how far it is; `interim`: what it says so far.
- `annotation_tasks`, `take_annotations`: people who answer in Label Studio.
- `serve`: its pages, for people who are judges and for its owner.
"""
