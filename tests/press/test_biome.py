"""JavaScript is checked, as Python is."""

import pytest

from bookproof.run import biome


@pytest.mark.parametrize(
    "text, fault",
    [
        ("export const a = [1, 2];\n", None),
        ("export const a = [1,2];\n", "format"),
        ("const a = 1;\nexport const b = 2;\n", "noUnusedVariables"),
        ("export const f = (a) => a.map((b) => {});\n", "CallbackReturn"),
    ],
)
def test_a_fault_in_a_script_fails(tmp_path, text, fault):
    script = tmp_path / "lab.js"
    script.write_text(text, encoding="utf-8")
    done = biome.check(script, capture_output=True, encoding="utf-8")
    assert bool(done.returncode) == bool(fault)
    assert (fault or "") in done.stdout + done.stderr
