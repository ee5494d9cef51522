"""The one cache: whole files, exact keys, one at a time."""

import threading

import pytest

from bookproof import kept


@pytest.fixture(autouse=True)
def root(another):
    return another()


def test_what_was_put_is_had_again(root):
    assert kept.get("pages", "a") is None
    kept.put("pages", "a", "门\n")
    assert kept.get("pages", "a") == "门\n"
    assert [path.name for path in (root / ".cache/pages").iterdir()] == ["a"]


def test_a_thing_is_made_only_from_what_its_key_says():
    assert not kept.is_made("bundle", "1")
    kept.made("bundle", "1")
    assert kept.is_made("bundle", "1")
    assert not kept.is_made("bundle", "2")


def test_a_digest_depends_on_name_and_content_not_on_place(root, tmp_path):
    one, two = root / "a.py", root / "b.py"
    one.write_bytes(b"x = 1\n")
    two.write_bytes(b"x = 1\n")
    first = kept.digest(one)
    assert len(first) == 64 and kept.digest(two) != first
    one.write_bytes(b"x = 1\r\n")
    assert kept.digest(one) == first
    one.write_bytes(b"x = 2\n")
    assert kept.digest(one) != first


def test_texts_that_are_joined_differ_from_texts_apart():
    assert kept.digest("ab", "c") != kept.digest("a", "bc")


def test_a_file_that_is_no_text_is_digested_too(root):
    (root / "a.png").write_bytes(b"\x89PNG\xff\xfe")
    assert kept.digest(root / "a.png")


def test_a_file_that_says_the_same_is_left_alone(root):
    path = root / "a.txt"
    kept.write_new(path, "x")
    stamp = path.stat().st_mtime_ns
    kept.write_new(path, "x")
    assert path.stat().st_mtime_ns == stamp
    kept.write_new(path, b"y")
    assert path.read_text() == "y"


def test_one_is_inside_while_the_other_waits():
    inside, most = [], []

    def enter():
        with kept.alone("page"):
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_the_cache_can_be_listed_and_cleared(capsys):
    kept.put("pages", "a", "x")
    kept.main([])
    assert "pages" in capsys.readouterr().out
    kept.main(["clear"])
    assert kept.get("pages", "a") is None
    assert kept.main(["?"]).startswith("usage")
