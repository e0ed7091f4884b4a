"""Getting a text onto a screen: once, in order, whatever the platform does in between.

reply         a text that grows and then is final
composing     from a final text to its parts, files included
references    the files that a text speaks of (pure)
outbox        copies of files on their way out
drafts        a growing text that is no message yet
screen        the messages it takes, and the steps to make them right
reconcile     the next step, from what is shown to what is wanted (pure)
persistence   what follows when a step fails (pure)
pace          how often a growing text is edited (pure)
gate          the one way out to a platform, as fast as it allows
rates         when the next message may go out (pure)
typing        that something is being made
"""
