"""Mutation tests: does a test fail when one operator, number or argument of the source is another?

Files in reading order: mutants, planting, reach, trial, report; `python -m mutation` (`make mutate`) puts them
together.

mutmut makes the mutants; its own runner is not used. It writes one package with all mutants in it (25,000 functions for
`numerics`): every process that a test starts imports them again, tests of the source itself find it changed, and no
sample can be drawn before all is written. Here the sample is drawn first, a mutant is one module of one process,
nothing is written into the tree, and what a fixture that several tests share reaches counts for each of them.
"""
