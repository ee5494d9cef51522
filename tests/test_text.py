import collections
import hashlib
import re
import shutil
import sys
import tomllib
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook import text as module
from seqbook.text import (
    BOS,
    EOS,
    PAD,
    SPECIALS,
    UNK,
    apply_bpe,
    build_vocabulary,
    characters,
    decode,
    encode,
    help_topics,
    learn_bpe,
    topic_sentences,
    words,
)

FOX = "The quick brown fox jumps over the lazy dog"
PAPER = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3
ROOT = Path(__file__).parents[1]
fast = settings(deadline=None, derandomize=True, max_examples=25)


def test_words_are_counted_as_a_reader_counts_them():
    assert words("Hello") == ["hello"]
    assert len(words(FOX)) == 9
    assert words("The cat sat on the")[0] == words("The cat sat on the")[4]
    assert words("I don't know, he said.\n") == [
        *("i", "don't", "know", ",", "he", "said", ".")
    ]
    assert words("l’amour (1986)") == ["l’amour", "(", "1986", ")"]
    assert words(" \n\t") == []


def test_same_characters_in_another_order_are_another_text():
    assert characters("我爱你") == ["我", "爱", "你"]
    one, other = characters("我爱你"), characters("你爱我")
    assert sorted(one) == sorted(other) and one != other


def test_chinese_is_cut_by_characters_because_words_have_no_spaces():
    assert words("今天天气很好。") == ["今天天气很好", "。"]
    assert characters("好。\n") == ["好", "。", "\n"]


@fast
@given(st.text())
def test_both_ways_to_write_an_accent_give_the_same_tokens(text):
    composed, apart = (
        unicodedata.normalize(form, text) for form in ("NFC", "NFD")
    )
    for cut in (characters, words):
        assert cut(apart) == cut(composed)
    assert "".join(characters(text)) == composed


def test_accent_is_one_character():
    assert characters("cafe\u0301") == ["c", "a", "f", "\u00e9"]
    assert words("Cafe\u0301!") == ["caf\u00e9", "!"]


def test_vocabulary_of_a_corpus_counted_by_hand():
    tokens = "b a b c a b d".split()  # b 3, a 2, c 1, d 1
    ids = {"<pad>": PAD, "<unk>": UNK, "<bos>": BOS, "<eos>": EOS}
    ids |= {"b": 4, "a": 5, "c": 6, "d": 7}
    assert [*build_vocabulary(tokens).items()] == [*ids.items()]
    assert [*build_vocabulary(tokens, 2)] == [*SPECIALS, "b", "a"]
    assert [*build_vocabulary(tokens, 3)] == [*SPECIALS, "b"]
    assert [*build_vocabulary(tokens, 4)] == [*build_vocabulary([])]


def test_padding_has_id_0_and_the_specials_their_own_names():
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)
    assert SPECIALS == ("<pad>", "<unk>", "<bos>", "<eos>")


@fast
@given(st.lists(st.sampled_from("abcde"), max_size=20), st.integers(0, 9))
def test_order_of_the_text_does_not_change_the_ids(tokens, seed):
    mixed = np.random.default_rng(seed).permutation(tokens).tolist()
    vocabulary = build_vocabulary(tokens)
    assert [*vocabulary.items()] == [*build_vocabulary(mixed).items()]
    counts = [tokens.count(token) for token in [*vocabulary][4:]]
    assert counts == sorted(counts, reverse=True)
    assert [*vocabulary.values()] == [*range(len(vocabulary))]


def test_special_name_in_a_text_keeps_its_id():
    # some corpora hold "<unk>" as a word, in place of every rare one
    vocabulary = build_vocabulary(["the", "<unk>", "<unk>", "sat"])
    assert [*vocabulary] == [*SPECIALS, "sat", "the"]
    ids, unknown = encode(vocabulary, ["the", "<unk>"])
    assert ids.tolist() == [5, UNK] and unknown == ["<unk>"]


def test_unknown_words_are_reported_in_order_with_repeats():
    vocabulary = build_vocabulary(words(FOX))
    ids, unknown = encode(vocabulary, words("the cat saw the fox, the cat"))
    assert unknown == ["cat", "saw", ",", "cat"]
    assert np.sum(ids == UNK) == len(unknown)
    assert decode(vocabulary, ids)[:3] == ["the", "<unk>", "<unk>"]


def test_rare_word_is_unknown_and_a_frequent_one_is_not():
    tokens = "a a b".split()
    ids, unknown = encode(build_vocabulary(tokens, 2), tokens)
    assert ids.tolist() == [4, 4, UNK] and unknown == ["b"]


@fast
@given(st.text(), st.sampled_from([characters, words]))
def test_ids_of_a_known_text_lead_back_to_it(text, cut):
    vocabulary = build_vocabulary(cut(text))
    ids, unknown = encode(vocabulary, cut(text))
    assert decode(vocabulary, ids) == cut(text)
    assert unknown == [] and ids.dtype.kind == "i"
    assert ids.shape == (len(cut(text)),) and (ids >= len(SPECIALS)).all()


def test_teacher_forcing_reads_from_bos_and_asks_to_eos():
    tokens = ["a", "b"]
    vocabulary = build_vocabulary(tokens)
    ids = [BOS, *encode(vocabulary, tokens)[0], EOS]
    assert decode(vocabulary, ids[:-1]) == ["<bos>", "a", "b"]
    assert decode(vocabulary, ids[1:]) == ["a", "b", "<eos>"]


def paper_bpe(words, merges):
    """Algorithm 1 as printed: words as strings, symbols between spaces."""
    split = collections.Counter(" ".join([*word, "</w>"]) for word in words)
    learned = []
    for _ in range(merges):
        pairs = collections.defaultdict(int)
        for word, count in split.items():
            symbols = word.split(" ")
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += count
        if not pairs:
            break
        learned.append(max(pairs, key=pairs.get))
        bigram = re.escape(" ".join(learned[-1]))
        joined = "".join(learned[-1])
        split = {
            re.sub(rf"(?<!\S){bigram}(?!\S)", joined, word): count
            for word, count in split.items()
        }
    return learned, [word.split(" ") for word in split]


def test_merges_of_the_paper_are_found_in_its_order():
    assert learn_bpe(PAPER, 10) == [
        *[("e", "s"), ("es", "t"), ("est", "</w>"), ("l", "o"), ("lo", "w")],
        *[("n", "e"), ("ne", "w"), ("new", "est</w>"), ("low", "</w>")],
        ("w", "i"),
    ]


def test_unseen_word_is_cut_into_known_pieces():
    learned = learn_bpe(PAPER, 10)
    assert apply_bpe(learned, "lowest") == ["low", "est</w>"]
    assert apply_bpe(learned, "low") == ["low</w>"]
    assert apply_bpe(learned, "lows") == ["low", "s", "</w>"]
    assert apply_bpe([], "low") == ["l", "o", "w", "</w>"]
    assert apply_bpe(learned, "") == ["</w>"]


def test_pair_that_overlaps_itself_is_joined_from_the_left():
    assert apply_bpe([("a", "a")], "aaa") == ["aa", "a", "</w>"]
    assert apply_bpe([("a", "a")], "aaaa") == ["aa", "aa", "</w>"]


def test_merges_apply_in_the_order_in_which_they_were_learned():
    assert apply_bpe([("a", "b"), ("b", "c")], "abc") == ["ab", "c", "</w>"]
    assert apply_bpe([("b", "c"), ("a", "b")], "abc") == ["a", "bc", "</w>"]
    assert apply_bpe([("b", "c"), ("ab", "c")], "abc") == ["a", "bc", "</w>"]


@fast
@given(
    st.lists(st.text("abc的", min_size=1, max_size=6), max_size=8),
    st.integers(1, 12),
)
def test_subwords_equal_the_algorithm_as_printed(corpus, merges):
    learned = learn_bpe(corpus, merges)
    want, split = paper_bpe(corpus, merges)
    assert learned == want and len(learned) <= merges
    distinct = [*dict.fromkeys(corpus)]
    assert [apply_bpe(learned, word) for word in distinct] == split
    for word in [*distinct, "的abcabc"]:
        assert "".join(apply_bpe(learned, word)) == word + "</w>"


def test_learning_ends_when_every_word_is_one_symbol():
    assert learn_bpe(["ab"], 99) == [("a", "b"), ("ab", "</w>")]
    assert learn_bpe([], 3) == []


def test_errors_say_what_was_wrong_and_what_was_expected():
    vocabulary = build_vocabulary("ab")
    bad = [
        (lambda: build_vocabulary("ab", 0), "min_count .*at least 1, got 0"),
        (lambda: decode(vocabulary, [4, 6]), "ids .*0 to 5 .*got 4 to 6"),
        (lambda: decode(vocabulary, np.array([-1])), "ids .*got -1 to -1"),
        (lambda: decode(vocabulary, [1.5]), "ids .*got .*float64"),
        (lambda: learn_bpe(["ab"], 0), "merges .*at least 1, got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def test_help_topics_are_those_the_book_was_made_from():
    topics = help_topics()
    assert len(topics) == 79 and list(topics) == sorted(topics)
    assert sum(map(len, topics.values())) == 464_970
    lines = "".join(f"{name}\n{topics[name]}\n" for name in sorted(topics))
    digest = hashlib.sha256(lines.encode()).hexdigest()
    assert digest[:16] == "b25a9eaf18663901"


@pytest.mark.skipif(
    sys.version_info[:3] != (3, 11, 7), reason="another Python, other topics"
)
def test_help_topics_are_those_of_python_3_11_7():
    from pydoc_data.topics import topics

    assert help_topics() == topics


def test_help_topics_are_read_whatever_the_line_endings(tmp_path, monkeypatch):
    """As git may write them on Windows."""
    source, topics = Path(module.__file__), help_topics()
    for file in (source.parent / "data" / "help_topics").glob("*.txt"):
        copy = tmp_path / "data" / "help_topics" / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.read_text("utf-8"), "utf-8", newline="\r\n")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "text.py"))
    assert help_topics() == topics


@pytest.mark.parametrize("change", ["one letter", "one name", "one file"])
def test_help_topics_refuse_a_text_that_was_changed(
    tmp_path, monkeypatch, change
):
    data = Path(module.__file__).parent / "data"
    shutil.copytree(data, tmp_path / "data")
    file = tmp_path / "data" / "help_topics" / "if.txt"
    if change == "one letter":
        file.write_text(file.read_text("utf-8").replace("The", "She", 1))
    elif change == "one name":
        file.rename(file.with_stem("iff"))
    else:
        file.unlink()
    monkeypatch.setattr(module, "__file__", str(tmp_path / "text.py"))
    with pytest.raises(ValueError, match="help topics of Python 3.11.7, SHA"):
        help_topics()


def test_nothing_reads_the_help_of_the_python_that_happens_to_run():
    for folder in ("seqbook", "press", "figures_src", "docs", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md") and path != Path(__file__):
                assert "pydoc_data" not in path.read_text("utf-8"), path


def test_the_package_takes_the_texts_along():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["seqbook"]
    taken = {p for each in patterns for p in (ROOT / "seqbook").glob(each)}
    kept = (ROOT / "seqbook" / "data").rglob("*")
    assert {path for path in kept if path.is_file()} <= taken
    assert ROOT / "seqbook" / "data" / "help_topics" / "LICENSE" in taken


def test_sentences_are_different_and_of_the_lengths_asked_for():
    sentences = topic_sentences(least=30, most=40)
    assert len(set(sentences)) == len(sentences) > 100
    assert {len(s) for s in sentences} == set(range(30, 41))
    assert not any("  " in s or "\n" in s for s in sentences)


CALLS = {
    help_topics: lambda: {},
    topic_sentences: lambda: dict(least=30, most=40),
    words: lambda: dict(text="The cat sat."),
    characters: lambda: dict(text="我爱你"),
    build_vocabulary: lambda: dict(tokens=["a", "b", "b"], min_count=2),
    encode: lambda: dict(
        vocabulary=build_vocabulary(["a", "b", "b"]), tokens=["a", "b", "c"]
    ),
    decode: lambda: dict(
        vocabulary=build_vocabulary(["a", "b", "b"]), ids=[4, 5, 2]
    ),
    learn_bpe: lambda: dict(words=PAPER, merges=10),
    apply_bpe: lambda: dict(learned=learn_bpe(PAPER, 10), word="lowest"),
}
OTHER = {
    (words, "text"): lambda: "The dog sat.",
    (characters, "text"): lambda: "你爱我",
    (build_vocabulary, "tokens"): lambda: ["a", "a", "b"],
    (encode, "vocabulary"): lambda: build_vocabulary(["a", "a", "b"]),
    (encode, "tokens"): lambda: ["b", "a", "c"],
    (decode, "vocabulary"): lambda: build_vocabulary(["a", "a", "b"]),
    (learn_bpe, "words"): lambda: ["low", "lower"],
    (apply_bpe, "learned"): lambda: [("w", "e")],
    (apply_bpe, "word"): lambda: "newest",
}
