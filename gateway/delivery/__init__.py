"""Getting a text onto a screen: once, in order, whatever the platform does in between.

reply         a text that grows and then is final
screen        the messages it takes, and the steps to make them right
reconcile     the next step, from what is shown to what is wanted (pure)
persistence   what follows when a step fails (pure)
pace          how often a growing text is edited (pure)
typing        that something is being made
"""
