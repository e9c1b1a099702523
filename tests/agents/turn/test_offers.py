"""What an agent may do along with its words: from names and things, at most eight, and the world accepts all of it."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.attending.conversation import Conversation
from agents.component import AddedComponent
from agents.component_registry import loaded_components
from agents.components.visitors import Visitors
from agents.models.model import Request
from agents.models.queue import ModelQueue
from agents.offer import MINUTES_A_DAY, Act, Occasion
from agents.reflection.acquaintances import Acquaintances
from agents.turn.offers import MOST_ACTS, Offers
from agents.turn.promises import Promises
from tests.agents.house import House
from tests.agents.turn.talking import BASE, CHAT, KITCHEN, Talking, offered, words
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from tests.world.inn import Player, inn
from vault.entities.agent_notes import Errand
from world.entities import Character, Role
from world.preferences import IGNORED

AT = 1_795_248_000_000  # 2026-11-21 08:00 UTC
ROOM = "The Common Room"
ALONG = "go along with Ana"


def _link(seq: int) -> str:
    return f"[[2026-11-21#^m{seq}]]"


class Situations:
    """Rook in the common room, whom Ana speaks to; Ben is there, too, Cat in the yard, Dan asleep."""

    def __init__(self, root: Path) -> None:
        self.world, self.needs, self.told = inn(), list[str](), list[tuple[str, str]]()
        self.world.characters["Rook"].room_id = ROOM
        vault = vault_of(root, {"agents/Rook/agent.md": "You are Rook."})
        self.promises = Promises(vault, "Rook", _link, lambda: AT, lambda text: None)
        self.people = Acquaintances(vault, "Rook", _link, lambda seq: None, lambda text: None, self._role_of)
        self.conversation, self.visitors = Conversation("Rook", lambda: AT), Visitors("Rook", lambda: AT)
        self.offers = Offers(
            self.conversation,
            self.visitors,
            self.people,
            self.promises,
            lambda: self.needs,
            lambda who, text: self.told.append((who, text)),
        )

    def _role_of(self, name: str) -> Role | None:
        found = self.world.characters.get(name)
        return found.role if found else None

    def acts(self, heard: str = "", partner: str = "Ana", more=(), **fields) -> tuple[Act, ...]:
        people = self.world.characters
        company = tuple(one for one in self.world.occupants(ROOM) if one.name != "Rook")
        fields = {"company": company, "seq": 1, **fields}
        return self.offers.acts(Occasion(self.world, people["Rook"], people[partner], heard, **fields), more)

    def labels(self, heard: str = "", **more) -> list[str]:
        return [one.label for one in self.acts(heard, **more)]

    def takes(self, label: str, heard: str = "", **more) -> None:
        """Let Rook do what is on offer, as if the world had accepted its lines."""
        next(one for one in self.acts(heard, **more) if one.label == label).take_note()

    def carries(self, *things: str) -> None:
        for thing in things:
            self.world.things[thing].place_id = "Rook"

    def next_day(self) -> None:
        self.world.time = replace(self.world.time, minutes=self.world.time.minutes + MINUTES_A_DAY)

    def guest(self) -> None:
        self.world.add_character(Character("Guest4", ROOM, awake=True, role=Role.GUEST))


@pytest.fixture
def now(tmp_path):
    return Situations(tmp_path)


def test_nothing_comes_first_then_what_the_newest_words_name_and_eight_are_the_most(now):
    now.carries("brass lamp", "apples", "slate", "saddle bag", "oil lamp", "copper coin")
    labels = now.labels("Cat wants the slate.", is_named=False, words_here=9)
    assert labels[:4] == ["nothing", "stay silent", "give slate to Ana", "promise to tell Cat"]
    assert len(labels) == MOST_ACTS == len({*labels})


def test_what_is_carried_may_be_given_to_the_partner_once_a_day(now):
    now.carries("brass lamp", "apples")
    assert now.labels() == ["nothing", "give brass lamp to Ana", "give apples to Ana", ALONG]
    now.takes("give apples to Ana")
    assert now.labels() == ["nothing", ALONG]
    assert "give brass lamp to Ben" in now.labels(partner="Ben")
    now.next_day()
    assert "give brass lamp to Ana" in now.labels()


def test_what_is_kept_promised_or_needed_is_not_given_away(now):
    now.carries("brass lamp", "apples", "slate", "oil lamp")
    now.needs.append("Slate")
    now.promises.make("Ben", "Cat", "For Cat.", 1, thing="oil lamp")
    assert now.labels(keeps=frozenset(["Brass Lamp"])) == ["nothing", "give apples to Ana", ALONG]


def test_who_is_not_in_the_room_is_given_and_led_nothing_and_not_gone_along_with(now):
    now.carries("brass lamp")
    assert now.acts("Where is the kitchen?", partner="Cat") == ()


def test_a_gift_is_kept_for_somebody_absent_and_goes_to_nobody_else(now):
    now.carries("apples")
    assert "keep apples for Cat" not in now.labels("These are for Cat.")
    labels = now.labels("These are for Cat.", gift="apples")
    assert ("keep apples for Cat" in labels, "promise to tell Cat" in labels) == (True, False)
    now.takes("keep apples for Cat", "These are for Cat.", gift="apples")
    (made,) = now.promises.open()
    assert (made.asker, made.target, made.thing, made.words) == ("Ana", "Cat", "apples", "These are for Cat.")
    assert "give apples to Ana" not in now.labels()


def test_only_who_is_known_absent_and_asked_for_by_somebody_lasting_is_told(now):
    promise = "promise to tell {}"
    assert promise.format("Cat") in now.labels("Tell CAT, please.")
    assert promise.format("Dan") in now.labels("Tell Dan.")
    for heard in ("Tell Ben.", "Tell Rook.", "Tell Ana.", "Tell Zed.", "A catalogue."):
        assert not [one for one in now.labels(heard) if one.startswith("promise")], heard
    now.guest()
    assert promise.format("Cat") in now.labels("Tell Cat.", partner="Guest4")
    assert promise.format("Cat") not in now.labels("Tell Cat.", partner="Guest4", is_private=True)
    now.world.characters["Cat"].preferences[IGNORED] = "Ana"
    assert promise.format("Cat") not in now.labels("Tell Cat.")


def test_a_whispered_request_has_its_parties(now):
    now.takes("promise to tell Cat", "Tell Cat.", is_private=True)
    assert [one.parties for one in now.promises.open()] == [("Ana", "Rook")]
    assert "promise to tell Cat" not in now.labels("Tell Cat.")  # one a pair


def test_a_room_or_somebodys_room_that_was_named_lately_may_be_led_to_three_times_a_day(now):
    assert "lead Ana to The Kitchen" in now.labels("Is there a kitchen?")
    assert "lead Ana to The Yard" in now.labels("And?", spoken=("Cat would know.",))
    assert "lead Ana to The Yard" in now.labels("Where is Cat?")
    for heard in ("To the common room!", "The loft, please.", "Where is Dan?", "What a kitchenette."):
        assert not [one for one in now.labels(heard) if one.startswith("lead")], heard
    for _ in range(3):
        now.takes("lead Ana to The Kitchen", "The kitchen?")
        assert now.visitors.is_leading
        assert [one for one in now.labels("The kitchen?") if "lead" in one] == ["stop leading"]
        now.takes("stop leading")
        assert not now.visitors.is_leading
    assert now.told == [("Ana", now.world.wording("talk.how_to_follow", name="Rook"))] * 3
    assert "lead Ana to The Kitchen" not in now.labels("The kitchen?")
    assert "lead Ben to The Kitchen" in now.labels("The kitchen?", partner="Ben")
    now.next_day()
    assert "lead Ana to The Kitchen" in now.labels("The kitchen?")


def test_of_names_of_rooms_of_which_one_is_a_part_of_the_other_the_longer_counts(now):
    assert "lead Ana to The Stable" in now.labels("The stable, please.")
    assert "lead Ana to The Stable" not in now.labels("The stable loft, please.")  # to which nothing leads


def test_an_agent_is_neither_led_nor_gone_along_with(now):
    now.world.characters["Ben"].is_agent = True
    assert now.acts("The kitchen?", partner="Ben", words_here=9) == ()


def test_it_goes_along_unless_one_follows_the_other(now):
    assert ALONG in now.labels()
    ana, rook = now.world.characters["Ana"], now.world.characters["Rook"]
    ana.transient.following_id = "Rook"
    assert ALONG not in now.labels()
    ana.transient.following_id, rook.transient.following_id = "", "Ana"
    assert ALONG not in now.labels()


def test_it_may_take_leave_after_three_speeches(now):
    assert [("take leave" in now.labels(words_here=count)) for count in range(5)] == [False, False, False, True, True]
    now.takes("take leave", words_here=3)
    assert now.conversation.manners().parted == {"Ana"}


def test_silence_is_on_offer_only_if_nobody_was_named_among_others(now):
    assert now.labels(is_named=False)[:2] == ["nothing", "stay silent"]
    assert "stay silent" not in now.labels(is_named=True)
    now.world.characters["Ben"].room_id = KITCHEN
    assert "stay silent" not in now.labels(is_named=False)


def test_a_guest_is_called_by_words_of_theirs_that_the_door_admits(now):
    now.guest()
    called = [
        one.removeprefix("call Guest4 ")
        for one in now.labels("I am Robin, a friend of Cat, from Hull; not Admin, not Лена, not R2.", partner="Guest4")
        if one.startswith("call")
    ]
    assert called == ["Robin", "Hull"]
    assert "call Guest4 Robin" in now.labels("robin", partner="Guest4")
    assert not [one for one in now.labels("Robin", partner="Ana") if one.startswith("call")]
    now.takes("call Guest4 Robin", "robin", partner="Guest4")
    assert now.people.called("Guest4") == "Robin"
    assert not [one for one in now.labels("Or Hull?", partner="Guest4") if one.startswith("call")]


def test_of_a_guests_words_five_at_most_are_names(now):
    now.guest()
    heard = "We are Abel, Bert, Carl, Dora, Emil, Fritz and Gerd."
    assert [one for one in now.labels(heard, partner="Guest4") if one.startswith("call")] == [
        f"call Guest4 {name}" for name in ("Abel", "Bert", "Carl", "Dora", "Emil")
    ]


def test_what_plugins_offer_is_on_the_list_in_its_place(now):
    acts = now.acts("Ring the bell!", more=[Act("hum"), Act("ring the bell", names=("bell",))])
    assert [one.label for one in acts] == ["nothing", "ring the bell", ALONG, "hum"]


THINGS = ("brass lamp", "oil lamp", "apples", "slate", "saddle bag", "copper coin", "oat chest")
PLACES = ("Rook", "Ana", "The Common Room", "The Kitchen", "saddle bag")
HEARD = (*THINGS, "Ana", "Ben", "Cat", "Dan", "Old Tom", "kitchen", "yard", "stable", "loft", "cellar", "Robin", "I am")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_world_accepts_whatever_is_offered_and_chosen(data):
    with tempfile.TemporaryDirectory() as root:
        life = Talking(Path(root))
        world, draw = life.game.world, data.draw
        for thing in THINGS[:-1]:
            place = draw(st.sampled_from(PLACES))
            world.things[thing].place_id = place if place != thing else "Rook"
        world.characters["Ben"].room_id = draw(st.sampled_from([ROOM, KITCHEN]))
        world.characters["Cat"].room_id = draw(st.sampled_from([ROOM, "The Yard", "The Stable Loft"]))
        partner = draw(st.sampled_from(["Ana", "Ben"]))
        if draw(st.booleans()):
            world.characters["Ana"].role = Role.GUEST
        rook = world.characters["Rook"].transient
        rook.following_id = draw(st.sampled_from(["", "Ana", "Ben"]))
        chosen = list[str]()

        def choosing(request: Request) -> str:
            offers = offered(request)
            assert offers[:1] == ["nothing"][: len(offers)]
            assert len(offers) == len({*offers}) <= MOST_ACTS
            chosen.append(draw(st.sampled_from(offers or [""])))
            return words("" if chosen[-1] == "stay silent" else f"Well, {len(chosen)}.", chosen[-1])

        life.model = ScriptedModel(choosing, capabilities=CHAT)
        life.game.wake("Rook", life.agent.perceive)
        for _ in range(draw(st.integers(1, 5))):
            said = " ".join(draw(st.lists(st.sampled_from(HEARD), min_size=1, max_size=4)))
            if draw(st.booleans()) and world.things["copper coin"].place_id == "Ana":
                life.ana.types("give copper coin to Rook")
            way = draw(st.sampled_from(["say", "say Rook,", "whisper Rook"]))
            speaker = partner if world.characters[partner].room_id == world.characters["Rook"].room_id else "Ana"
            life.game.perform(speaker, f"{way} {said}")
            count = len(chosen)
            turn = life.answers()
            assert (turn.outcome in ("acted", "silent", "resting"), len(chosen) - count <= 1) == (True, True), turn


def test_it_stays_silent_towards_whom_it_has_taken_leave_of_until_they_speak(tmp_path):
    life = Talking(tmp_path)

    def parting(request: Request) -> str:
        leaves = "take leave" in offered(request)
        return words(f"Number {len(life.model.requests)}.", "take leave" if leaves else "nothing")

    life.model = ScriptedModel(parting, capabilities=CHAT)
    for number in range(4):
        assert life.answers(f"say Rook, number {number}?").line == f"say Number {number + 1}."
    assert "take leave" in offered(life.model.requests[-1])
    life.game.perform("Ben", "go north")
    unasked = [life.answers("emote waits.") for _ in range(12)]
    assert not [turn for turn in unasked if turn.line.startswith(("say ", "whisper "))]
    assert life.answers("say Rook, are you there?").cause == "answer"


def test_an_errand_needs_the_thing_that_it_names(tmp_path):
    for errand in (
        Errand("give brass lamp to Cat", "Cat", "not carrying brass lamp"),
        Errand("give brass lamp to Cat", "Cat"),
    ):
        life = Talking(tmp_path / str(bool(errand.done_when)), words("It is for Cat."))
        life.has("brass lamp")
        life.agent.mind.errands.adopt([errand])
        life.answers("say Rook, may I have the brass lamp?")
        assert "give brass lamp to Ana" not in offered(life.model.requests[0]), errand


class Singing(AddedComponent):
    """A plugin that offers to sing."""

    name = "singing"

    def offers(self, now: Occasion) -> list[Act]:
        return [Act("sing", ("emote sings.",))]


class Broken(AddedComponent):
    """A plugin that fails when it is asked what it offers."""

    name = "broken"

    def offers(self, now: Occasion) -> list[Act]:
        raise RuntimeError("a hole in the floor")


def test_a_plugins_offer_is_done_and_one_that_raises_is_off(tmp_path, caplog):
    house = House(tmp_path, "Rook", components=loaded_components().with_more(Broken, Singing))
    rook, trouble, screen = house.agents["Rook"], list[str](), Player(house.game, "Ana")
    rook.on_trouble = trouble.append
    model = ScriptedModel(lambda request: words("La.", "sing"), capabilities=CHAT)
    rook.queue = ModelQueue(model)
    screen.types("say Rook, will you sing?")
    assert asyncio.run(rook.tick()).line == "say La."
    assert "sing" in offered(model.requests[0])
    assert screen.screen()[-2:] == ["Rook sings.", 'Rook says, "La."']
    assert (rook.mind.names.count("broken"), len(trouble)) == (0, 1)


class Reaching(AddedComponent):
    """A plugin that offers what the world does not accept."""

    name = "reaching"

    def offers(self, now: Occasion) -> list[Act]:
        return [Act("fetch the moon", ("emote reaches up.", "get moon"), take_note=lambda: 1 / 0)]


@pytest.mark.parametrize("capabilities", [CHAT, BASE], ids=["chat", "transcript"])
def test_what_the_world_refuses_is_offered_no_more_and_the_model_told_why(tmp_path, capabilities):
    house = House(tmp_path, "Rook", components=loaded_components().with_more(Reaching))
    rook, screen = house.agents["Rook"], Player(house.game, "Ana")

    def fetches(request: Request) -> str:
        said = "Here it is." if len(model.requests) == 1 else "It is out of reach."
        return words(said, "fetch the moon") if request.messages else f" say {said}\n~Rook> fetch the moon\n"

    model = ScriptedModel(fetches, capabilities=capabilities)
    rook.queue = ModelQueue(model)
    screen.types("say Rook, will you fetch the moon?")
    assert asyncio.run(rook.tick()).line == "say It is out of reach."
    offers = [f"{one.grammar}{one.schema}" for one in model.requests]
    assert ["fetch the moon" in one for one in offers] == [True, False]
    (refusal,) = [one.text for one in rook.memory.journal.read(1, 99) if one.refused]
    assert refusal in model.requests[1].text
