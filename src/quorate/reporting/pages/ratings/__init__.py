"""Pages of leaderboards: `page`, systems in order by votes or by scores; `boards`, one for every level of a facet."""
