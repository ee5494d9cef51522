"""The set-up of `make`: what it would do, without doing it."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READY = ".venv/ready"


def steps(folder, *words):
    """What `make .venv/ready` would do there, as its lines."""
    done = subprocess.run(
        ["make", "--dry-run", READY, *words],
        cwd=folder,
        env=os.environ | {"MAKEFLAGS": ""},  # not those of a `make test`
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture
def book(tmp_path):
    """A folder with what the set-up goes by."""
    for name in (
        "requirements.lock",
        "pyproject.toml",
        "press/pyproject.toml",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    shutil.copy(ROOT / "Makefile", tmp_path)
    return tmp_path


def test_each_step_of_the_set_up_is_announced(book):
    lines = [line for line in steps(book) if not line.startswith("\t")]
    for before, line in zip(lines, lines[1:], strict=False):
        if "-m venv" in line or "pip install" in line:
            assert before.startswith("echo "), line


def test_torch_may_be_several_words_for_pip(book):
    words = "torch==2.4.1 --index-url https://example.org/simple"
    asked = [line for line in steps(book, f"TORCH={words}") if words in line]
    assert asked
    assert not any('"torch' in line for line in asked)


@pytest.mark.parametrize("system", ["", "Windows_NT"])
def test_only_linux_first_asks_for_a_pytorch_without_cuda(book, system):
    lines = steps(book, f"OS={system}")
    first = next(line for line in lines if "torch==" in line)
    linux = not system and platform.system() == "Linux"
    assert (
        "--index-url https://download.pytorch.org/whl/cpu" in first
    ) == linux
    assert any(
        line.rstrip("; }").endswith("install torch==2.13.0") for line in lines
    )


@pytest.mark.parametrize(
    "name", ["requirements.lock", "pyproject.toml", "press/pyproject.toml"]
)
def test_set_up_is_done_again_when_what_it_goes_by_changes(book, name):
    ready = book / READY
    ready.parent.mkdir()
    ready.touch()
    assert not any("pip" in line for line in steps(book))
    later = ready.stat().st_mtime + 10
    os.utime(book / name, (later, later))
    assert any("pip" in line for line in steps(book))
