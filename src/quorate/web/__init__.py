"""Pages of a study: people as judges, and their study as its owner sees it.

In reading order:

- ``serve`` is `quorate.serve`: the links, and a server until Ctrl-C
- ``app`` puts the pages together; ``guard`` is what holds for all of them: headers, sizes, rates;
  ``connection`` closes those that never say what they want
- ``site`` is what pages share; ``desk`` is the one thread that uses the ledger
- ``enter`` takes a link and gives a cookie; ``person`` is the page of a person, ``live`` that of the owner,
  ``raters`` what the owner sees of people
- ``watch`` is what the owner sees: sums from the ledger, and what ``estimator`` makes of the answers in a process of
  its own; ``machine`` begins and ends runs

A new page is a file with ``routes(site)`` beside ``person``, its line in ``PAGES`` of ``app``, a template in
``templates`` that extends ``base.html``, and what it needs in ``static``: files of our own, since pages load nothing
from elsewhere and hold no scripts themselves. What a page reads or writes goes through ``site.desk``; a long question
to the ledger opens one of its own.
"""
