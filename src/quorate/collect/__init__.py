"""Collecting: judges are asked exactly the cells that a plan calls for, within a budget, and nothing is lost.

Folders: ``judges`` of every kind, ``parse`` for what they say, the ``ledger`` in which everything is kept, and
the ``runner`` that asks.
"""
