"""The one kind of error that a reader of the command line is meant to see."""


class RealAttentionError(Exception):
    """What is wrong and what to do, in plain words; the command prints it without a traceback."""
