"""Skills: what an agent can look up when it is needed: folders with a `SKILL.md`.

skill     what one is, and what may stand in it; pure
library   those of the installation and of each chat, on the disk
"""
