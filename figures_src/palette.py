"""The book's colours, for the scripts that do not take a look yet.

Every other script asks the look that its figure(look) is given: see
press/bookproof/run/look.py.
"""

from bookproof.run.look import Look

# For the scripts that do not take a look yet: set before figure() is called.
scheme = "light"
narrow = False


def colour(quantity):
    return Look(scheme, narrow).colour(quantity)


def line(quantity):
    return Look(scheme, narrow).line(quantity)


def size(height=3.2):  # written out: the stamp of a study counts it
    return (4.0, 0.9 * height) if narrow else (7.0, height)
