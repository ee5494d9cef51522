"""What must hold of the book's sources and of the site built from them.

    python -m bookproof.lint site

Each check returns a list of faults, one line each: "gru.html: what".

Of the site: built.py reads its pages and looks at each (ids, leftovers,
pictures), addresses.py at what they point at and load, digits.py and
formulas.py find a number that nothing accounts for, counts.py holds what is
shown against what was run, weights.py weighs. Of the sources: text.py checks
fences, figures and equations, languages.py that both languages say the same.
"""
