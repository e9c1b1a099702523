"""Summaries, each capability under its number: whose template, which model, how long, of what, and never twice."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from agents.memory.summaries.drafts import SummaryCall, SummaryRefused
from agents.memory.summaries.prompt import (
    SummaryTemplate,
    first_person,
    group_memories,
    load_summary_templates,
    render_groups,
)
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext, write_summary
from agents.memory.summary_verifier import MENDABLE, Source, judge
from agents.models.model import Capabilities, ModelError, Request
from agents.models.queue import ModelQueue
from agents.population import Population
from tests.agents.memory.lives import NAME, ROSTER, Life, one_turn, windows
from tests.agents.memory.verifier_samples import estimated_tokens, faulty, sound
from tests.agents.templates import TEMPLATES
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings
from vault.entities.load import load_world
from vault.errors import NoteError
from vault.memory.caches import SummaryCache
from vault.memory.memory_line import Memory
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.game import Game

DAY = "---\nroom: '[[The Landing]]'\nimmediate_window: 2\nrecent_window: 3\n{more}---\nYou are {name}.\n"
GOOD = "I heard Moss talk of the river."
WEIR = [("The Landing", f"Ana tells of the weir, for the {n}th time.") for n in range(4)]
KINDS = {
    "planner": ("progress", "decisions", "pending"),
    "scholar": ("learned", "sources", "contradict", "questions"),
    "trader": ("goods", "prices", "debts", "want"),
    "builder": ("variables", "transformations", "results"),
}
ASKS_FOR_JSON = "---\nschema: json\n---\nMemories of {name}:\n\n{memories}\n\nAnswer in JSON.{objection}\nSUMMARY:\n"
IN_BRIEF = "{memories}\n\nTell it in brief.{objection}\nSUMMARY:"
PIN = "I promised him a seed bun and must not forget it"
MENDED = {
    "a control token": "I met Odile on The Landing.",
    "a note about the work": "I met Odile and Moss.",
    "thinking aloud": "I met Odile and Moss.",
    "the log goes on": "I met Odile.",
    "a pin left out": f"I met Odile on The Landing.\n{PIN}",
    "a pin reworded": f"I met Odile on The Landing. I promised Moss a bun and must not forget it.\n{PIN}",
}


class Town:
    """Eliza and Moss in a vault of their own, and what everyone sees and every model is asked, in order."""

    def __init__(self, root: Path, notes: dict[str, str] | None = None, eliza: str = "", moss: str = "") -> None:
        self.vault = vault_of(
            root,
            TEMPLATES
            | {
                "rooms/The Landing.md": "Green planks.\n",
                "agents/Eliza/agent.md": DAY.format(name="Eliza", more=eliza),
                "agents/Moss/agent.md": DAY.format(name="Moss", more=moss),
            }
            | (notes or {}),
        )
        self.settings = load_settings(self.vault)
        self.game = Game(load_world(self.vault, self.settings.world), world_commands())
        self.agents = Population(self.vault, self.settings, self.game, random.Random(1), lambda: 0)
        self.asked: list[tuple[str, str]] = []

    def model(self, name: str = "main", reply: Callable[[str], str] = lambda prompt: GOOD) -> ScriptedModel:
        """Return a model that notes what it is asked; a turn is answered with a word said."""

        def answer(request: Request) -> str:
            self.asked.append((name, request.prompt))
            return reply(request.prompt) if is_summary(request.prompt) else "say Good morning"

        return ScriptedModel(answer, name=name)

    def lives(
        self,
        *models: ScriptedModel,
        names: Iterable[str] = ("Eliza",),
        memories: Sequence[tuple[str, str]] = WEIR,
        ticks: int = 0,
    ) -> None:
        """Let agents think so often with the first model, and the others summarise what they remember: (room, text).

        Two newer memories are left as they are.
        """

        async def live() -> None:
            first, *others = map(ModelQueue, models)
            self.agents.wake(first, others)
            for agent in (self.agents[name] for name in names):
                for room, text in [*memories, *[("The Landing", "It rains.")] * 2]:
                    agent.memory.record("observed", text, room, ("Ana",))
                for _ in range(ticks):
                    await agent.tick()
                agent.compactor.start_if_due()
                while agent.compactor.is_running:
                    await one_turn()

        asyncio.run(live())


def talkative() -> ScriptedModel:
    return ScriptedModel(lambda request: GOOD)


def is_summary(prompt: str) -> bool:
    return prompt.endswith("SUMMARY:")


def heard(*texts: str, importance: int = 3, room: str = "The Landing", first: int = 1) -> list[Memory]:
    return [
        Memory(seq, seq * 1000, "observed", room, text, ("Moss",), importance) for seq, text in enumerate(texts, first)
    ]


def summarizer_of(
    memories: Sequence[Memory], model: ScriptedModel, style: str = "prose", cache: SummaryCache | None = None
) -> Summarizer:
    by_seq = {memory.seq: memory for memory in memories}
    return Summarizer(
        SummaryContext(NAME, lambda: ROSTER, by_seq.get),
        [ModelQueue(model)],
        load_summary_templates(Vault(STARTER), NAME),
        SummarizerProfile(style, 0.3, 300, 60.0),
        cache,
    )


# Templates


def test_0_4_two_agents_with_different_templates_are_asked_differently(tmp_path):
    town = Town(tmp_path, eliza="summary_template: planner\n", moss="summary_template: trader\n")
    town.lives(town.model(reply=lambda prompt: "I heard Ana tell of the weir."), names=("Eliza", "Moss"))
    (_, eliza), (_, moss) = town.asked
    assert "progress made" in eliza and "debts" not in eliza
    assert "debts" in moss and "progress made" not in moss


def test_0_4_a_missing_template_falls_back_to_the_common_one_and_says_so_once(tmp_path, caplog):
    town = Town(tmp_path, eliza="summary_template: poet\n")
    for _ in range(3):
        assert town.agents.reload(town.settings) == []
    town.lives(town.model())
    assert "whom I met, what was said and promised" in town.asked[0][1]
    assert [r.getMessage() for r in caplog.records if "template" in r.getMessage()] == [
        "[Memory] Eliza: there is no template summarize_recent_poet; Eliza is asked with summarize_recent."
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_0_17_the_template_of_a_kind_asks_for_what_matters_to_it(kind):
    text = load_summary_templates(Vault(STARTER), NAME, kind).recent.text
    assert [word for word in KINDS[kind] if word not in text] == []


def test_0_17_a_planted_pending_item_survives_in_a_planner_s_summary(tmp_path):
    def reader(prompt: str) -> str:
        """Keep what is pending if that is asked for, else the first thing that happened."""
        lines = prompt.split("\n")[2:]
        kept = next(line for line in lines if "pending" not in prompt or "the sealed letter" in line)
        return f"I was by the river. {kept} So I heard."

    texts = [f"Ana {does}." for does in ("waves", "waits for the sealed letter", "eats an eel", "minds the step")]
    town = Town(tmp_path, eliza="summary_template: planner\n")
    town.lives(town.model(reply=reader), names=town.agents, memories=[("The Landing", text) for text in texts])
    eliza, moss = (town.agents[name].memory.recent for name in ("Eliza", "Moss"))
    assert eliza and "the sealed letter" in eliza.text
    assert moss and "the sealed letter" not in moss.text


@pytest.mark.parametrize(
    ("rooms", "asked"),
    [
        (["The market"] * 3 + ["The Landing"], "MARKET"),
        (["The harbour"] * 3 + ["The mill"], "HARBOUR"),
        (["The mill"] * 4, "MILL"),
        (["The market", "The mill"] * 2, "said and promised"),
        (["The Landing"] * 4, "said and promised"),
    ],
)
def test_2_18_what_happened_mostly_in_rooms_of_a_domain_is_asked_for_with_its_template(tmp_path, rooms, asked):
    domains, notes = ("market", "harbour", "mill"), {}
    for domain in domains:
        notes[f"rooms/The {domain}.md"] = f"---\ntags: [room, domain/{domain}]\n---\nA place.\n"
        text = f"{{memories}}\nTell of the {domain.upper()}.{{objection}}\nSUMMARY:\n"
        notes[f"templates/summarize_recent_{domain}.md"] = text
    town = Town(tmp_path, notes)
    # And Eliza sees Moss wake on The Landing.
    town.lives(town.model(), memories=[(room, f"Ana tells {n} things of it.") for n, room in enumerate(rooms)])
    assert [re.findall("MARKET|HARBOUR|MILL|said and promised", prompt) for _, prompt in town.asked] == [[asked]]


# What is asked, and when


@pytest.mark.parametrize(
    ("name", "slot"),
    [("summarize_recent", "memories"), ("summarize_longterm", "older"), ("summarize_recent_planner", "memories")],
)
def test_2_4_a_template_without_its_slot_is_refused_at_load(tmp_path, name, slot):
    text = TEMPLATES[f"templates/{name}.md"].replace(f"{{{slot}}}", "")
    vault = vault_of(tmp_path, TEMPLATES | {f"templates/{name}.md": text})
    with pytest.raises(NoteError, match=rf"templates/{name}.md: the slot \{{{slot}\}} is missing"):
        load_summary_templates(vault, NAME, "planner")


def test_2_5_nothing_is_summarised_twice_but_what_has_to_be_tried_again(tmp_path):
    def said(request: Request) -> str | ModelError:
        number = len(model.requests)
        words = f"I {('asked', 'heard', 'told', 'saw')[number % 4]} Moss of the river."
        return ModelError("The host is gone.") if number == 4 else words

    model = ScriptedModel(said)
    life = Life(tmp_path, windows(3, 4, retry_seconds=1.0), model)
    for number in range(40):
        life.live(1, f"Moss tells me of eel E{number + 1}E.")
        life.clock.ms += 60_000
        asyncio.run(life.compact())
    sent = [re.findall(r"E(\d+)E", prompt) for prompt in model.prompts if "long ago" not in prompt]
    counted = {number: sum(number in chunk for chunk in sent) for chunk in sent for number in chunk}
    again = [number for number, count in counted.items() if count > 1]
    assert set(counted) >= {str(number) for number in range(1, 34)}
    assert max(counted.values()) <= 2 and len(again) <= 5


def test_2_6_summaries_are_made_by_the_other_model_and_turns_by_the_main_one(tmp_path):
    town = Town(tmp_path)
    town.lives(town.model("main"), town.model("cheap"), ticks=1)
    assert {name for name, prompt in town.asked if is_summary(prompt)} == {"cheap"}
    assert {name for name, prompt in town.asked if not is_summary(prompt)} == {"main"}
    recent = town.agents["Eliza"].memory.recent
    assert recent and recent.model == "cheap"


def test_2_6_the_next_model_is_asked_when_the_first_gives_no_good_summary(tmp_path):
    town = Town(tmp_path)
    town.lives(town.model("main"), town.model("poor", lambda prompt: "I met Bartholomew."), town.model("good"))
    assert [name for name, _ in town.asked] == ["poor", "poor", "good"]
    assert "A first try was refused: No memory has this name: Bartholomew." in town.asked[1][1]
    agent = town.agents["Eliza"]
    assert agent.memory.recent and agent.memory.recent.model == "good"
    assert agent.compactor.stats.refused == {"unknown-name": 2}
    assert agent.compactor.stats.calls == 3


def test_2_6_a_second_try_may_keep_the_words_that_the_objection_to_the_first_quotes():
    kept = "I looked for the gate in vain."
    model = ScriptedModel(" ".join([kept] * 3), f"{kept} Moss told me of the river.")
    memories = heard(*[f'Moss says, "The gate is not here, Eliza, but by the river, {n} times."' for n in range(6)])
    draft = asyncio.run(summarizer_of(memories, model).recent(memories))
    assert kept in draft.text
    assert draft.refused == ("repetition",)


def test_2_8_an_agent_for_whom_it_is_turned_off_costs_no_call_and_the_others_go_on(tmp_path):
    town = Town(tmp_path, eliza="enabled: false\n")
    town.lives(town.model(), names=town.agents)
    assert [agent.compactor.stats.calls > 0 for agent in town.agents.values()] == [False, True]
    assert all("memories of Moss" in prompt or "what Moss remembers" in prompt for _, prompt in town.asked)


def test_2_16_a_reply_is_on_every_screen_before_the_summariser_is_called(tmp_path):
    town = Town(tmp_path, {"people/Ana.md": "Ana.\n", "config/world.md": "**start_room**: The Landing\n"})
    town.game.wake("Ana", lambda event, text: town.asked.append(("screen", text)) if text else None)
    town.lives(town.model(), ticks=1)
    happened = ["summary" if is_summary(text) else "turn" if who == "main" else text for who, text in town.asked]
    assert happened[happened.index("turn") :][:3] == ["turn", 'Eliza says, "Good morning"', "summary"]


# What comes back


@pytest.mark.parametrize(
    "reply",
    [
        "I met Moss.",
        '{"summary": "I met Moss."}',
        '{"summary": "", "variables": []}',
        '{"summary": "I met Moss.", "variables": "gate nine"}',
        '{"summary": "I met Moss.", "variables": [{"value": 9}]}',
        '{"summary": "I met Moss.", "variables": ["gate nine"',
        '{"summary": "I met Moss.", "variables": ["gate twelve"]}',
        "[]",
        "[" * 3000,
    ],
)
def test_2_7_a_reply_that_is_not_the_json_asked_for_is_refused(reply):
    with pytest.raises(SummaryRefused) as refused:
        asyncio.run(answered(reply))
    assert refused.value.reasons == ("bad-json",)


@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```", "\n{}\n"])
def test_2_7_json_is_kept_as_text_that_can_be_read(form):
    reply = json.dumps(
        {"summary": "I heard Moss speak.", "variables": ["the brass lantern", {"name": "gate nine", "value": "stuck"}]},
        indent=1,
    )
    draft = asyncio.run(answered(form.replace("{}", reply)))
    assert draft == "I heard Moss speak.\nWhat I keep in mind: the brass lantern, gate nine = stuck."


async def answered(reply: str) -> str:
    """Return what becomes of a reply to a template that asks for JSON."""
    memories = heard(
        "Moss says that gate nine is stuck.", "Moss takes the brass lantern.", *["Moss hums a tune to himself."] * 9
    )
    source = Source(tuple(memories), (), ROSTER, NAME)
    asking = SummaryCall(ModelQueue(ScriptedModel(lambda request: reply)), NAME, 0.3, 60.0)
    template = SummaryTemplate(ASKS_FOR_JSON.split("---\n")[2].strip(), "json")
    return (await write_summary(asking, template, {"memories": ""}, source, chat=False)).text


def test_2_7_a_template_says_by_its_schema_that_it_asks_for_json(tmp_path):
    vault = vault_of(tmp_path, TEMPLATES | {"agents/Eliza/templates/summarize_recent.md": ASKS_FOR_JSON})
    assert load_summary_templates(vault, "Eliza").recent.schema == "json"
    assert load_summary_templates(vault, "Moss").recent.schema == "prose"
    broken = vault_of(
        tmp_path / "b", TEMPLATES | {"templates/summarize_recent.md": ASKS_FOR_JSON.replace("json", "xml")}
    )
    with pytest.raises(
        NoteError, match=r"templates/summarize_recent.md:2: schema is 'xml'; expected one of prose, json"
    ):
        load_summary_templates(broken, "Eliza")


@pytest.mark.parametrize("sample", [pytest.param(one, id=one.kind) for one in faulty() if one.kind not in MENDED])
def test_2_15_no_faulty_summary_is_accepted(sample):
    try:
        accepted = asyncio.run(judged(sample.text, sample.source))
    except SummaryRefused as refused:
        assert sample.reason in refused.reasons
    else:  # some of its sentences are wrong, and the others count
        assert sample.reason in MENDABLE
        assert sample.reason not in [one.reason for one in judge(accepted, sample.source, len).objections]


@pytest.mark.parametrize("sample", [pytest.param(one, id=one.kind) for one in faulty() if one.kind in MENDED])
def test_2_15_what_comes_after_the_summary_is_cut_off_and_pins_are_added_by_rule(sample):
    assert asyncio.run(judged(sample.text, sample.source)) == MENDED[sample.kind]


async def judged(text: str, source: Source) -> str:
    """Return what becomes of a text that a model has given as summary of a source."""
    asking = SummaryCall(ModelQueue(saying(text)), NAME, 0.3, 60.0)
    template = SummaryTemplate(source.prompt or IN_BRIEF)
    return (await write_summary(asking, template, {}, source, chat=False)).text


def test_2_15_a_sound_summary_is_accepted():
    text, source = sound()
    assert asyncio.run(judged(text, source)) == " ".join(text.split())


def saying(text: str) -> ScriptedModel:
    """Return a model that says one thing, whatever it is asked, and counts tokens as the samples do."""
    model = ScriptedModel(lambda request: text)
    model.count_tokens = estimated_tokens  # type: ignore[method-assign]
    return model


def test_2_17_the_same_memories_template_and_model_cost_one_call_and_a_change_of_any_another(tmp_path):
    vault, model, other = Vault(tmp_path), talkative(), ScriptedModel(lambda request: GOOD, name="other")
    memories = heard(*(f"Moss tells me of eel {n}." for n in range(12)))

    def make(of: Sequence[Memory], by: ScriptedModel = model) -> tuple[str, int]:
        """Return a summary and what it cost; the cache is read anew, as after a restart."""
        draft = asyncio.run(summarizer_of(memories, by, cache=SummaryCache(vault, NAME)).recent(of))
        return draft.text, draft.calls

    assert [make(memories), make(memories)] == [(GOOD, 1), (GOOD, 0)]
    assert make(memories[1:]) == (GOOD, 1)
    assert make([memories[0], *heard("Moss has thought better of it.", first=2), *memories[2:]]) == (GOOD, 1)
    assert make(memories, other) == (GOOD, 1)
    assert (len(model.requests), len(other.requests)) == (3, 1)


@pytest.mark.parametrize("text", ["", "[]\n", '{"key": 1}\nnonsense {{{\n', "\x00\n"])
def test_2_17_a_cache_that_was_lost_or_garbled_costs_a_call_and_nothing_else(tmp_path, text):
    memories, cache = (
        heard(*(f"Moss tells me of eel {n}." for n in range(12))),
        tmp_path / ".index" / "Eliza.summaries.jsonl",
    )
    vault = Vault(tmp_path)
    for _ in range(2):
        draft = asyncio.run(summarizer_of(memories, talkative(), cache=SummaryCache(vault, NAME)).recent(memories))
        assert (draft.text, draft.calls) == (GOOD, 1)
        cache.write_text(text)


def test_2_17_what_stands_in_the_cache_is_judged_like_any_other_summary(tmp_path):
    memories, vault = heard(*(f"Moss tells me of eel {n}." for n in range(12))), Vault(tmp_path)
    asyncio.run(summarizer_of(memories, talkative(), cache=SummaryCache(vault, NAME)).recent(memories))
    path = tmp_path / ".index" / "Eliza.summaries.jsonl"
    path.write_text(path.read_text().replace(GOOD, "I met Bartholomew."))
    draft = asyncio.run(summarizer_of(memories, talkative(), cache=SummaryCache(vault, NAME)).recent(memories))
    assert (draft.text, draft.calls) == (GOOD, 1)


# What matters


def test_2_12_of_memories_of_one_age_those_that_matter_are_told_and_the_daily_round_is_counted():
    walks = [("acted", "north"), ("result", "You go north to The Weir.")] * 6
    looks = [("acted", "look"), ("result", "The Landing ⏎ Green planks.")] * 4
    round_ = [Memory(0, 0, kind, "The Landing", text, (), 2) for kind, text in [*walks, *looks]]
    flagged = [
        Memory(0, 0, "result", "The Landing", "There is no exit 'nrth' here.", (), 4),
        Memory(0, 0, "observed", "The Landing", 'Moss says, "I promise you a bun."', ("Moss",), 7),
        Memory(0, 0, "result", "The Landing", "You take the brass lantern.", (), 5),
    ]
    mixed = [*round_[:9], *flagged, *round_[9:]]
    assert render_groups(group_memories(mixed, "place"), NAME, 400).split("\n") == [
        flagged[0].text,
        flagged[1].text,
        "I take the brass lantern.",
        "[went about: 6 moves, 4 looks]",
    ]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("say Good morning.", 'I say, "Good morning."'),
        ("say Good morning. | he looks sad", "~Eliza> say Good morning. | he looks sad"),
        ("think Half a tone lower.", "I think: Half a tone lower."),
        ("give lantern to Moss", ""),  # its result is a memory of its own
        ("whistle", "~Eliza> whistle"),
    ],
)
def test_what_was_typed_is_told_as_its_owner_would_tell_it(typed, told):
    assert first_person(Memory(1, 0, "acted", "The Landing", typed), NAME) == told


def test_2_12_what_is_flagged_survives_in_the_summary_and_the_daily_round_does_not():
    flagged = [
        Memory(1, 0, "result", "The Landing", "You take the brass lantern.", (), 5),
        Memory(2, 0, "observed", "The Landing", 'Moss says, "I promise you a bun."', ("Moss",), 7),
        Memory(3, 0, "observed", "The Landing", "Odile gives you the gauge slip.", ("Odile",), 6),
    ]
    plain = [Memory(seq, 0, "observed", "The Landing", f"Moss hums {seq} bars.", ("Moss",), 3) for seq in range(4, 40)]
    daily = [Memory(seq, 0, "acted", "The Landing", f"look at plank {seq}", (), 2) for seq in range(40, 80)]
    memories = [*flagged, *plain, *daily]
    lines = asyncio.run(summarizer_of(memories, talkative(), "pick").recent(memories)).text.split("\n")
    assert [one.text for one in flagged if not any(one.text in line for line in lines)] == []
    assert 0 < sum("hums" in line for line in lines) < len(plain)
    assert not any("plank" in line for line in lines)


def test_2_12_what_was_counted_may_be_told_with_its_numbers():
    memories = [Memory(n, 0, "acted", "The Landing", f"look at plank {n % 3}", (), 2) for n in range(40)]
    model = ScriptedModel("I took 40 looks around The Landing.")
    assert asyncio.run(summarizer_of(memories, model).recent(memories)).calls == 1


def test_2_12_a_pinned_line_is_told_however_little_it_matters():
    pinned = Memory(1, 0, "acted", "The Landing", "look at the tide mark", (), 1, pinned=True)
    assert render_groups(group_memories([pinned], "place"), NAME, 400) == "~Eliza> look at the tide mark"


def stays() -> list[Memory]:
    """Return a day at three places, at one of them twice in the same company and once in another."""
    days = [
        ("The Weir", "Odile", ["says the gate sticks.", "hums."]),
        ("Ink Yard", "Moss", ["gives you ink."]),
        ("The Weir", "Odile", ["says it sticks still."]),
        ("Ink Yard", "Moss", ["wants it back."]),
        ("The Weir", "Moss", ["listens."]),
    ]
    memories = [Memory(0, 0, "observed", room, f"{who} {what}", (who,)) for room, who, told_ in days for what in told_]
    return [Memory(seq, seq, m.kind, m.room, m.text, m.people) for seq, m in enumerate(memories, 1)]


def test_4_19_what_is_summarised_is_grouped_by_place_and_company_and_in_order_within():
    assert render_groups(group_memories(stays(), "place"), NAME, 400).split("\n") == [
        "At The Weir, with Odile:",
        "Odile says the gate sticks.",
        "Odile hums.",
        "Odile says it sticks still.",
        "At Ink Yard, with Moss:",
        "Moss gives you ink.",
        "Moss wants it back.",
        "At The Weir, with Moss:",
        "Moss listens.",
    ]
    assert [m.seq for group in group_memories(stays(), "none") for m in group.memories] == [1, 2, 3, 4, 5, 6]


def test_4_19_grouping_loses_nothing_that_stands_in_the_plain_order():
    rng = random.Random(4)
    memories = [
        Memory(
            seq,
            seq,
            "observed",
            rng.choice("ABC"),
            f"Fact {seq}.",
            tuple(rng.sample(["Ana", "Moss"], rng.randint(0, 2))),
        )
        for seq in range(1, 200)
    ]
    grouped_lines, plain = (
        render_groups(group_memories(memories, how), NAME, 400).split("\n") for how in ("place", "none")
    )
    assert sorted(line for line in grouped_lines if not line.startswith("At ")) == sorted(plain)


def test_4_19_what_is_picked_matters_most_and_is_not_all_of_one_place():
    chatter = [*heard(*(f"Moss says {n} words." for n in range(30)), importance=5)]
    elsewhere = heard(
        "Odile says the gate sticks.",
        *(f"Odile hums {n} bars." for n in "abcd"),
        room="The Weir",
        importance=4,
        first=31,
    )
    promise = heard('Moss says, "I promise you a bun."', room="Ink Yard", importance=7, first=36)
    memories = [*chatter, *elsewhere, *promise]
    text = asyncio.run(summarizer_of(memories, talkative(), "pick").recent(memories)).text
    assert "I promise you a bun." in text
    assert "the gate sticks" in text
    assert 0 < text.count("words.") <= 5


def chunk(importance: int) -> list[Memory]:
    return heard(
        *(f"Moss tells me of eel {n} and of all its cousins in the sea." for n in range(40)), importance=importance
    )


@pytest.mark.parametrize("held_by", [Capabilities(grammar=True), Capabilities(json_schema=True)])
def test_4_19_a_model_picks_by_grammar_or_by_schema_whichever_can_hold_it(held_by):
    memories = heard(*[f"Moss tells me of the {n}th eel." for n in range(20)])
    model = ScriptedModel(lambda request: last_choice(request), capabilities=held_by)
    picked = asyncio.run(summarizer_of(memories, model, "pick").recent(memories)).text.split("\n")
    assert len(picked) == len(model.requests)
    assert "19th eel" in picked[-1]


def last_choice(request: Request) -> str:
    """Return the last line that a request leaves the choice of, as it wants to be answered."""
    if request.grammar:
        return str(re.findall(r'"([^"]+)"', request.grammar)[-2])
    assert request.schema
    return json.dumps({"line": request.schema["properties"]["line"]["enum"][-1]})


@pytest.mark.parametrize("style", ["prose", "pick"])
def test_4_20_an_important_chunk_gets_at_least_twice_the_tokens_of_a_routine_one(style):
    def told_in(importance: int) -> int:
        """Return the length of the summary of a model that says as much as it may."""
        memories = chunk(importance)
        said = [f"I heard Moss tell of eel {n}." for n in range(40)]
        model = ScriptedModel(lambda request: " ".join(said[: request.max_tokens // 7]))
        return asyncio.run(summarizer_of(memories, model, style).recent(memories)).tokens

    assert told_in(6) >= 2 * told_in(2)


def test_4_20_the_model_is_told_how_long_the_summary_may_be():
    def sentences(importance: int) -> str:
        model = talkative()
        asyncio.run(summarizer_of(chunk(importance), model).recent(chunk(importance)))
        found = re.search(r"in (\S+) sentences", model.prompts[0])
        assert found
        return found[1]

    assert [sentences(one) for one in (2, 3, 6)] == ["2-3", "3-4", "4-5"]
