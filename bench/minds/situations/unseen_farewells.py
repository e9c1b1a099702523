"""Farewells. Nobody who tunes minds reads this; it is held back."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    keeps_quiet,
    never_says,
    says,
    shows,
)
from bench.minds.situation import Situation
from bench.minds.situations.company import FAREWELL, THANKS
from bench.minds.situations.talk import TERSE
from bench.minds.situations.words import AGREES, NODS, takes_up

GREETS = says(r"\b(?:good|hello|hi|hey|welcome|pleased|pleasure|well|day|morning|how|heard|glad|nice)\b")
WAVES = shows(r"nod|wav|lift|rais|hand|smil|bow|touch|tip|look|dip|head|grin|blow|hug")

FAREWELLS = [
    Situation(
        "somebody_is_called_home",
        "farewell",
        "Eliza",
        {"Eliza": "Pump Yard", "Bea": "Pump Yard"},
        (
            "Bea> say and thats how i got the scar",
            "Eliza> say I have it down, with the goose. What was it called?",
            "Bea> say gerald lol. k gotta run mums calling, bye eliza!!",
        ),
        any_of(
            all_of(
                answers("Bea"),
                any_of(FAREWELL, takes_up("run mother mum off hurry soon tomorrow later thank gerald goose mind")),
                never_says(r"\bi(?:'ve)? (?:got to|gotta|must) (?:run|go)"),
            ),
            WAVES,
        ),
        right=("say Run, then! And thank you for Gerald.", "say Bye, Bea. Come back soon!", "emote waves after her"),
        wrong=(
            "",
            "say I have it down, with the goose. What was it called?",
            "say Bye, Eliza!",
            "say My mum is calling.",
            "look pump",
        ),
        theirs=("mum", "mother"),
    ),
    Situation(
        "somebody_leaves_for_good",
        "farewell",
        "Odile",
        {"Odile": "The Weir", "Jonah": "The Weir"},
        (
            "Jonah> say I'm on the post boat tomorrow, and I do not think that I shall be back. I wanted to tell you"
            " myself, not leave a note.",
        ),
        any_of(
            all_of(
                answers("Jonah"),
                any_of(
                    FAREWELL,
                    THANKS,
                    takes_up(
                        "boat current miss sorry glad told tell where dry well back river water going leave leaving"
                        " quiet write"
                        " pity gone note far tomorrow weir gate hm"
                    ),
                ),
                never_says(r"^good morning|\bi(?:'m| am) (?:leaving|going|on the)|\bi (?:shall|will) (?:not )?be back"),
            ),
            shows(r"hand|nod|shak|hug|embrac|hold|clap|pat|whistle|look|touch|grip"),
        ),
        right=(
            "say I am glad you told me. Where to?",
            "say The river is good for it. Go dry, Jonah.",
            "say That is a pity. You were the only one who counted the gates.",
            "emote grips his hand, and does not let go at once",
        ),
        wrong=(
            "",
            "say I'm on the post boat tomorrow.",
            "say Good morning, Jonah. Four feet two.",
            "say I am leaving, too.",
            "look gates",
        ),
    ),
    Situation(
        "somebody_goes_to_bed",
        "farewell",
        "Moss",
        {"Moss": "Flood Stairs", "Mira": "Flood Stairs"},
        ("Mira> emote yawns", "Mira> say night moss"),
        all_of(
            any_of(
                all_of(
                    answers("Mira"),
                    any_of(
                        FAREWELL, says(r"\b(?:night|sleep|well|dry|dream\w*|rest|quiet\w*|tomorrow|till|morning)\b")
                    ),
                ),
                WAVES,
            ),
            never_says(r"\bmoss\b|\bgood morning"),
            TERSE,
        ),
        right=("say Night.", "say Sleep dry.", "emote lifts a hand"),
        wrong=("", "say Night, Moss.", "say Good morning.", "go west", "look railing"),
        clock="22:05",
    ),
    Situation(
        "an_agent_turns_to_go_after_its_goodbye",
        "farewell",
        "Eliza",
        {"Eliza": "The Landing", "Moss": "The Landing"},
        (
            "Moss> say It is late. Goodbye, Eliza.",
            "Eliza> say Goodbye, Moss. I have put your answer under glass.",
            "Moss> emote raises two fingers, and turns to go",
        ),
        keeps_quiet,
        right=("", "emote watches him go", "look river"),
        wrong=(
            "say Goodbye, Moss.",
            "say Goodbye, Moss. I have put your answer under glass.",
            "whisper Moss Farewell.",
        ),
        clock="20:30",
    ),
    Situation(
        "somebody_thanks_from_the_door",
        "farewell",
        "Odile",
        {"Odile": "Flood Stairs", "Freya": "Flood Stairs"},
        (
            "Freya> say wait, before i forget: thank you for yesterday. really.",
            "Odile> say It was nothing. Go home dry.",
            "Freya> go south",
        ),
        any_of(keeps_quiet, answers("Freya", by="tell")),
        right=("", "look railing", "go north", "tell Freya Go carefully."),
        wrong=("say You are welcome, Freya.", "say It was nothing. Go home dry.", "say Farewell."),
    ),
    Situation(
        "an_agent_takes_its_leave_with_a_question",
        "farewell",
        "Moss",
        {"Moss": "Behind the Water", "Eliza": "Behind the Water"},
        ("Eliza> say Then that makes ten answers. I have kept you long enough. Shall I see you at dusk?",),
        all_of(
            any_of(
                all_of(
                    answers("Eliza"),
                    any_of(
                        FAREWELL,
                        AGREES,
                        takes_up("dusk until landing bell perhaps maybe river will come plank bun bring"),
                    ),
                ),
                NODS,
            ),
            TERSE,
        ),
        right=("say On the planks.", "say Dusk.", "say If the ferns let me.", "emote nods"),
        wrong=(
            "",
            "say I have kept you long enough.",
            "say Thank you, Moss.",
            "go west",
            "say Shall I see you at dusk?",
        ),
    ),
]
