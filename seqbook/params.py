"""Walk through the arrays of a parameter dataclass, nested ones included.

Chapter: docs/en/rnn.md. Gradients come in the dataclass of the parameters,
so one function that applies to array by array serves them all.
"""

from dataclasses import fields, is_dataclass


def map_params(function, *params):
    """Dataclasses (or lists) of arrays -> the same of function(*arrays)."""
    first = params[0]
    if is_dataclass(first):
        names = [field.name for field in fields(first)]
        columns = [[getattr(p, name) for p in params] for name in names]
        return type(first)(*(map_params(function, *c) for c in columns))
    if isinstance(first, list | tuple):
        columns = zip(*params, strict=True)
        return type(first)(map_params(function, *c) for c in columns)
    return function(*params)


def arrays_of(params):
    """Dataclass or list of arrays, nested or not -> flat list of them."""
    found = []
    map_params(found.append, params)
    return found
