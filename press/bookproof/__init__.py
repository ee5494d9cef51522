"""What turns chapters into pages, and keeps their numbers true.

The press knows nothing of the models in seqbook, and they know nothing of
it: another book can use it as it stands.
"""
