"""Votes on all pairs of systems.

- `page`: the page of a table of votes.
- `read`: what was read; `words`: how votes are taken.
- `ties`: what ties do.
- `smaller`: pages on what smaller studies would have found.
- `battles`: the page on which pairs get the next votes.
- `protocols`: the page on two ways of collecting votes; `standings`: that of pairs watched as votes come in.
"""
