"""Commands on votes between two systems.

- `doctor`: what a file of votes supports.
- `plan`: how many votes are needed.
- `analyze`: the verdict on two systems, or how far apart all pairs are; `show` prints it.
- `monitor`: whether votes that are still coming in already decide.
- `replay`: what smaller studies would have found.
- `asked`: two systems or all pairs, for both.
"""
