"""Statistics on arrays: arrays in, arrays out. Folders: mixed, links, ratings, votes, sequential, panel."""
