"""Programs of the machine, for the model: what a command line means, where it runs, what it leaves.

words      a command line as plain commands, or the reason why it is not understood
judgement  how dangerous those are, and what a remembered yes would hold for
bubblewrap the argument list that shuts a command into a chat's workspace
process    one running command: its output within bounds, its end
table      the commands that go on in the background, by chat
"""
