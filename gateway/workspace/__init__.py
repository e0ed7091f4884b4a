"""A folder of its own for each chat: what people send, what tools write, what is to be shown.

workspace   one chat's folder; no path leads out of it, whatever is on the disk
paths       what a path may look like, and names that are safe; pure
writing     a file that is being written; `changing` lets one change a file after the other
trees       whole trees, measured and removed
"""
