"""Pages of a study: people as judges, and their study as its owner sees it.

A new page is a file with ``routes(site)`` beside ``person``, its line in ``PAGES`` of ``serve``, a template in
``templates`` that extends ``base.html``, and what it needs in ``static``: files of our own, since pages load nothing
from elsewhere and hold no scripts themselves. What a page reads or writes goes through ``site.desk``; a long question
to the ledger opens one of its own.
"""
