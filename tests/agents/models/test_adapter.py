"""What each kind of model shares: addresses that hide passwords, and estimates of tokens."""

from __future__ import annotations

import pytest

from agents.models.adapter import TokenEstimate, redact_address

THOUSAND_BYTES = "abcd " * 200


def test_before_anything_is_known_the_estimate_is_cautious():
    assert TokenEstimate().count(THOUSAND_BYTES) == 300


def test_a_count_of_the_whole_prompt_calibrates_the_estimate_with_some_headroom():
    estimate = TokenEstimate()
    estimate.observe(THOUSAND_BYTES, 240)
    assert estimate.count(THOUSAND_BYTES) == 252


def test_a_count_of_only_the_uncached_tokens_is_not_believed():
    estimate = TokenEstimate()
    estimate.observe(THOUSAND_BYTES, 12)
    assert estimate.count(THOUSAND_BYTES) == 300


def test_the_highest_of_the_recent_counts_is_believed():
    estimate = TokenEstimate()
    for tokens in (410, 210, 230):
        estimate.observe(THOUSAND_BYTES, tokens)
    assert estimate.count(THOUSAND_BYTES) == 431


def test_a_short_prompt_teaches_nothing():
    estimate = TokenEstimate()
    estimate.observe("hi", 2)
    assert estimate.count(THOUSAND_BYTES) == 300


def test_the_empty_text_has_no_tokens():
    assert TokenEstimate().count("") == 0


def test_text_that_is_not_latin_is_measured_by_its_bytes():
    assert TokenEstimate().count("水" * 100) == 90


def test_half_a_surrogate_pair_can_be_counted():
    assert TokenEstimate().count("\ud83d") == 1


@pytest.mark.parametrize("address", ["http://127.0.0.1:11434", "http://[::1]:8000/v1", "http://a.b/c@d"])
def test_an_address_without_a_password_is_shown_as_it_is(address):
    assert redact_address(address) == address


def test_no_part_of_a_password_with_a_sign_in_it_is_shown():
    assert redact_address("http://ana:se@cr@et@127.0.0.1:11434/v1") == "http://...@127.0.0.1:11434/v1"
