"""Chats and their turns: what happens between a message that was let in and its answer.

directory   all chats that have work; the way in, and the orderly end
chat        one chat: its inbox, and the task that answers message by message
turn        one turn: the loop between an agent and its effects; stop, silence, failure
effects     carries out what an agent asks for: model, tools, questions, texts
records     what is to be kept: history and memory, in the agent's order
tool_calls  the tool calls of a turn: admitted, approved, noted, carried out in order
approving   a yes before a call, or one that was given for longer
asking      shows questions, and waits for their answers
questions   what is asked of people, and who may answer
messages    what a host says to an agent
host        the parts that all turns share
"""
