"""What every public function of the library owes its reader.

Each test module gives one valid call of every public function of its module
(CALLS) and, for arguments that cannot be changed by rule, another value
(OTHER). From these alone: every argument changes something, inputs stay as
they were, the same call gives the same result, nothing is NaN, and float32
comes out where float32 went in. A module is read in one sitting.
"""

import ast
import copy
import importlib
import inspect
import io
import pkgutil
import tokenize
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch

import seqbook

MODULES = [
    m.name for m in pkgutil.iter_modules(seqbook.__path__) if not m.ispkg
]


def public(name):
    """Name of a module -> its public functions, in order."""
    module = importlib.import_module(f"seqbook.{name}")
    return [
        f
        for key, f in vars(module).items()
        if inspect.isfunction(f)
        and f.__module__ == module.__name__
        and not key.startswith("_")
    ]


def samples(name):
    """Name of a module -> CALLS and OTHER of its tests."""
    tests = importlib.import_module(f"tests.test_{name}")
    return tests.CALLS, getattr(tests, "OTHER", {})


FUNCTIONS = [
    pytest.param(name, f, id=f"{name}.{f.__name__}")
    for name in MODULES
    for f in public(name)
]
# Their work is a change in place, as in torch.nn.init.
IN_PLACE = {
    "set_gate_bias",
    "set_forget_bias",
    "set_update_bias",
    "set_orthogonal",
    "train_until",
    "next_batch",
    "update",
    "train",
}


def is_params(value):
    return is_dataclass(value) and not isinstance(value, type)


def leaves(value):
    """Any result -> flat list of what can be compared."""
    if is_params(value):
        return [
            x for f in fields(value) for x in leaves(getattr(value, f.name))
        ]
    if isinstance(value, dict):
        return [x for k, v in value.items() for x in [k, *leaves(v)]]
    if isinstance(value, list | tuple) or inspect.isgenerator(value):
        return [
            len(value := list(value)),
            *(x for v in value for x in leaves(v)),
        ]
    if isinstance(value, torch.nn.Module):
        return leaves([value.state_dict(), repr(value)])
    if isinstance(value, torch.optim.Optimizer):
        return leaves([value.state_dict(), type(value).__name__])
    if isinstance(value, torch.Tensor):
        return [value.detach().numpy().copy()]
    if isinstance(value, torch.Generator):
        return leaves(value.get_state())
    if isinstance(value, np.random.Generator):
        return [str(value.bit_generator.state)]
    return [] if inspect.isroutine(value) or callable(value) else [value]


def same(a, b):
    """Whether two results are equal, number by number."""
    a, b = leaves(a), leaves(b)
    return len(a) == len(b) and all(
        np.array_equal(x, y, equal_nan=np.asarray(x).dtype.kind == "f")
        if isinstance(x, np.ndarray | np.generic)
        else type(x) is type(y) and (x == y or x is y)
        for x, y in zip(a, b, strict=True)
    )


class Refused(str):
    """The sentence of a ValueError, which is what a check gives."""


def arguments(f):
    return inspect.signature(f).parameters


def outcome(f, values):
    """-> what f returns; with its arguments if it works in place."""
    positional, named = [], {}
    for name, parameter in arguments(f).items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += values[name]
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= values[name]
        elif parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = values[name]
        else:
            positional.append(values[name])
    try:
        result = f(*positional, **named)
    except ValueError as error:
        return Refused(str(error))
    if inspect.isgenerator(result):
        result = list(result)
    return (result, values) if f.__name__ in IN_PLACE else result


def changed(value, rng):
    """-> the other values of one argument that its type suggests."""
    if isinstance(value, np.random.Generator):
        return [np.random.default_rng(987)]
    if is_params(value):
        return [
            replace(value, **{field.name: new})
            for field in fields(value)
            for new in changed(getattr(value, field.name), rng)
        ]
    if isinstance(value, np.ndarray | np.floating):
        array = np.asarray(value)
        if array.dtype.kind in "fc":
            noise = rng.uniform(0.05, 0.2, array.shape)
            new = (array * (1 + noise) + noise).astype(array.dtype)
            return [np.where(np.isfinite(array), new, array)]
        if array.dtype == bool:
            return [~array]
        return [np.ascontiguousarray(array.ravel()[::-1].reshape(array.shape))]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value * 0.7]
    if isinstance(value, list) and all(isinstance(x, int) for x in value):
        return [value[::-1]]
    if isinstance(value, list | tuple | dict):  # a cache, a layer's arrays
        return [jittered(value, rng)]
    return []


def jittered(value, rng):
    """A nested list, tuple or dataclass with all its float arrays changed."""
    if is_params(value):
        return replace(
            value,
            **{
                f.name: jittered(getattr(value, f.name), rng)
                for f in fields(value)
            },
        )
    if isinstance(value, dict):
        return {k: jittered(x, rng) for k, x in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(jittered(x, rng) for x in value)
    is_float = isinstance(value, np.ndarray) and value.dtype.kind in "fc"
    return changed(value, rng)[0] if is_float else value


def as_float32(value):
    """An argument with its float64 arrays in float32."""
    if is_params(value):
        return replace(
            value,
            **{
                f.name: as_float32(getattr(value, f.name))
                for f in fields(value)
            },
        )
    if isinstance(value, dict):
        return {k: as_float32(x) for k, x in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(as_float32(x) for x in value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return value.astype("f4" if value.dtype.kind == "f" else "c8")
    return value


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_has_a_call(name):
    calls, other = samples(name)
    assert set(calls) == set(public(name))
    for f, argument in other:
        assert argument in calls[f](), (f.__name__, argument)
    for f in calls:
        assert set(calls[f]()) == set(arguments(f)), (
            f"{f.__name__}: give every argument"
        )


@pytest.mark.parametrize("name, f", FUNCTIONS)
def test_every_argument_changes_something(name, f):
    calls, other = samples(name)
    before = outcome(f, calls[f]())
    for argument, value in calls[f]().items():
        make = other.get((f, argument))
        rng = np.random.default_rng(0)
        values = [make()] if make else changed(value, rng)
        assert values, f"OTHER needs a value for {argument}"
        seen = []
        for new in values:
            after = outcome(f, {**calls[f](), argument: new})
            refused = isinstance(after, Refused) and name != "checks"
            assert make or not refused, f"{argument}: give OTHER, {after}"
            seen.append(not same(before, after))
        # A backward may leave a field out, such as a bias; no forward may.
        enough = any if "cache" in arguments(f) else all
        assert enough(seen), f"{argument} changes nothing: {seen}"


@pytest.mark.parametrize("name, f", FUNCTIONS)
def test_the_same_call_gives_the_same_and_leaves_its_inputs(name, f):
    calls, _ = samples(name)
    given = calls[f]()
    kept = copy.deepcopy({k: v for k, v in given.items() if not callable(v)})
    first = outcome(f, given)
    assert not isinstance(first, Refused) or name == "checks", first
    if f.__name__ not in IN_PLACE:
        for key, value in kept.items():
            if not isinstance(value, np.random.Generator):
                assert same(given[key], value), f"{key} was changed"
    assert same(first, outcome(f, calls[f]())), "a call leaves a trace"
    for x in leaves(first):
        if isinstance(x, np.ndarray | np.floating | float):
            assert not np.isnan(x).any(), "finite input gave NaN"


@pytest.mark.parametrize("name, f", FUNCTIONS)
def test_float32_stays_float32(name, f):
    calls, _ = samples(name)
    given = calls[f]()
    single = {k: as_float32(v) for k, v in given.items()}
    if same(single, given) or f.__name__ in {"numerical_grad"}:
        return  # no float array goes in: nothing to keep
    for x in leaves(outcome(f, single)):
        if isinstance(x, np.ndarray) and x.ndim and x.dtype.kind in "fc":
            assert x.dtype in ("f4", "c8"), f"{x.dtype} {x.shape} came out"


@pytest.mark.parametrize("name, f", FUNCTIONS)
def test_every_docstring_names_what_goes_in_and_comes_out(name, f):
    text = inspect.getdoc(f)
    assert text, "a docstring is missing"
    annotated = inspect.signature(f).return_annotation
    silent = f.__name__ in IN_PLACE or name == "checks"
    told = "->" in text or annotated is not inspect._empty or silent
    assert told or text.startswith("As "), text  # as another function


def test_every_module_says_its_chapter_and_its_source():
    for name in MODULES:
        text = importlib.import_module(f"seqbook.{name}").__doc__
        assert text.partition("\n")[0].endswith("."), name
        assert "docs/en/" in text, f"{name} names no chapter"


def lines_of_code(name):
    """Lines of a module that hold code: no comment, docstring, blank line."""
    text = inspect.getsource(importlib.import_module(f"seqbook.{name}"))
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    documented = [
        node.body[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds) and ast.get_docstring(node) is not None
    ]
    prose = {n for d in documented for n in range(d.lineno, d.end_lineno + 1)}
    kinds = tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE
    kinds += tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
    code = {
        n
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in kinds
        for n in range(token.start[0], token.end[0] + 1)
    }
    return len(code - prose)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_read_in_one_sitting(name):
    assert lines_of_code(name) <= 200


def test_the_library_stays_small():
    lines = {name: lines_of_code(name) for name in MODULES}
    longest_first = dict(sorted(lines.items(), key=lambda row: -row[1]))
    assert sum(lines.values()) <= 3000, longest_first


def test_the_readme_names_every_module():
    text = (Path(seqbook.__path__[0]).parent / "README.md").read_text("utf-8")
    assert [name for name in MODULES if f"`{name}`" not in text] == []
