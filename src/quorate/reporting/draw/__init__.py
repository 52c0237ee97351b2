"""Charts: what all pages draw with.

marks  marks that pages put together
theme  the colours that all share
"""
