"""What each kind of model shares: addresses that hide passwords, and estimates of tokens."""

from __future__ import annotations

import pytest

from agents.models.adapter import TokenEstimate, redact_address

THOUSAND_BYTES = "abcd " * 200


@pytest.mark.parametrize(("text", "tokens"), [("", 0), (THOUSAND_BYTES, 300), ("水" * 100, 90), ("\ud83d", 1)])
def test_before_anything_is_known_the_estimate_is_cautious_and_by_bytes(text, tokens):
    assert TokenEstimate().count(text) == tokens


@pytest.mark.parametrize(
    ("text", "counts", "tokens"),
    [
        (THOUSAND_BYTES, [240], 252),  # with some headroom
        (THOUSAND_BYTES, [410, 210, 230], 431),  # the highest is believed
        (THOUSAND_BYTES, [12], 300),  # of the uncached tokens alone
        ("hi", [2], 300),  # a short prompt teaches nothing
    ],
)
def test_counts_of_whole_prompts_calibrate_the_estimate(text, counts, tokens):
    estimate = TokenEstimate()
    for count in counts:
        estimate.observe(text, count)
    assert estimate.count(THOUSAND_BYTES) == tokens


@pytest.mark.parametrize("address", ["http://127.0.0.1:11434", "http://[::1]:8000/v1", "http://a.b/c@d"])
def test_an_address_without_a_password_is_shown_as_it_is(address):
    assert redact_address(address) == address


def test_no_part_of_a_password_with_a_sign_in_it_is_shown():
    assert redact_address("http://ana:se@cr@et@127.0.0.1:11434/v1") == "http://...@127.0.0.1:11434/v1"
