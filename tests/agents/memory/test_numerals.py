import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.numerals import numerals


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ninety-one steps, or 91", ["91", "91"]),
        ("two hundred and fifty-one", ["251"]),
        ("one thousand two hundred", ["1200"]),
        ("a dozen, two dozen", ["12", "24"]),
        ("fifty-one, fifty-two", ["51", "52"]),
        ("five and twenty", ["5", "20"]),
        ("the twenty-first, the 21st", ["21", "21"]),
        ("at 09:05 and at 14.20", ["9:05", "14:20"]),
        ("1,250 and 0.750", ["1250", "0.75"]),
        ("007 and 000", ["7", "0"]),
        ("1. rise\n2. shine at 6", ["6"]),
        ("often, tender, at once: nothing", []),
    ],
)
def test_numbers_in_digits_and_words_have_one_value(text: str, values: list[str]):
    assert [numeral.value for numeral in numerals(text)] == values


def test_a_time_has_parts_and_a_place():
    (time,) = numerals("at 11:30 sharp")
    assert (time.value, time.parts, time.start, time.end) == ("11:30", ("11", "30"), 3, 8)


@given(st.text("0123456789.,: onetwhudrdfify-\n٣"))
def test_numbers_come_in_order_and_do_not_overlap(text: str):
    spans = [edge for numeral in numerals(text) for edge in (numeral.start, numeral.end)]
    assert spans == sorted(spans)
