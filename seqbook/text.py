"""Text to integer ids, and ids to text.

Chapter: docs/en/language_models.md. Source: Sennrich et al. 2016, Algorithm 1
(subwords). A vocabulary is a dict from token to id, in the order of its ids.
Text is first brought to Unicode NFC: one way to write each accent.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np

from seqbook.checks import check_integers, check_positive

SPECIALS = "<pad>", "<unk>", "<bos>", "<eos>"
PAD, UNK, BOS, EOS = range(4)
HELP_SHA256 = (
    "ed29248af5df7c582ef02485b6f09c025fc927d39e9aee78fa6cf2b426ad90a3"
)


def help_topics():
    """-> {name: text}, what help(name) prints in Python 3.11.7, by name.

    Kept with the book, because another Python has other words; (c) Python
    Software Foundation, PSF License 2. ValueError if a letter differs.
    """
    folder = Path(__file__).parent / "data" / "help_topics"
    found = {
        file.stem: file.read_text("utf-8") for file in folder.glob("*.txt")
    }
    topics = dict(sorted(found.items()))
    whole = "\n".join([*topics, *topics.values()])
    digest = hashlib.sha256(whole.encode()).hexdigest()
    if digest != HELP_SHA256:
        raise ValueError(
            f"{folder} must hold the help topics of Python 3.11.7, "
            f"SHA-256 {HELP_SHA256}, got {digest}"
        )
    return topics


def topic_sentences(least: int = 20, most: int = 120):
    """-> sentences of Python's own help, `least` to `most` characters."""
    text = " ".join(" ".join(help_topics().values()).split())
    found = dict.fromkeys(re.split(r"(?<=[.:!?]) ", text))  # each once
    return [s for s in found if least <= len(s) <= most]


def words(text: str):
    """-> list of lower-case words, with punctuation marks as words."""
    text = unicodedata.normalize("NFC", text).lower()
    return re.findall(r"\w+(?:['’]\w+)*|[^\w\s]", text)


def characters(text: str):
    """-> list of characters, white space included; right for Chinese."""
    return list(unicodedata.normalize("NFC", text))


def build_vocabulary(tokens, min_count: int = 1):
    """All tokens of a text -> dict to ids: specials, then by frequency.

    Rarer ones than min_count have no id; equals stand in code-point order.
    """
    check_positive(min_count=min_count)
    counts = Counter(tokens)
    kept = {t for t, n in counts.items() if n >= min_count} - {*SPECIALS}
    ranked = sorted(kept, key=lambda token: (-counts[token], token))
    return {token: i for i, token in enumerate([*SPECIALS, *ranked])}


def encode(vocabulary, tokens):
    """-> ids (n,) int, and the list of tokens that became <unk>."""
    ids = [vocabulary.get(token, UNK) for token in tokens]
    unknown = [t for t, i in zip(tokens, ids, strict=True) if i == UNK]
    return np.array(ids, int), unknown


def decode(vocabulary, ids):
    """ids (n,) int -> list of tokens; ValueError if one has no token."""
    tokens = list(vocabulary)
    ids = check_integers("ids", ids, "n", high=len(tokens) - 1)
    return [tokens[i] for i in ids]


def learn_bpe(words, merges: int):
    """List of words -> the pairs to merge in turn, at most `merges`.

    Always the most frequent pair of neighbours; of equals, the first seen.
    """
    check_positive(merges=merges)
    counts, learned = Counter(words), []
    split = {word: [*word, "</w>"] for word in counts}
    while len(learned) < merges:
        pairs = Counter()
        for word, symbols in split.items():
            for pair in pairwise(symbols):
                pairs[pair] += counts[word]
        if not pairs:  # every word has become one symbol
            break
        learned.append(max(pairs, key=pairs.get))
        split = {w: _merge(s, learned[-1]) for w, s in split.items()}
    return learned


def apply_bpe(learned, word: str):
    """Pairs from learn_bpe, any word -> its symbols, to the end </w>."""
    symbols = [*word, "</w>"]
    for pair in learned:
        symbols = _merge(symbols, pair)
    return symbols


def _merge(symbols, pair):
    """-> symbols with this pair joined wherever it stands."""
    merged = []
    for symbol in symbols:
        if (*merged[-1:], symbol) == pair:
            merged[-1] += symbol
        else:
            merged.append(symbol)
    return merged
