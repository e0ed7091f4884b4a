"""From a page or a document to a text that a model can read; always in processes of their own.

documents  a chat's documents, part by part
readers    keeps programs ready that read
worker     such a program
shutting   what is taken from it before it reads
texts      does its work, on hostile input; `pdf` and `word` for one kind each
source     what is to be read, and what comes of it
"""
