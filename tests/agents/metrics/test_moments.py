"""The rules of the chronicle: what is worth telling, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.metrics.moments import RULES, Lexicon, Settings, TopMoments, by_worth
from vault.chronicle.event_log import LoggedEvent
from vault.chronicle.intake import Moment, RuleState

HOUR = 3_600_000
QUARRELSOME = Settings(lexicon=Lexicon(quarrel_phrases=("liar", "fool")))


class Story:
    """Events a minute apart, and what the rules have found in them."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.moments: list[Moment] = []
        self._rules, self._state = TopMoments(settings), RuleState()
        self._number = self._at_ms = 0

    def happens(self, kind: str, who: str, to: str = "", later_ms: int = 60_000, **more: str) -> int:
        self._at_ms += later_ms
        self._number += 1
        more.setdefault("room", "The Yard")
        event = LoggedEvent(self._at_ms, kind, who, to, line=more.pop("line", "Seen."), **more)  # type: ignore[arg-type]
        self.moments += self._rules.moments_of(self._number, event, self._state)
        return self._number

    def arrive(self, *people: str) -> None:
        for who in people:
            self.happens("arrived", who)

    def found(self, rule: str) -> list[tuple[str, str, tuple[int, ...]]]:
        return [(one.who, one.other, one.events) for one in self.moments if one.rule == rule]


def test_two_meet_when_one_speaks_to_the_other_for_the_first_time():
    story = Story()
    story.arrive("Ana", "Ben")
    first = story.happens("said", "Ana", words="Good morning.")
    story.happens("said", "Ben", "Ana", words="Good morning, Ana.")
    assert story.found("first_meeting") == [("Ana", "Ben", (first,))]


def test_a_speech_to_a_crowd_is_no_meeting_but_a_word_to_one_of_it_is():
    story = Story()
    story.arrive("Ana", "Ben", "Cat", "Dan", "Eve")
    story.happens("said", "Ana", words="Good morning, all.")
    told = story.happens("said", "Ana", "Eve", words="You too.")
    assert story.found("first_meeting") == [("Ana", "Eve", (told,))]


def test_words_that_name_one_of_a_few_are_no_meeting_with_the_others():
    story = Story()
    story.arrive("Ana", "Ben", "Cat")
    named = story.happens("said", "Ana", words="Good morning, Ben.")
    assert story.found("first_meeting") == [("Ana", "Ben", (named,))]


def test_a_guest_is_another_one_each_time():
    story = Story()
    story.arrive("Ana")
    for _ in range(2):
        story.happens("arrived", "Guest1", by="guest")
        story.happens("said", "Ana", "Guest1", words="Welcome.")
        story.happens("left", "Guest1", by="guest")
    assert [who for who, *_ in story.found("first_meeting")] == ["Ana", "Ana"]
    assert story.found("return") == []


def test_who_slept_when_the_world_was_opened_again_hears_nothing():
    story = Story()
    story.arrive("Ana", "Ben")
    story.happens("opened", "")
    story.happens("arrived", "Ana")
    story.happens("said", "Ana", words="Anybody?")
    assert story.found("first_meeting") == []


def test_a_gift_is_told_once_a_day():
    story = Story()
    given_at = story.happens("gave", "Ana", "Ben", thing="lamp")
    story.happens("gave", "Ben", "Ana", thing="lamp")
    story.happens("gave", "Ana", "Ben", thing="lamp")
    next_day = story.happens("gave", "Ana", "Ben", 25 * HOUR, thing="lamp")
    assert [one for one in story.found("gift") if one[0] == "Ana"] == [
        ("Ana", "Ben", (given_at,)),
        ("Ana", "Ben", (next_day,)),
    ]


def test_a_promise_is_kept_by_the_thing_that_is_given():
    story = Story()
    story.arrive("Ana", "Ben", "Cat")
    made = story.happens("said", "Ana", "Ben", words="I will bring you the brass lamp tomorrow.")
    story.happens("said", "Ana", "Ben", words="I'll bring you the brass lamp, I promise.")
    story.happens("gave", "Ana", "Cat", thing="brass lamp")
    story.happens("gave", "Ana", "Ben", thing="apple")
    kept = story.happens("gave", "Ana", "Ben", thing="brass lamp")
    story.happens("gave", "Ana", "Ben", thing="brass lamp")
    assert story.found("promise_made") == [("Ana", "Ben", (made,))]
    assert story.found("promise_kept") == [("Ana", "Ben", (made, kept))]


@pytest.mark.parametrize(
    ("who", "words"),
    [("Ana", "I have mended the roof, as I promised."), ("Ben", "Thank you for the roof, Ana.")],
)
def test_a_promise_is_kept_when_one_of_the_two_says_so(who, words):
    story = Story()
    story.arrive("Ana", "Ben")
    made = story.happens("said", "Ana", "Ben", words="I promise to mend the roof.")
    kept = story.happens("said", who, "Ben" if who == "Ana" else "Ana", words=words)
    assert [events for *_, events in story.found("promise_kept")] == [(made, kept)]


def test_a_promise_in_a_whisper_is_a_private_moment_also_when_it_is_kept_openly():
    story = Story()
    story.happens("whispered", "Ana", "Ben", secret="I will bring you the brass lamp.")
    story.happens("gave", "Ana", "Ben", thing="brass lamp")
    assert {one.rule: one.is_private for one in story.moments if "promise" in one.rule} == {
        "promise_made": True,
        "promise_kept": True,
    }


def test_a_world_has_phrases_of_its_own_for_promises():
    story = Story(Settings(lexicon=Lexicon(promise_phrases=("versprochen", "約束"))))
    story.happens("said", "Ana", "Ben", words="Versprochen, morgen.")
    story.happens("said", "Ben", "Ana", words="明日の約束です。")
    assert len(story.found("promise_made")) == 2


@pytest.mark.parametrize(
    ("secret", "repeated"),
    [
        ("The key lies under the third stone.", "Ana says the key lies under the third stone!"),
        ("Der Schlüssel liegt unter dem Stein am Ofen.", "Weißt du, der Schlüssel liegt unter dem Stein am Ofen."),
        ("鍵は石の下にあります", "彼女によると鍵は石の下にあります"),
    ],
)
def test_a_whisper_that_is_repeated_to_a_third_is_a_secret_passed_on(secret, repeated):
    story = Story()
    story.arrive("Ana", "Ben", "Cat")
    told = story.happens("whispered", "Ana", "Ben", secret=secret)
    story.happens("whispered", "Ben", "Ana", secret=repeated)
    passed_on = story.happens("whispered", "Ben", "Cat", secret=repeated)
    story.happens("whispered", "Ben", "Cat", secret=repeated)
    assert story.found("secret_passed_on") == [("Ben", "Cat", (told, passed_on))]
    assert all(one.is_private for one in story.moments if one.rule == "secret_passed_on")


def test_a_secret_said_aloud_is_passed_on_only_if_a_third_is_there():
    story = Story()
    story.arrive("Ana", "Ben")
    story.happens("whispered", "Ana", "Ben", secret="The key lies under the third stone.")
    story.happens("said", "Ben", words="So the key lies under the third stone.")
    assert story.found("secret_passed_on") == []
    story.arrive("Cat")
    story.happens("said", "Ben", words="So the key lies under the third stone.")
    assert [who for who, *_ in story.found("secret_passed_on")] == ["Ben"]


def test_other_words_to_a_third_pass_nothing_on():
    story = Story()
    story.arrive("Ana", "Ben", "Cat")
    story.happens("whispered", "Ana", "Ben", secret="The key lies under the third stone.")
    story.happens("said", "Ben", "Cat", words="The weather is fine, and the bread is fresh today.")
    assert story.found("secret_passed_on") == []


def test_harsh_words_from_both_sides_are_a_quarrel_once():
    story = Story(QUARRELSOME)
    story.arrive("Ana", "Ben")
    first = story.happens("said", "Ana", "Ben", words="You liar!")
    story.happens("said", "Ana", "Ben", words="What a fool you are.")
    assert story.found("quarrel") == []
    last = story.happens("said", "Ben", "Ana", words="Fool yourself.")
    for _ in range(4):
        story.happens("said", "Ben", "Ana", words="Liar!")
        story.happens("said", "Ana", "Ben", words="Liar!")
    assert story.found("quarrel") == [("Ben", "Ana", (first, first + 1, last))]


def test_harsh_words_hours_apart_or_of_a_foolproof_plan_are_none():
    story = Story(QUARRELSOME)
    story.arrive("Ana", "Ben")
    for who, to in (("Ana", "Ben"), ("Ben", "Ana"), ("Ana", "Ben")):
        story.happens("said", who, to, words="Liar!", later_ms=HOUR)
    for who, to in (("Ana", "Ben"), ("Ben", "Ana"), ("Ana", "Ben")):
        story.happens("said", who, to, words="It is foolproof.")
    assert story.found("quarrel") == []


def test_a_person_returns_after_long_and_an_agent_only_wakes():
    story = Story(Settings(absence_ms=5 * HOUR))
    for by in ("", "agent"):
        story.happens("arrived", f"One{by}", by=by)
        story.happens("left", f"One{by}", by=by)
        story.happens("arrived", f"One{by}", later_ms=4 * HOUR, by=by)
        story.happens("arrived", f"One{by}", later_ms=6 * HOUR, by=by, from_room="The Mill")
        story.happens("arrived", f"One{by}", later_ms=6 * HOUR, by=by)
    assert [(one.who, one.seconds) for one in story.moments if one.rule == "return"] == [("One", 6 * 3600)]


def test_the_most_valuable_come_first():
    moments = [
        Moment(at, rule, "Ana", "Ben", "", (at,)) for at, rule in enumerate(("gift", "return", "gift", "quarrel"))
    ]
    assert [one.at_ms for one in by_worth(moments)] == [3, 1, 0, 2]


def test_other_settings_are_other_rules():
    assert TopMoments().fingerprint == TopMoments(Settings()).fingerprint != TopMoments(QUARRELSOME).fingerprint
    assert [rule.worth for rule in RULES.values()] == sorted((rule.worth for rule in RULES.values()), reverse=True)


people = st.sampled_from(("Ana", "Ben", "Cat"))
speech = st.sampled_from(("I will bring you the lamp.", "The key lies under the third stone.", "You liar!", ""))


@given(st.lists(st.tuples(st.sampled_from(("said", "whispered", "paged", "gave", "arrived")), people, people, speech)))
def test_no_public_moment_needs_what_was_whispered(script):
    story, private = Story(QUARRELSOME), set[int]()
    for kind, who, to, words in script:
        is_secret = kind in ("whispered", "paged")
        spoken = {"secret": words} if is_secret else {"words": words} if kind == "said" else {}
        number = story.happens(kind, who, to, line="" if kind == "paged" else "Seen.", thing="lamp", **spoken)
        private |= {number} if is_secret else set()
    public = [one for one in story.moments if not one.is_private]
    assert [one for one in public if one.rule != "first_meeting" and private & set(one.events)] == []
