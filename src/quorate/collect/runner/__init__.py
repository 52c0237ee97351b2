"""The runner: asks judges what a ledger has planned.

In reading order:

- ``run`` begins a run and ends it at once or after what is in flight
- ``work`` is a runner at work, turn by turn
- ``lane`` is one judge: how fast it may be asked, when it rests, when it is dead
- ``limits`` are how hard judges are asked, and how long one waits
- ``settle`` says what becomes of a cell after a reply
- ``hold`` says by which number cells are held
- ``unsaved`` keeps what a ledger could not take for the next run
- ``disk`` makes the ledger's transactions off the event loop
- ``outcome`` is how far a run is, and why it ended
"""
