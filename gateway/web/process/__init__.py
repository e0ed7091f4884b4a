"""What is fetched, fetched in a process apart from the chats.

wire      what the gateway and the process say to each other
program   the program: a fetcher, a spool, readers
client    the gateway's side: asks, starts the program, ends it
"""
