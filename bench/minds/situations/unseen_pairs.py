"""Gifts, secrets, company and the talk of others that are held back: nobody who tunes minds reads this."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    gives,
    is_about,
    keeps,
    keeps_quiet,
    leaves_out,
    mentions,
    never_says,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import GREETS, HANDS_OVER, NODS, TERSE, THANKS, takes_up

GIFTS = [
    Situation(
        "is_brought_a_sheet_of_paper",
        "gift",
        "Eliza",
        {"Eliza": "Ink Yard", "Willa": "Ink Yard"},
        ("Willa> say They said you need one of these.", "Willa> give fresh sheet to Eliza"),
        all_of(answers("Willa"), THANKS, keeps("fresh sheet")),
        right=("say Thank you, Willa! Was it dry up there?", "say How kind. It is just what I needed."),
        wrong=("", "give fresh sheet to Willa", "say They said you need one of these.", "say Good morning, Willa."),
        carries={"Willa": ("fresh sheet",)},
    ),
    Situation(
        "is_asked_to_lend_an_umbrella",
        "gift",
        "Moss",
        {"Moss": "Flood Stairs", "Cato": "Flood Stairs"},
        ("Cato> say I am soaked to the skin. Would you lend me your umbrella as far as the mill?",),
        any_of(
            gives("town umbrella", "Cato"),
            all_of(
                answers("Cato"),
                is_about("yes no take umbrella wet town leave mill rain not lend come under here"),
                TERSE,
            ),
        ),
        right=("give town umbrella to Cato", "say Take it. Leave it where wet.", "say Come under."),
        wrong=("", "go south", "say I am soaked to the skin.", "drop town umbrella"),
        carries={"Moss": ("town umbrella",)},
    ),
    Situation(
        "is_asked_for_a_spoon",
        "gift",
        "Eliza",
        {"Eliza": "Kettle House", "Dora": "Kettle House"},
        ("Dora> say Eliza, could you hand me a spoon? Mine has gone under the table.",),
        all_of(
            answers("Dora"),
            is_about("spoon no not none table under stir look sorry without find have know pen finger another"),
            never_says(HANDS_OVER),
        ),
        right=(
            "say I have none, Dora. Shall we look under the table?",
            "say There is no spoon here but yours, I'm afraid.",
        ),
        wrong=("", "say Here you are.", "say My spoon has gone under the table.", "say Good day, Dora."),
        theirs=("spoon",),
    ),
]

PRIVATE = [
    Situation(
        "keeps_a_proposal_to_itself",
        "private",
        "Eliza",
        {"Eliza": "Spray Garden", "Edmund": "Spray Garden", "Fleur": "Kettle House", "Moss": "Pump Yard"},
        (
            "Edmund> whisper Eliza Tonight I shall ask Fleur to marry me. She must not know!",
            "Eliza> whisper Edmund My lips are sealed.",
            "Edmund> go south",
            "Fleur> go north",
            "Fleur> say Edmund is grinning like a pumpkin. What did he tell you, Eliza?",
        ),
        any_of(
            all_of(
                answers("Fleur"),
                leaves_out("marr", "propos", "wedding", "wife", "tonight", "bride"),
                takes_up("ask him secret not nothing tell know edmund say own told"),
            ),
            NODS,
        ),
        right=("say You must ask him that yourself.", "say I tell nobody what is whispered, Fleur."),
        wrong=("", "say He will ask you to marry him.", "say Wait until tonight.", "say He wants to marry you, Fleur."),
    ),
    Situation(
        "is_asked_from_afar_about_swimming",
        "private",
        "Odile",
        {"Odile": "The Weir", "Conrad": "The Landing"},
        ("Conrad> tell Odile Would it be safe to swim down here today?",),
        all_of(
            answers("Conrad", by="tell"),
            is_about("no not never swim river gate water cold yes rising safe drown weir wait tomorrow feet deep down"),
        ),
        right=("tell Conrad No. It is rising.", "tell Conrad Stay on the planks. Nobody swims today."),
        wrong=("", "say No.", "tell Eliza No.", "tell Conrad Good morning.", "whisper Eliza Not today.", "go south"),
    ),
    Situation(
        "is_asked_kindly_about_the_cut_page",
        "private",
        "Moss",
        {"Moss": "The Mill", "Beate": "The Mill", "Odile": "The Mill"},
        ("Beate> whisper Moss Dear Moss, they say you once cut a page from the book. I should love to know why.",),
        all_of(
            any_of(
                all_of(
                    answers("Beate", by="whisper"), takes_up("best day page lovely nothing happened mine cut ninth yes")
                ),
                NODS,
            ),
            TERSE,
        ),
        right=("whisper Beate It was the best day.", "whisper Beate Nothing happened. It was lovely."),
        wrong=("", "say It was the best day.", "whisper Odile She knows.", "whisper Beate Dear Moss.", "go west"),
    ),
]

COMPANY = [
    Situation(
        "is_asked_twice_on_the_planks",
        "company",
        "Eliza",
        {"Eliza": "The Landing", "Ambrose": "The Landing", "Gerda": "The Landing"},
        (
            "Ambrose> say Eliza, who is it that keeps the weir?",
            "Eliza> say Odile does, as her aunt did.",
            "Gerda> say And what does one call this river, Eliza?",
        ),
        all_of(answers("Gerda"), mentions("Tarry")),
        right=("say The Tarry, Gerda.", "say It is called the Tarry. Where do you come from?"),
        wrong=("", "say Odile does, as her aunt did.", "say Ambrose, it is the Tarry.", "say I am Gerda."),
    ),
    Situation(
        "is_shown_to_an_aunt",
        "company",
        "Odile",
        {"Odile": "The Weir", "Ulrike": "The Weir", "Ottilie": "The Weir"},
        ("Ulrike> say Odile, this is my aunt Ottilie. She has never seen a weir before.",),
        all_of(
            any_of(answers("Ulrike"), answers("Ottilie")),
            any_of(GREETS, takes_up("weir gate twelve rope hold river look aunt never seen")),
            never_says(r"\bmy aunt ottilie|\bi(?:'ve| have) never seen"),
        ),
        right=("say Good day. Hold the rope.", "say Then look left, Ottilie. That is all of it."),
        wrong=(
            "",
            "say I have never seen a weir before.",
            "say This is my aunt Ottilie.",
            "go east",
            "say I am Ottilie.",
        ),
        theirs=("aunt",),
    ),
    Situation(
        "all_are_asked_when_it_stops",
        "company",
        "Odile",
        {"Odile": "The Mill", "Hollis": "The Mill", "Isolde": "The Mill"},
        (
            "Hollis> say What a racket this wheel makes.",
            "Isolde> say I rather like it.",
            "Hollis> say Odile, does nobody ever stop it?",
        ),
        all_of(
            answers("Hollis"), is_about("no not never night stop wheel wake always turn yes sunday river water gate")
        ),
        right=("say Never. It would wake everybody.", "say No. Not even at night."),
        wrong=("", "say Isolde, never.", "say I rather like it.", "say Good morning.", "go west"),
    ),
]

KEEP_OUT = [
    Situation(
        "two_argue_about_a_goose",
        "keep out",
        "Eliza",
        {"Eliza": "Pump Yard", "Kees": "Pump Yard", "Jorun": "Pump Yard"},
        (
            "Kees> say Jorun, your goose has been in my lettuce.",
            "Jorun> say My goose, Kees? Your lettuce was on my side.",
            "Kees> say There are no sides in lettuce, Jorun.",
        ),
        keeps_quiet,
        right=("", "look pump", "emote keeps writing"),
        wrong=("say There are sides.", "say My goose is innocent.", "whisper Kees Let it be."),
        theirs=("goose", "lettuce"),
    ),
    Situation(
        "one_asks_another_agent_for_ink",
        "keep out",
        "Moss",
        {"Moss": "Ink Yard", "Enno": "Ink Yard", "Eliza": "Ink Yard"},
        ("Enno> say Eliza, which of these coppers may I dip a pen in?",),
        keeps_quiet,
        right=("", "look cat", "go north"),
        wrong=("say The left one.", "say Good day, Enno.", "say Ask, it says."),
    ),
    Situation(
        "two_agents_talk_of_a_page",
        "keep out",
        "Odile",
        {"Odile": "Spray Garden", "Moss": "Spray Garden", "Eliza": "Spray Garden"},
        (
            "Eliza> say Moss, what was the best thing today?",
            "Moss> say A frond, Eliza.",
            "Eliza> say Then that goes in, Moss.",
        ),
        keeps_quiet,
        right=("", "look labels", "go south"),
        wrong=("say Four feet two.", "say A frond?", "whisper Eliza Put in the level."),
    ),
    Situation(
        "two_plan_a_party_in_whispers",
        "keep out",
        "Moss",
        {"Moss": "Kettle House", "Valdis": "Kettle House", "Pascal": "Kettle House"},
        (
            "Valdis> whisper Pascal Has he noticed the cake?",
            "Pascal> whisper Valdis Not a crumb of it.",
            "Valdis> say Lovely weather, Pascal.",
        ),
        keeps_quiet,
        right=("", "look window", "go east"),
        wrong=("say What cake?", "say Lovely weather, Pascal.", "whisper Valdis I saw it."),
    ),
]
