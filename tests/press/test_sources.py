"""What a piece of Python depends on, found without importing it."""

import pytest

from bookproof import sources


def names(paths, root):
    return sorted(path.relative_to(root).as_posix() for path in paths)


def test_modules_are_followed_through_every_form_of_import(another):
    root = another(
        {
            "figures_src/a.py": (
                "import numpy\n"
                "import seqbook.one as o\n"
                "from seqbook import two, CONSTANT\n"
                "from figures_src.b import y\n"
            ),
            "figures_src/b.py": "y = 1\n",
            "figures_src/c.py": "unused = 1\n",
            "seqbook/__init__.py": '"""Only text."""\n',
            "seqbook/one.py": "def f():\n    from tools import three\n",
            "seqbook/two.py": "import figures_src.a\n",  # a circle
            "tools/__init__.py": "LOADED = True\n",
            "tools/three.py": "from . import four\nfrom .five import x\n",
            "tools/four.py": "",
            "tools/five.py": "x = 1\n",
        }
    )
    found = sources.files_behind(root / "figures_src/a.py")
    assert names(found, root) == [
        "figures_src/a.py",
        "figures_src/b.py",
        "seqbook/one.py",
        "seqbook/two.py",
        "tools/__init__.py",
        "tools/five.py",
        "tools/four.py",
        "tools/three.py",
    ]


def test_packages_may_stand_in_src(another):
    root = another({"src/mine/__init__.py": "", "src/mine/one.py": "x = 1\n"})
    found = sources.files_of("from mine.one import x\n")
    assert names(found, root) == ["src/mine/one.py"]


def test_records_and_results_that_are_read_count(another):
    root = another(
        {
            "figures_src/gru/f.py": "from figures_src.lib import g\n",
            "figures_src/gru/h.py": "",
            "figures_src/lib/g.py": "runs('s', T=20)\n",
            "figures_src/studies/s.py": "",
            "figures_src/studies/s.json": "{}",
            "figures_src/studies/other.json": "{}",
        }
    )
    found = sources.files_of("results('f')\n")
    assert names(found, root) == [
        "figures_src/gru/f.py",
        "figures_src/lib/g.py",
        "figures_src/studies/s.json",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 1\n", "x = 1  # one\n", True),
        ("x = 1\n", "\n# one\n\nx = 1\n", True),
        (
            "def f():\n    return 1\n",
            'def f():\n    """F."""\n    return 1\n',
            True,
        ),
        ("x = 1\n", "x = 2\n", False),
        ('x = """a\n\nb"""\n', 'x = """a\nb"""\n', False),
        ('x = "# a"\n', 'x = "# b"\n', False),
        ("if x:\n    y = 1\n", "if x:\n  y = 1\n", False),
    ],
)
def test_what_computes_nothing_does_not_count(one, other, same):
    assert (sources.bare(one) == sources.bare(other)) is same


def test_a_digest_of_files_leaves_comments_out(another):
    root = another({"seqbook/a.py": "x = 1\n", "a.json": "1"})
    paths = [root / "seqbook/a.py", root / "a.json"]
    first = sources.digest(paths)
    assert sources.digest(paths[::-1]) == first
    another({"seqbook/a.py": '"""A."""\nx = 1  # one\n'})
    assert sources.digest(paths) == first
    another({"a.json": "2"})
    assert sources.digest(paths) != first


def test_reached_definitions_follow_every_way_to_name_something(another):
    another(
        {
            "figures_src/toy.py": (
                "from functools import partial\n"
                "import seqbook.whole as w\n"
                "from seqbook import other\n"
                "from seqbook.parts import used as u, idle\n"
                "def study():\n"
                "    from seqbook.late import inside\n"
                "    return inside(u(partial(w.f)))\n"
                "def figure():\n"
                "    return other, idle\n"
            ),
            "seqbook/whole.py": "def f():\n    pass\ndef g():\n    pass\n",
            "seqbook/other.py": "X = 1\n",
            "seqbook/late.py": "def inside(x):\n    return x\n",
            "seqbook/parts.py": (
                '"""Text does not count."""\n'
                "from .deep import mark\n"
                "A, (B, C) = 1, (2, 3)\n"
                "class Base:\n"
                "    pass\n"
                "@mark\n"
                "class Used(Base):\n"
                "    def go(self, n=B):\n"
                "        return n\n"
                "def used(x):\n"
                "    return Used()\n"
                "def idle():\n"
                "    return A\n"
            ),
            "seqbook/deep.py": "def mark(c):\n    return c\nprint(mark)\n",
        }
    )
    reached = sources.reached_definitions("figures_src.toy", "study")
    assert set(reached) == {
        "figures_src.toy.study",
        "seqbook.whole.f",
        "seqbook.whole.g",
        "seqbook.late.inside",
        "seqbook.parts.used",
        "seqbook.parts.Used",
        "seqbook.parts.Base",
        "seqbook.parts.A",  # in the same statement as B
        "seqbook.parts.B",
        "seqbook.parts.C",
        "seqbook.deep.mark",
        "seqbook.deep.",  # the print
    }
    assert reached["seqbook.parts.Used"].startswith("@mark\nclass Used")


def test_a_local_variable_is_no_definition_of_its_module(another):
    another(
        {
            "figures_src/toy.py": (
                "from seqbook import readers\n"
                "N = 1\n"
                "def study(K=N):\n"
                "    readers = []\n"
                "    return [readers for x in range(K)]\n"
            ),
            "seqbook/readers.py": "X = 1\n",
        }
    )
    reached = sources.reached_definitions("figures_src.toy", "study")
    assert set(reached) == {"figures_src.toy.study", "figures_src.toy.N"}


def test_what_the_press_does_is_no_part_of_a_result(another):
    another(
        {
            "figures_src/toy.py": (
                "from bookproof.run.studies import runs\n"
                "def study():\n    return runs\n"
            )
        }
    )
    reached = sources.reached_definitions("figures_src.toy", "study")
    assert set(reached) == {"figures_src.toy.study"}
