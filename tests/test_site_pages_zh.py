"""Every Chinese page of the built site, as test_site_pages.py has it."""

import pytest

from tests.test_site_pages import CHINESE, look_at


@pytest.mark.parametrize("name", CHINESE)
def test_a_page_is_quiet_fits_its_width_keeps_still_and_is_accessible(
    opened, name
):
    look_at(opened, name)
