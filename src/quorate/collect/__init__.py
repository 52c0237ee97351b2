"""Collecting: judges are asked exactly the cells that a plan calls for, within a budget, and nothing is lost.

In reading order:

- ``judge`` is what answers a request with a reply, ``expects`` what counts as an answer
- ``prompt`` is the words of a request, a ``template`` over fenced ``material``; a ``sheet`` is the
  same for people
- ``price`` and ``budget`` are what calls cost, and the most that they may
- ``secret`` is a key that does not print

Then the folders: ``judges`` of every kind, ``parse`` for what they say, the ``ledger`` in which everything is kept, and
the ``runner`` that asks.
"""
