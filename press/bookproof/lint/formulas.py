"""The numbers that a formula states, read as TeX, row by row, by clauses.

A clause `symbol = number` (`T = 100`, `D = H = 64`, `x = (1, 0, 0)`) gives a
symbol its value and is accounted for. Any other clause is general, whatever
digits it holds, except what comes after `=`, `\\approx` or `≈` and is a
number without letters, and a formula that is nothing but a number; of those,
only intervals and sets of single digits, as in `[0, 1]`, may stand unchecked.
"""

import re

# Commands that stand in a number, or only move it about.
NUMERIC = re.compile(
    r"\\(?:times|cdot|[tdc]?frac|left|right|[bB]ig+[lr]?|quad|qquad|pm|mp|sqrt"
    r"|displaystyle|textstyle|not|ne|hat|[,;:! %{}|])|[&~]|\\$"
)
UNIT = re.compile(
    r"(?<=[\d}])((?:\\[,;: ]|\s|~)*)\\(?:text|mathrm|textrm|mathsf)\{[^{}]*\}"
)
RELATION = re.compile(
    r"(\\approx|\\simeq|\\cong|\\equiv|≈|=)"
    r"|(\\(?:l|g)(?:e|eq|l|g|t)(?![a-z])|\\neq?(?![a-z])|\\to(?![a-z])"
    r"|\\(?:Rightarrow|iff|implies|quad|qquad|text|propto|sim|in|mapsto|mid)"
    r"(?![a-z])|[<>;≤≥→])"
)
SYMBOL = (
    r"(?:\\(?:mathbf|mathrm|mathit|boldsymbol|hat|tilde|bar|vec|text)"
    r"\s*(?:\{[A-Za-z]+\}|[A-Za-z])|\\[A-Za-z]+|[A-Za-z])"
    r"(?:'|(?:[_^](?:\{[^{}=]*\}|\\[A-Za-z]+|[A-Za-z0-9*+-])))*"
)
SIGNED = (
    r"(?:\\pm)?[-+]?(?:\d+(?:\.\d+)?(?:\\times10\^(?:\{-?\d+\}|\d))?"
    r"|10\^(?:\{-?\d+\}|\d)|\\[td]?frac(?:\{\d+\}\{\d+\}|\d\d)"
    r")(?:/\d+)?(?:\\%)?"
)
VALUE = rf"(?:{SIGNED}|[(\[]{SIGNED}(?:,{SIGNED})*[)\]](?:\^\\top)?)"
NAMES = rf"(?:{SYMBOL}|\({SYMBOL}(?:,{SYMBOL})*\))"
GIVEN = re.compile(rf"(?:{NAMES}=)+{VALUE}[.]?")
SEPARATORS = {",", ";", "，", "、", r"\quad", r"\qquad"}
SMALL_SET = re.compile(r"(?:[(\[]|\\\{)-?\d(?:,-?\d)*(?:[)\]]|\\\})")


def rows(tex):
    """TeX -> its rows, without numbers of equations and environments."""
    tex = re.sub(r"\\tag\*?\{[^{}]*\}|\\label\{[^{}]*\}|\\notag", "", tex)
    tex = re.sub(
        r"\\(?:begin|end)\{(?:align|aligned|gather|gathered|equation"
        r"|split|multline)\*?\}",
        "",
        tex,
    )
    tex = tex.replace("{,}", "").replace("{=}", "=")
    tex = re.sub(r"(\d)(?:\\,|~)(?=\d{3}(?!\d))", r"\1", tex)
    tex = UNIT.sub("", tex)
    return re.split(r"\\\\(?:\[[^\]]*\])?", tex)


def clauses(row):
    """A row of TeX, split at commas and wide spaces outside all brackets."""
    depth, start, i = 0, 0, 0
    found = []
    while i < len(row):
        token = re.match(r"\\[A-Za-z]+|\\.|.", row[i:], re.DOTALL).group()
        if token in ("{", "(", "[", r"\{"):
            depth += 1
        elif token in ("}", ")", "]", r"\}"):
            depth -= 1
        elif depth <= 0 and token in SEPARATORS:
            found.append(row[start:i])
            start = i + len(token)
        i += len(token)
    return [*found, row[start:]]


def at_top(clause):
    """The clause with everything inside braces blanked, for finding signs."""
    kept, depth = [], 0
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", clause, re.DOTALL):
        if token == "}":
            depth -= 1
        kept.append(token if depth <= 0 else " " * len(token))
        if token == "{":
            depth += 1
    return "".join(kept)


def is_number(tex):
    """True if a piece of TeX has digits and no letters."""
    bare = NUMERIC.sub(" ", tex)
    return bool(re.search(r"\d", bare)) and not re.search(
        r"[A-Za-z\\\u4e00-\u9fff]", bare
    )


def loose_formula(tex):
    """The numbers of a formula that nothing accounts for, as TeX."""
    found = []
    whole = is_number(" ".join(rows(tex)))
    for row in rows(tex):
        for clause in clauses(row):
            # spaces, alignment and thin spaces say nothing here
            tight = re.sub(
                r"\\[,;:! ]|\\left(?![a-z])|\\right(?![a-z])", "", clause
            )
            tight = re.sub(r"\\q?quad(?![a-z])|[\s&~]", "", tight)
            if GIVEN.fullmatch(tight) or SMALL_SET.fullmatch(tight):
                continue
            found += loose_sides(clause, whole)
    return found


def loose_sides(clause, whole):
    """Bare numbers after a sign of equality; all, where all is numbers."""
    signs = [*RELATION.finditer(at_top(clause))]
    if not signs:
        return [clause.strip()] if whole and is_number(clause) else []
    ends = [match.start() for match in signs[1:]] + [len(clause)]
    return [
        clause[match.start() : end].strip()
        for match, end in zip(signs, ends, strict=True)
        if match.group(1) and is_number(clause[match.end() : end])
    ]
