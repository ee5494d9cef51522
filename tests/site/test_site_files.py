"""The files of the built site, without a browser."""

from bookproof.lint.addresses import foreign, links, normal
from bookproof.lint.built import ids, leftovers, notebooks, pictures
from bookproof.lint.text import page_names
from bookproof.lint.weights import weights
from bookproof.show import reference

LIBRARY = [f"api/{path.stem}.html" for path in reference.modules()]
PAGES = [
    *(*page_names("en"), "404.html", *LIBRARY),
    *(*page_names("zh"), *(f"zh/{name}" for name in LIBRARY)),
]


def test_every_source_has_its_page_and_no_other_page_exists(built):
    assert sorted(page.name for page in built) == sorted(PAGES)


def test_each_module_has_its_reference_and_each_listing_leads_there(built):
    pages_by_name = {page.name: page for page in built}
    for path, name in zip(reference.modules(), LIBRARY, strict=True):
        for prefix in "", "zh/":
            found = pages_by_name[prefix + name].ids
            for own in reference.names(path):
                assert f"seqbook.{path.stem}.{own}" in found
    titles = [t for page in built for t in page.tree.select(".filename")]
    assert titles
    assert all(t.a and "/api/" in "/" + t.a["href"] for t in titles)


def test_every_link_leads_somewhere(built, site):
    assert not links(built, site)


def test_ids_are_unique_in_a_page(built):
    assert not ids(built)


def test_no_markup_and_no_traceback_is_left_in_a_page(built, site):
    assert not leftovers(built) + notebooks(built, site)


def test_nothing_is_asked_of_another_host(built, site):
    assert not foreign(built, site)


def test_images_have_words_sizes_and_twins(built):
    assert not pictures(built)


def test_search_index_and_own_scripts_are_light(built, site):
    assert not weights(built, site)


def test_the_language_switch_keeps_the_page(built, site):
    for page in built:
        if page.name == "404.html":
            continue
        link = page.tree.select_one(".seq-language a")
        here = page.name.rpartition("/")[0]
        want = (
            page.name[3:] if page.name.startswith("zh/") else f"zh/{page.name}"
        )
        assert normal(f"{here}/{link['href']}") == want, page.name
        own = "zh" if page.name.startswith("zh/") else "en"
        assert page.tree.html["lang"] == own, page.name
        assert link["hreflang"] == link["lang"] != own, page.name


def test_long_tables_are_marked_to_be_stacks_on_a_phone(built):
    names = {"numbers.html", "corrections.html", "library.html"}
    marked = {p.name for p in built if p.tree.select(".prose, .numbers")}
    assert names | {f"zh/{name}" for name in names} <= marked
