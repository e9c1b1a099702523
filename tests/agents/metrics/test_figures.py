"""Each figure of a small world is what is counted by hand."""

from __future__ import annotations

import pytest

from agents.metrics.measuring import measure, measure_world
from tests.agents.metrics.small_world import SmallWorld
from vault.errors import NoteError
from vault.vault import Vault


@pytest.fixture
def town(tmp_path) -> SmallWorld:
    return SmallWorld(tmp_path / "town", "Eliza", "Moss")


def test_validity_is_of_the_answers_that_counted(town):
    town.answers("Eliza", "look")
    town.does("Eliza", "look")  # valid
    town.answers("Eliza", "get moon")
    town.does("Eliza", "get moon", refused=True)
    town.answers("Eliza", "mumble")  # no command in it
    town.answers("Eliza", "look", finish="cancelled")
    town.answers("Eliza", "look", finish="silent")
    town.answers("Moss", "look")
    town.does("Moss", "look")  # valid
    town.does("Moss", "get moon", refused=True)  # the engine's, without a model
    assert measure(town.root, ["validity"]) == {"validity": 2 / 4}


def test_refusals_and_speech_are_of_commands(town):
    town.does("Eliza", "say Hello.")
    town.does("Eliza", "look")
    town.does("Moss", "'Good day. | to be kind")  # a say
    town.does("Moss", "say to the moon", refused=True)
    town.does("Moss", "emote nods")
    assert measure(town.root, ["refusals", "speech_share"]) == {"refusals": 1 / 5, "speech_share": 2 / 4}


def test_a_command_is_refused_once_however_many_results_it_has(town):
    town.does("Eliza", "get moon", refused=True)
    town.remembers("Eliza", "result", "The moon is far away.", refused=True)
    town.does("Eliza", "look")
    assert measure(town.root, ["refusals"]) == {"refusals": 1 / 2}


def test_exact_repeats_are_of_all_but_walking(town):
    town.does("Eliza", "say Hello, Moss!")
    town.does("Moss", "say hello moss")  # another agent's
    town.does("Eliza", "say hello moss | again")  # a repeat
    town.does("Eliza", "go north")
    town.does("Eliza", "go north")
    town.does("Eliza", "look")
    assert measure(town.root, ["exact_repeats"]) == {"exact_repeats": 1 / 4}


def test_loops_are_of_deeds_and_of_walks_for_each_100_commands(town):
    for room in ("Yard", "Mill", "Yard", "Mill"):  # a walk in a circle; the deeds differ
        town.does("Eliza", f"say I am in the {room} at {town.at_ms}.", room=room)
    for _ in range(3):
        town.does("Moss", "look")  # the same thing three times
    town.does("Moss", "get moon")
    assert measure(town.root, ["loops"]) == {"loops": 100 * 2 / 8}


def test_an_agent_that_is_spoken_to_answers_within_two_deeds(town):
    for who in ("Eliza", "Moss", "Ana"):
        town.happens("arrived", who)
    town.happens("said", "Ana", "Eliza", words="How are you?")
    town.happens("left", "Eliza", to_room="Mill")  # her first deed
    town.happens("arrived", "Eliza", room="Mill")  # of the same walk
    town.happens("shouted", "Eliza", words="Well!")  # answered
    town.happens("whispered", "Ana", "Moss", secret="And you?", words="")
    town.happens("emoted", "Moss")
    town.happens("took", "Moss", thing="lamp")  # not answered
    town.happens("said", "Ana", words="It rains.")  # Moss alone hears it
    town.happens("said", "Moss", "Ben", words="Hello, Ben.")  # no answer for Ana
    town.happens("said", "Moss", words="It does.")  # answered
    town.happens("said", "Ana", words="Moss, where is the lamp?")
    town.happens("emoted", "Moss")  # one deed since: it may still come
    assert measure(town.root, ["answered"]) == {"answered": 2 / 3}


def test_words_for_nobody_in_a_crowd_are_for_nobody(town):
    for who in ("Eliza", "Moss", "Ana"):
        town.happens("arrived", who)
    town.happens("said", "Ana", words="It rains.")
    for _ in range(2):
        town.happens("emoted", "Eliza")
        town.happens("emoted", "Moss")
    found = measure_world(Vault(town.root), ["answered"])
    assert (found.figures, list(found.unknown)) == ({}, ["answered"])


def test_near_repeats_are_of_speeches_of_agents_whoever_said_it_before(town):
    town.happens("said", "Ana", words="The river is high today.")
    town.happens("said", "Eliza", words="The river is very high today.")  # 3 pairs of 6 are the same: none
    town.happens("said", "Moss", words="The river is high today, Ana.")  # 4 pairs of 5: what Ana said
    town.happens("whispered", "Eliza", "Moss", words="", secret="Who has seen the lost page?")
    town.happens("said", "Moss", words="Who has seen the lost page?")  # what Eliza whispered
    town.happens("thought", "Moss", words="", secret="Who has seen the lost page?")  # nobody hears it
    assert measure(town.root, ["near_repeats"]) == {"near_repeats": 2 / 4}


def test_distinct_runs_of_words_are_those_of_agents(town):
    town.happens("said", "Eliza", words="Tea, tea and tea.")  # tea tea and tea
    town.happens("said", "Moss", words="And tea!")
    town.happens("said", "Ana", words="Coffee for me.")
    wanted = ["distinct_1", "distinct_2", "distinct_3"]
    assert measure(town.root, wanted) == {"distinct_1": 2 / 6, "distinct_2": 3 / 4, "distinct_3": 2 / 2}


def test_a_planted_fact_spreads_from_memory_to_memory(tmp_path):
    town = SmallWorld(tmp_path / "town", "Eliza", "Moss", "Odile", "Till")
    town.remembers("Eliza", "noted", "The iron key lies under the weir.")
    town.remembers("Till", "thought", "The iron key may lie under the weir.")  # its own guess
    began = town.at_ms - 60_000
    town.remembers("Moss", "observed", 'Eliza says, "Look for the iron key, it lies under the weir."')
    half = town.at_ms
    town.remembers("Moss", "observed", 'Eliza says, "The iron key lies under the weir."')
    town.remembers("Odile", "acted", "say An iron key lies under this weir.")
    found = measure_world(
        Vault(town.root), ["diffusion", "diffusion_half_hours"], fact="The iron key is under the weir."
    )
    assert {name: one.value for name, one in found.figures.items()} == {
        "diffusion": 3 / 4,
        "diffusion_half_hours": (half - began) / 3_600_000,
    }
    assert [line.split("  ")[1] for line in found.details] == [
        "Eliza knows the fact (noted, memory 1)",
        "Moss knows the fact (observed, memory 1)",
        "Odile knows the fact (said it, memory 1)",
    ]


def test_promises_of_agents_are_kept_or_not(town):
    town.happens("said", "Eliza", "Moss", words="I will bring you the lantern.")
    town.happens("said", "Moss", "Eliza", words="I promise to mend the weir.")
    town.happens("said", "Ana", "Eliza", words="I will bring you the kettle.")  # a person's
    town.happens("gave", "Eliza", "Moss", thing="lantern")
    town.happens("gave", "Ana", "Eliza", thing="kettle")
    assert measure(town.root, ["promises_kept"]) == {"promises_kept": 1 / 2}


def test_tokens_are_of_all_answers_and_the_cache_of_those_who_tell(town):
    town.answers("Eliza", "look", prompt_tokens=100, completion_tokens=10, cached_tokens=80)
    town.answers("Eliza", "look", prompt_tokens=200, completion_tokens=20, cached_tokens=None, finish="cancelled")
    town.archives("Eliza", "reflection", 0, reply="{}", model="m", prompt_tokens=300, completion_tokens=60)
    assert measure(town.root, ["prompt_tokens", "completion_tokens", "cache_share", "cost"]) == {
        "prompt_tokens": 200.0,
        "completion_tokens": 30.0,
        "cache_share": 80 / 100,
    }


def test_a_cost_is_by_the_prices_of_all_models_or_unknown(town):
    (town.root / "config").mkdir()
    prices = "## thinker\n**endpoints**: http://127.0.0.1:1\n**api**: openai\n**model**: m1\n"
    prices += "**price_in**: 2\n**price_out**: 10\n"
    (town.root / "config" / "models.md").write_text(prices, "utf-8")
    town.answers("Eliza", "look", model="openai:m1@http://127.0.0.1:1", prompt_tokens=1000, completion_tokens=50)
    assert measure(town.root, ["cost"]) == {"cost": pytest.approx((1000 * 2 + 50 * 10) / 1e6)}
    town.answers("Eliza", "look", model="ollama:m2@http://127.0.0.1:2")
    found = measure_world(Vault(town.root), ["cost"])
    assert found.unknown["cost"].endswith("for ollama:m2@http://127.0.0.1:2")


def test_retrieval_hits_are_of_answers_and_used_are_of_memories(town):
    lines = "[You remember memory 3: Ana lost a red glove at the mill.]\n[You remember memory 5: It rained on Monday.]"
    prompt = f"Now.\n{lines}\nYou are here."
    told = {"recollected": [5, len(lines)]}
    town.answers("Eliza", "say Your red glove is here.", prompt, told=told, retrieved=[[3, 1.0], [5, 0.5]])
    town.does("Eliza", "say Your red glove is here.")
    town.answers("Eliza", "look")
    town.answers("Eliza", "look", prompt, told=told, retrieved=[[3, 1.0]], finish="cancelled")
    assert measure(town.root, ["retrieval_hits", "retrieval_used"]) == {
        "retrieval_hits": 1 / 2,
        "retrieval_used": 1 / 2,
    }


def test_a_name_that_is_no_figure_is_refused_with_those_there_are(town):
    with pytest.raises(NoteError, match=r"There is no figure 'validty'; there are validity, refusals, .*cache_share"):
        measure(town.root, ["validty"])
