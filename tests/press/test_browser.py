"""Which browser the tests are given, and when another is brought."""

import pytest

from bookproof.site import browser

WHOLE, SHELL = "/usr/bin/chromium", f"/usr/bin/{browser.SHELL}"
APT = [["apt-get", "install"]]


@pytest.mark.parametrize(
    ("here", "ci", "apt", "brought", "used"),
    [
        (WHOLE, "", APT, SHELL, WHOLE),  # a reader's own: left alone
        (WHOLE, "true", APT, SHELL, SHELL),
        (WHOLE, "true", APT, None, WHOLE),  # it could not be brought
        (WHOLE, "true", [], SHELL, WHOLE),
        (SHELL, "true", APT, None, SHELL),
        (None, "", APT, SHELL, SHELL),
        (None, "", [], None, None),
        (None, "true", [], None, None),
    ],
)
def test_a_browser_is_kept_or_brought(
    monkeypatch, capsys, here, ci, apt, brought, used
):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(browser, "find", lambda: here)
    monkeypatch.setattr(browser, "by_apt", lambda: apt)
    monkeypatch.setattr(browser, "fetch", lambda: brought)
    shell = SHELL if here == SHELL else None
    monkeypatch.setattr(browser.shutil, "which", lambda name: shell)
    failed = browser.main()
    said = capsys.readouterr().out
    if used:
        assert (failed, said) == (0, f"browser: {used}\n")
    else:
        assert failed == (ci == "true") and "could be found" in said


def test_where_apt_fails_the_browser_that_is_here_is_used(monkeypatch):
    asked = []

    def run(command, **_):
        asked.append(command)
        raise OSError("no network")

    def find():
        return WHOLE

    find.cache_clear = lambda: None
    monkeypatch.setattr(browser, "find", find)
    monkeypatch.setattr(browser, "by_apt", lambda: APT)
    monkeypatch.setattr(browser.subprocess, "run", run)
    assert browser.fetch(say=lambda line: None) == WHOLE
    assert asked == APT
