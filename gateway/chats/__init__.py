"""Chats and their turns: what happens between a message that was let in and its answer.

directory   all chats that have work; the way in, and the orderly end
chat        one chat: its `inbox`, and the task that answers message by message
joining     which pieces that wait are one message; `asides` what the next is told beside it
busy        what happens to a message that comes while an answer is written; `steers` go into it
turn        one turn: the loop between an agent and its effects; stop, silence, failure
arrival     what a turn begins with; `messages` is what a host says to an agent
effects     carries out what an agent asks for: model, tools, questions, texts
tool_calls  the tool calls of a turn: admitted, approved, noted, carried out in order
approving   a yes before a call, or one that was given for longer
child       an agent that another one has set to work
asking      shows questions, and waits for their answers; `answering` has those in speech
questions   what is asked of people, and who may answer
voice       what a turn shows: the growing answer, `activity` of tools, `outgoing` files, `marks`
records     what is to be kept: history and memory, in the agent's order
journal     what is written down before it happens; `past` reads it, `recovery` goes on with it
host        the parts that all turns share
"""
