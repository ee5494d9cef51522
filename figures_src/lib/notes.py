"""Words beside points, and the names of lines at their ends."""


def note(ax, text, at, shift=(0, 0), **style):
    """A few words at the point `at` of the data, moved by `shift` points."""
    style = {"textcoords": "offset points", "fontsize": 9.5} | style
    ax.annotate(text, at, shift, **style)


def end_note(ax, text, at, colour, shift=(5, 0)):
    """The name of a line, to the right of its end, outside the axes too."""
    style = {"va": "center", "color": colour, "annotation_clip": False}
    note(ax, text, at, shift, **style)
