"""Pages, fetched and read apart from the chats.

wire      what the gateway and the process say to each other
process   the program: a fetcher, a spool, readers
pages     the gateway's side: asks, starts the program, ends it
"""
