"""Annotation by people, a module for each tool.

- label_studio, argilla, prodigy: exports of what people annotated
- mturk: results of a batch of Mechanical Turk
"""
