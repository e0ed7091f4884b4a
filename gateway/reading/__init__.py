"""From a page or a document to a text that a model can read; always in processes of their own.

texts    does the work, on hostile input
worker   the program that does it
readers  keeps such programs ready
"""
