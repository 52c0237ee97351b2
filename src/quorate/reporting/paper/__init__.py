"""Paper: what a methods section needs, and what a reviewer asks for.

writeup    the paragraph for a methods section, of scores and of labels, with the checklist and the record
record     the study record, what the judgments cannot say; and the reporting checklist that it fills
reproduce  what is needed to do an analysis again
"""
