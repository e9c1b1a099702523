"""The modules in bench/, all of which `make bench` runs."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "bench"
BENCHES = {path.stem: path for path in FOLDER.glob("[a-z]*.py")} | {
    path.parent.name: path for path in FOLDER.glob("*/__main__.py")
}


@pytest.mark.parametrize("name", sorted(BENCHES))
def test_a_module_in_bench_is_a_bench_that_names_its_command(name: str) -> None:
    text = BENCHES[name].read_text("utf-8")
    assert '\nif __name__ == "__main__":\n' in text
    assert f"python -m bench.{name}" in text.split('"""')[1]
