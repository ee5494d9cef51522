"""Skip-gram with negative sampling: our pairs per second against gensim's.

Run: OMP_NUM_THREADS=1 python -m tests.benchmarks.bench_sgns. One thread and
float32 for both, the same text, window and noise; gensim updates after every
pair, we after a batch. It never fails, since a time says as much about the
machine as about the code.
"""

import numpy as np
from gensim.models import Word2Vec

from seqbook.word2vec import (
    context_windows,
    noise_distribution,
    skipgram_pairs,
    train_embeddings,
)
from tests.benchmarks.bounds import medians

V, D, WINDOW, K = 10_000, 100, 5, 5
SENTENCES, LENGTH = 1500, 20
BATCH, ROUNDS = 256, 5


def make_runs():
    """Two functions of no argument by whose, the number of pairs of each."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, V + 1)  # Zipf
    text = rng.choice(V, size=(SENTENCES, LENGTH), p=share / share.sum())
    windows = [context_windows(ids, WINDOW) for ids in text]
    centres, contexts = skipgram_pairs(text.ravel(), np.concatenate(windows))
    counts = np.bincount(text.ravel(), minlength=V)
    noise = noise_distribution(counts).astype(np.float32)
    steps = len(centres) // BATCH

    words = [[str(v) for v in ids] for ids in text]
    model = Word2Vec(
        sg=1,
        hs=0,
        negative=K,
        window=WINDOW,
        shrink_windows=False,
        vector_size=D,
        sample=0,
        min_count=1,
        workers=1,
    )
    model.build_vocab(words)

    def ours():
        rng = np.random.default_rng(1)
        inputs = centres[:, None]
        return train_embeddings(
            rng, inputs, contexts, noise, D, K, steps, BATCH
        )

    def theirs():
        return model.train(words, total_examples=SENTENCES, epochs=1)

    pairs = {"numpy": steps * BATCH, "gensim": len(centres)}
    return {"numpy": ours, "gensim": theirs}, pairs


def main():
    runs, pairs = make_runs()
    took = medians(runs, ROUNDS)
    rate = {whose: pairs[whose] / took[whose] for whose in runs}
    print(
        f"skip-gram pairs per second: numpy {rate['numpy']:,.0f}, gensim "
        f"{rate['gensim']:,.0f}, ratio {rate['gensim'] / rate['numpy']:.1f}"
    )


if __name__ == "__main__":
    main()
