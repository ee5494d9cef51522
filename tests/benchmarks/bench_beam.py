"""Our beam search against transformers' generate, over one and the same net.

Run: OMP_NUM_THREADS=1 python -m tests.benchmarks.bench_beam, after pip
install transformers, which nothing else here needs. The net is a small
random GPT-2 that reads the whole prefix at every step, for both alike, so
that what differs is the search around it. Both must find the same ids with
the same log-probability. Prints ratios of interleaved medians beside the
bound; it never fails over a time.
"""

from functools import partial

import numpy as np
import torch

from seqbook.decoding import beam_search
from tests.benchmarks.bounds import medians, row

V, LENGTH, BEGIN, END = 1000, 30, 1, 0
WIDTHS = 5, 20
ROUNDS = 9
BOUND = 1.5


def make_net(transformers):
    """A random GPT-2 that never ends, so that all searches are as long."""
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=V, n_positions=64, n_embd=64, n_layer=2, n_head=4
    )
    net = transformers.GPT2LMHeadModel(config).eval()
    head = torch.nn.Linear(64, V)  # its own: ids would repeat otherwise
    torch.nn.init.normal_(head.weight, std=0.5)
    torch.nn.init.zeros_(head.bias)
    head.bias.data[END] = -50
    net.lm_head = head
    return net


def ours(net, K):
    def step(ids, prefix):
        prefix = np.column_stack([prefix, ids])
        with torch.inference_mode():
            out = net(
                torch.from_numpy(prefix), use_cache=False, logits_to_keep=1
            )
            return out.logits[:, 0].log_softmax(-1).numpy(), prefix

    none = np.empty((1, 0), np.int64)
    best = beam_search(step, none, BEGIN, END, K, LENGTH)[0]
    return best.ids, best.log_p


def theirs(net, K):
    with torch.inference_mode():
        out = net.generate(
            torch.tensor([[BEGIN]]),
            attention_mask=torch.ones(1, 1, dtype=torch.long),
            num_beams=K,
            max_new_tokens=LENGTH,
            do_sample=False,
            use_cache=False,
            early_stopping="never",
            length_penalty=0.0,
            bos_token_id=BEGIN,
            eos_token_id=END,
            pad_token_id=END,
            return_dict_in_generate=True,
            output_scores=True,
        )
    return out.sequences[0, 1:].tolist(), out.sequences_scores.item()


def main():
    try:
        import transformers
    except ImportError:
        print(
            "not compared: transformers is missing (pip install transformers)"
        )
        return
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    net = make_net(transformers)
    for K in WIDTHS:
        (ids, log_p), (their_ids, their_log_p) = ours(net, K), theirs(net, K)
        assert ids == their_ids, (ids, their_ids)
        assert abs(log_p - their_log_p) < 1e-3  # float32, 30 steps
        took = medians(
            {f.__name__: partial(f, net, K) for f in (ours, theirs)}, ROUNDS
        )
        ratio = took["ours"] / took["theirs"]
        row(f"beam search, width {K}, against transformers", ratio, BOUND)


if __name__ == "__main__":
    main()
