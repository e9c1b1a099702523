"""The world as an environment: PettingZoo's own tests, seeds, refusals, and that nothing outside is touched."""

from __future__ import annotations

import random
import re
import shutil
import threading
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("pettingzoo", reason="the environment's packages are missing: pip install -e '.[env]'")

from pettingzoo.test import api_test, seed_test

from agents.models.model import Request
from agents.simulation.recording import SimulationError
from fallwater.env import MAX_COMMANDS, FallwaterEnv, env
from fallwater.opponents import Scene, visitor, wanderer
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import files
from vault.errors import NoteError
from vault.vault import STARTER
from world.events import Gave
from world.world import World

COMPANY = {"Eliza": wanderer, "Tilda": visitor}
ours = pytest.mark.filterwarnings("ignore::UserWarning")  # PettingZoo would rather have arrays than text


def first_texts(world: FallwaterEnv, seed: int | None = None, turns: int = 12) -> str:
    """Return what is perceived in the first turns by players who do anything, as one text."""
    world.reset(seed=seed)
    rng, told = random.Random(3), []
    for player in world.agent_iter(turns):
        observation, _, _, _, info = world.last()
        told.append(f"{player}: {observation['text']}")
        world.step(rng.choice(info["commands"]))
    return "\n".join(told)


def begun(**made: Any) -> FallwaterEnv:
    """Return an environment at the beginning of an episode."""
    world = FallwaterEnv(**made)
    world.reset(seed=1)
    return world


def inside(world: FallwaterEnv) -> World:
    assert world.episode is not None
    return world.episode.world


def everything_in(world: FallwaterEnv) -> list[str]:
    return [repr(one) for one in inside(world).entities()]


@ours
@pytest.mark.parametrize("actions", ["text", "index"])
def test_it_passes_pettingzoo_s_own_tests(actions):
    made = {"actions": actions, "turns": 8, "others": COMPANY}
    api_test(env(**made), num_cycles=10)
    seed_test(lambda: env(**made), num_cycles=10)


def test_resets_with_one_seed_give_one_text_and_other_seeds_others():
    world = FallwaterEnv(others=COMPANY)
    assert len({first_texts(world, 7, 2) for _ in range(10)}) == 1
    assert len({first_texts(world, seed) for seed in range(5)}) == 5


def test_without_a_seed_an_episode_is_a_new_one_and_says_its_seed():
    world = FallwaterEnv(others=COMPANY)
    texts = [first_texts(world, 7), first_texts(world), first_texts(world)]
    assert len(set(texts)) == 3
    assert first_texts(world, world.infos["Ana"]["seed"]) == texts[-1]
    assert [first_texts(world, 7), first_texts(world), first_texts(world)] == texts


@pytest.mark.parametrize("seed", ["7", 7.0, True])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(TypeError, match=r"^seed is .*; expected a whole number, or None\.$"):
        FallwaterEnv().reset(seed=seed)


def test_every_command_that_is_offered_is_accepted():
    world, rng = begun(players=("Ana", "Ben", "Eliza"), turns=100, actions="index"), random.Random(1)
    refused, verbs = [], set()
    for player in world.agent_iter():
        _, _, _, is_over, info = world.last()
        if info["refusal"]:
            refused.append((player, info["refusal"]))
        if not is_over:
            number = rng.randrange(int(info["action_mask"].sum()))
            verbs.add(info["commands"][number].split()[0])
        world.step(None if is_over else number)
    assert refused == []
    assert verbs >= {"look", "go", "say", "whisper", "get", "give", "drop"}


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("", "The line is empty; type a command, such as look."),
        (" \t ", "The line is empty; type a command, such as look."),
        ("say " + "x" * 1_000_000, "The line has 1,000,004 bytes; at most 4,096 are allowed."),
        ("say hello\x1b[2J", "The line has control characters or line breaks; type one line of plain text."),
        ("look\nlook", "The line has control characters or line breaks; type one line of plain text."),
        ("say \ud800", "The line has control characters or line breaks; type one line of plain text."),
        ("@dig Tower", "@dig is for a builder and above; you are a player."),
        ("fly home", "There is no command 'fly'. Type commands to see what you can do."),
    ],
)
def test_a_line_that_cannot_be_done_is_refused_in_words_and_changes_nothing(line, refusal):
    world = begun()
    before = everything_in(world)
    world.step(line)
    assert everything_in(world) == before
    world.step("look")
    observation, _, _, _, info = world.last()
    assert (info["refusal"], observation["text"]) == (refusal, refusal)
    assert info["turn"] == 1


@pytest.mark.parametrize("number", [-1, MAX_COMMANDS - 1, 10**9])
def test_a_number_that_no_command_has_is_refused(number):
    world = begun(actions="index")
    world.step(number)
    world.step(0)
    assert world.last()[4]["refusal"].startswith("The line is empty")


def test_an_action_of_another_kind_is_the_caller_s_mistake():
    wrong: tuple[tuple[Literal["text", "index"], object], ...] = (("text", 3), ("text", None), ("index", "look"))
    for actions, action in (*wrong, ("index", True)):
        world = begun(actions=actions)
        with pytest.raises(TypeError, match=r"^The action is .*; expected"):
            world.step(action)


def test_players_perceive_each_other_and_each_only_what_is_said_to_it():
    world = begun(players=("Ana", "Ben", "Cleo"))
    world.step("whisper Ben The key is under the bell.")
    assert world.observe("Ben")["text"].endswith('Ana whispers to you, "The key is under the bell."')
    assert world.observe("Cleo")["text"].endswith("Ana whispers something to Ben.")
    world.step("look")
    assert "under the bell" not in world.observe("Ben")["text"]


def test_a_reward_is_what_the_function_says_of_a_turn():
    def gave(act):
        return {event.to_id: 1.0 for event in act.result.events if isinstance(event, Gave)} | {act.player: -0.5}

    world = begun(reward=gave)
    for line in ("get letter", "look", "give letter to Ben"):
        world.step(line)
    assert world.rewards == {"Ana": -0.5, "Ben": 1.0}
    assert world.last()[1] == 0.5
    plain = begun()
    plain.step("get letter")
    assert plain.rewards == {"Ana": 0.0, "Ben": 0.0}


def test_a_reward_for_nobody_is_an_error():
    world = begun(reward=lambda act: {"Nobody": 1.0})
    with pytest.raises(ValueError, match=r"^reward names Nobody; the players are \['Ana', 'Ben'\]\.$"):
        world.step("look")


def test_it_ends_after_the_turns_of_each_and_for_one_who_quits():
    world = begun(turns=3)
    over = []
    for player in world.agent_iter():
        _, _, terminated, truncated, info = world.last()
        if terminated or truncated:
            over.append((player, terminated, truncated, info["turn"], info["commands"]))
        world.step(None if terminated or truncated else "quit" if (player, info["turn"]) == ("Ana", 1) else "look")
    assert over == [("Ana", True, False, 2, ()), ("Ben", False, True, 3, ())]
    assert world.agents == []
    assert [one.name for one in inside(world).awake()] == ["Ben"]


def test_two_environments_and_two_episodes_do_not_touch_each_other():
    alone = FallwaterEnv()
    told = first_texts(alone, 7)
    one, other = FallwaterEnv(), FallwaterEnv()
    one.reset(seed=7)
    one.step("get letter")
    one.step("@set bell brass")
    assert first_texts(other, 7) == told
    inside(one).rooms["The Landing"].exits.clear()
    assert first_texts(one, 7) == told


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A copy of the starter world, beside which nothing else is."""
    return Path(shutil.copytree(STARTER, tmp_path / "vault"))


def talks(request: Request) -> str:
    return "I heard somebody talk." if request.max_tokens > 100 else "say The water is high today."


def test_agents_with_a_model_answer_and_the_vault_stays_as_it_was(tmp_path, vault):
    before, threads = files(tmp_path), threading.active_count()
    world = FallwaterEnv(vault, players=("Ana",), model=lambda: ScriptedModel(talks), turns=20)
    told = []
    for _ in range(2):
        world.reset(seed=7)
        lines = []
        for _ in world.agent_iter(6):
            lines.append(world.last()[0]["text"])
            world.step("say Eliza, is the water high?")
        told.append("\n".join(lines))
    assert 'Eliza says, "The water is high today."' in told[0]
    assert told[0] == told[1]
    world.close()
    assert (files(tmp_path), threading.active_count()) == (before, threads)


def test_without_a_model_nothing_is_written_and_nobody_else_is_there(tmp_path, vault):
    before = files(tmp_path)
    world = FallwaterEnv(str(vault), players=("Ana",))
    first_texts(world, 7, 30)
    world.close()
    assert files(tmp_path) == before
    with pytest.raises(RuntimeError, match="call reset"):
        world.observe("Ana")


def test_an_agent_s_body_can_be_moved_from_outside():
    world = begun(players=("Eliza", "Ana"))
    world.step("say Good morning.")
    assert world.last()[0]["text"].endswith('Eliza says, "Good morning."')
    assert inside(world).characters["Eliza"].is_agent


def test_a_scripted_policy_sees_and_acts_and_its_chance_follows_the_seed():
    scenes: list[tuple[int, str, float]] = []

    def echo(scene: Scene) -> str:
        scenes.append((scene.turn, scene.text.splitlines()[-1], scene.rng.random()))
        return "say I see."

    world = FallwaterEnv(players=("Ana",), others={"Rook": echo})
    for _ in range(2):
        world.reset(seed=3)
        world.step("say One.")
        world.step("say Two.")
    assert [scene[:2] for scene in scenes[:2]] == [(0, 'Ana says, "One."'), (1, 'Ana says, "Two."')]
    assert scenes[:2] == scenes[2:]
    assert world.last()[0]["text"] == 'You say, "Two."\nRook says, "I see."'


def test_a_visitor_walks_to_an_agent_and_talks():
    world = begun(players=("Eliza",), others={"Tilda": visitor})
    lines = []
    for line in ("go north", "look", "look", "look"):
        world.step(line)
        lines.append(world.last()[0]["text"].splitlines()[-1])
    assert 'Tilda says, "I lost my red kite this morning."' in lines
    assert any(line.startswith("Tilda arrives") for line in lines)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"players": ()}, "players and others are ; expected one name or more, each once."),
        ({"players": "Ana"}, "players and others are 'Ana'; expected one name or more, each once."),
        ({"players": ("Ana",), "others": {"Ana": wanderer}}, "players and others are Ana, Ana; expected"),
        ({"turns": 0}, "turns is 0; expected 1 or more."),
        ({"actions": "words"}, "actions is 'words'; expected text or index."),
    ],
)
def test_arguments_that_make_no_sense_are_refused(given, complaint):
    with pytest.raises(ValueError, match=f"^{complaint.split(';')[0]}"):
        FallwaterEnv(**given)


def test_what_cannot_be_a_world_a_name_or_a_model_is_refused_in_words(tmp_path):
    with pytest.raises(NoteError, match="there is no vault here; a vault has a folder rooms/"):
        FallwaterEnv(tmp_path)
    with pytest.raises(NoteError, match="has characters that a note's name cannot have"):
        FallwaterEnv(players=("A/B",)).reset()
    with pytest.raises(NoteError, match="Nobody can be called 'The Landing'"):
        FallwaterEnv(players=("The Landing",)).reset()
    threads = threading.active_count()
    with pytest.raises(NoteError, match="^model is 'gpt'; expected configured, auto, embedded"):
        FallwaterEnv(model="gpt").reset()
    with pytest.raises(SimulationError, match="Nobody would do anything"):
        FallwaterEnv(model="none").reset()
    assert threading.active_count() == threads


def test_a_method_before_the_first_reset_says_so():
    with pytest.raises(Exception, match="reset"):
        env().step("look")


def test_the_example_in_the_docs_is_short_and_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "research.md").read_text("utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert example.count("\n") < 30
    exec(example, {})
    assert re.fullmatch(r"Ana: [1-9]\d*, Ben: \d+\n", capsys.readouterr().out)
