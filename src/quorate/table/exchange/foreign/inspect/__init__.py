"""Logs of Inspect AI: archives (`.eval`) and JSON, one row for each grader of each attempt at a sample.

- members: members of an archive, unpacked block by block
- streamed: JSON that is too large to be held
- marks: scores as numbers and statuses; who gave them
- scorers: what a log says of its scorers and graders
- attempts: what a log says of its run and of each attempt
- log: the rows
"""
