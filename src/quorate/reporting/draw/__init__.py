"""Charts: what all pages draw with.

marks   marks that pages put together
layers  marks on one panel
theme   the colours that all share
"""
