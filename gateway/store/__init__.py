"""What is kept: one narrow `Protocol` for each concern, and beside it what keeps that in SQLite.

sqlite         opens the one file and gives out the stores over it, each in a `sqlite_….py`
schema         the numbered migrations
private_files  folders and files that only their owner may read
"""
