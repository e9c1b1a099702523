"""The choice of a line where no model speaks: the same laws in every language."""

from __future__ import annotations

import random
import time

import pytest

from agents.turn.lines import AuthorsLines, Choice, Told
from agents.turn.word_rarity import WordRarity
from config.settings import WorldSettings
from tests.agents.turn.towns import ENCIPHERED, GERMAN, GREEK, TOWNS, Town, encipher
from vault.entities.lines_note import Entry, Heading, Lines, load_lines
from vault.entities.load import load_world
from vault.vault import STARTER, Vault, agent_names
from world.entities import Character, Room
from world.world import World

SPEECHES = [key for key in GERMAN if key.startswith(("ask_", "say_", "nonsense"))]


@pytest.fixture(params=TOWNS)
def town(request: pytest.FixtureRequest) -> Town:
    return Town(TOWNS[request.param])


def test_name_of_a_room_gets_the_way(town: Town):
    say = town.texts
    assert town.answer("ask_mill") == Choice(f"{say['mill']}: {say['north']}!", "name")
    assert town.answer("ask_tower") == Choice(f"{say['tower']}, {say['north']}, 2.", "name")


def test_name_of_a_person_gets_whereabouts_only_while_awake(town: Town):
    say = town.texts
    assert town.answer("ask_other") == Choice(f"{say['other']}: {say['tower']}, {say['north']}.", "name")
    assert town.answer("ask_asleep").origin == "lost"


def test_thing_is_found_where_it_can_be_seen(town: Town):
    say = town.texts
    assert town.answer("ask_lamp") == Choice(f"{say['lamp']}: {say['mill']}, {say['north']}.", "name")
    assert town.answer("ask_key") == Choice(f"+ {say['key']}.", "name")
    assert town.answer("ask_ring").origin == "lost"
    assert town.answer("say_key").origin == "lost"


def test_thing_in_hands_is_told_of_agents_only(town: Town):
    say, lamp = town.texts, town.world.things[town.texts["lamp"]]
    holder = town.world.characters[say["other"]]
    lamp.place_id = holder.character_id
    assert town.answer("ask_lamp") == Choice(f"- {say['lamp']}.", "name")
    holder.is_agent = True
    assert town.answer("ask_lamp") == Choice(f"{say['other']}: {say['lamp']}.", "name")
    lamp.place_id = say["speaker"]
    assert town.answer("ask_lamp") == Choice(f"- {say['lamp']}.", "name")


def test_lore_is_told_to_its_limits(town: Town):
    first = town.texts["door_lore"].partition(". ")[0] + "."
    assert town.answer("ask_door") == Choice(first, "lore")
    assert town.answer("ask_secret").origin == "lost"
    assert town.answer("ask_own").origin == "lost"


def test_earlier_words_come_back_only_to_a_question(town: Town):
    told = (Told(town.texts["told"], 4), Told(town.texts["told_question"], 7))
    assert town.answer("ask_told", told) == Choice(f"«{town.texts['told']}»", "told")
    assert town.answer("say_told", told).origin == "lost"
    assert town.answer("ask_untold", told).origin == "lost"


def test_private_words_stay_where_nobody_else_hears(town: Town):
    told = (Told(town.texts["told"], 4, is_private=True),)
    assert town.answer("ask_told", told, is_overheard=False).origin == "told"
    overheard = [town.answer("ask_told", told, is_overheard=True, seed=seed) for seed in range(20)]
    assert {choice.origin for choice in overheard} == {"lost"}
    assert not any(town.texts["told"] in choice.words for choice in overheard)


def test_entries_answer_what_shares_their_weight(town: Town):
    assert town.answer("ask_how").words in town.answers("how_answers")
    assert town.answer("say_tired").words in town.answers("tired_answers")
    assert town.answer("nonsense").words in town.answers("lost")


def test_choice_is_seeded_and_repeatable(town: Town):
    choices = [town.answer("ask_how", seed=seed) for seed in range(30)]
    assert choices == [Town(town.texts).answer("ask_how", seed=seed) for seed in range(30)]
    assert {choice.words for choice in choices} == set(town.answers("how_answers"))


def test_no_line_is_said_again_lately(town: Town):
    said: tuple[str, ...] = ()
    for seed in range(20):
        for choice in (town.answer("ask_how", said_lately=said, seed=seed), town.meet(said, seed)):
            assert choice.words == "" or choice.words not in said
            said = (*said, choice.words) if choice.words else said
    written = (*town.answers("how_answers"), *town.answers("meeting"), *town.answers("lost"))
    assert [line for line in written if not any(words.startswith(line) for words in said)] == []
    assert town.meet(said) == Choice("", "meeting")


def test_every_third_lost_line_names_an_unheard_subject(town: Town):
    hint, said = f"{town.texts['door_key']}?!", list[str]()
    for _ in range(3):
        said.append(town.answer("nonsense", said_lately=tuple(said)).words)
    assert [line.endswith(hint) for line in said] == [False, False, True]
    heard = (Told(town.texts["ask_door"], 1),)
    assert not town.answer("nonsense", heard, tuple(said[:2])).words.endswith(hint)


def test_enciphered_town_leads_to_the_same_choices():
    plain, enciphered = Town(GERMAN), Town(ENCIPHERED)
    for key in SPEECHES:
        for seed in range(5):
            before = plain.answer(key, (Told(GERMAN["told"], 1),), (GERMAN["lost"].split("|")[0],), seed=seed)
            after = enciphered.answer(
                key, (Told(ENCIPHERED["told"], 1),), (ENCIPHERED["lost"].split("|")[0],), seed=seed
            )
            assert (after.origin, after.words) == (before.origin, encipher(before.words))
            assert [score for _, score in after.candidates] == [score for _, score in before.candidates]


def test_german_and_greek_lead_to_the_same_origins():
    german, greek = Town(GERMAN), Town(GREEK)
    assert [greek.answer(key).origin for key in SPEECHES] == [german.answer(key).origin for key in SPEECHES]


def test_writing_without_blanks_is_matched_by_character():
    lines = Lines((Entry(("你好吗",), ("很好。",)),), lost_for_words=("什么？",))
    world = World([Room("市场")], [], [Character("小明", "市场", is_agent=True, awake=True)])
    chooser = AuthorsLines("小明", lambda: lines, lambda: world)
    asker = Character("客人", "市场", awake=True)
    assert chooser.answer("你好吗？", asker, (), (), False, random.Random(1)).words == "很好。"
    assert chooser.answer("天上有云", asker, (), (), False, random.Random(1)).words == "什么？"


def test_candidates_are_the_best_eight():
    lines = Lines(tuple(Entry((f"blue hats number {n}",), (f"Hat {n}.",)) for n in range(20)))
    world = World([Room("Hall")], [], [Character("Ida", "Hall", is_agent=True, awake=True)])
    chooser = AuthorsLines("Ida", lambda: lines, lambda: world)
    choice = chooser.answer("blue hats number 7", Character("Jo", "Hall"), (), (), False, random.Random(1))
    scores = [score for _, score in choice.candidates]
    assert choice.words == "Hat 7."
    assert choice.candidates[0] == ("blue hats number 7", 1.0)
    assert len(scores) == 8 and scores == sorted(scores, reverse=True)


def test_words_of_a_big_vault_are_counted_once():
    rooms = [Room(f"Room {n}", f"word{n} " * 100) for n in range(5000)]
    lines = [Lines(tuple(Entry((f"ask {n} {agent}",), ("Yes. " * 30,)) for n in range(500))) for agent in range(30)]
    world = World(rooms)
    rarity = WordRarity(lambda: world, lambda: lines)
    began = time.process_time()
    weights = rarity.weights()
    assert time.process_time() - began < 0.5  # ten times what it takes, for slow machines
    assert rarity.weights() is weights
    lines.append(Lines(unasked=("Rain.",)))
    assert rarity.weights() is not weights


def test_hostile_words_and_lines_find_an_end():
    lines = Lines(tuple(Entry(tuple(f"the {n} {m} of" for m in range(30)), ("Yes.",)) for n in range(500)))
    world = World([Room("Hall")], [], [Character("Ida", "Hall", is_agent=True, awake=True)])
    chooser = AuthorsLines("Ida", lambda: lines, lambda: world)
    for words in ("", " ", "?" * 4000, "the of, " * 500, "\ud800 \u202e \x00", "a" * 100_000, "the 1 2 of" * 4000):
        assert chooser.answer(words, Character("Jo", "Hall"), (), (), True, random.Random(1)).words in ("", "Yes.")


def test_starter_wordings_get_their_own_answers():
    vault = Vault(STARTER)
    world = load_world(vault, WorldSettings())
    visitor = Character("Robin", world.start_room_id, awake=True)
    for name in agent_names(vault):
        lines = load_lines(vault, name)
        chooser = AuthorsLines(name, lambda lines=lines: lines, lambda: world)  # type: ignore[misc]
        world.characters[name].awake = True
        for heard, answers in ((heard, entry.answers) for entry in lines.entries for heard in entry.heard):
            assert (heard, chooser.answer(heard, visitor, (), (), True, random.Random(1)).words in answers) == (
                heard,
                True,
            )
        for heading in Heading:
            assert 8 <= len(set(lines.below(heading))) <= 14
