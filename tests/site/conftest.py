"""The built site at an address, compressed as a host would send it."""

import pytest

from bookproof.lint.built import read
from bookproof.site import browser
from bookproof.site import build as builder


@pytest.fixture(scope="session")
def built(site):
    return read(site)


@pytest.fixture(scope="session")
def served(site):
    home = builder.environment()["SITE_URL"]
    with browser.serve(site, compress=True, home=home) as server:
        yield server


@pytest.fixture
def opened(browse, served):
    """opened(name, size, scheme) -> a page of the book; see `browse`."""

    def opening(name, size="desktop", scheme="light", base=None, **options):
        return browse(
            base or served.url, name, size, color_scheme=scheme, **options
        )

    return opening
