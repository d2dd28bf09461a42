"""The pages of docs/reference/, made of what the code says of itself.

A page takes names, types and defaults from the code, and words from docstrings, help texts and tables. Where the code has no place for
words (what to do about an error, when an event comes) they stand here, beside the page that they are for: a name of the code's that has no
words, and words for a name that there is not, are both an `Undocumented`. It is no documentation tool: it knows how this project writes.
"""
