"""Somebody takes leave."""

from __future__ import annotations

from bench.minds.checks import all_of, answers, any_of, is_about, keeps_quiet, mentions, never_says, poses, says, shows
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, FAREWELL, NODS, TERSE, THANKS, WAVES, takes_up

FAREWELLS = [
    Situation(
        "somebody_says_farewell",
        "farewell",
        "Moss",
        {"Moss": "Behind the Water", "Marta": "Behind the Water"},
        ("Marta> say It is lovely in here.", "Moss> say It is.", "Marta> say I must go now. Goodbye, Moss."),
        all_of(any_of(all_of(answers("Marta"), FAREWELL), poses), TERSE),
        right=(
            "say Go well.",
            "emote raises a hand",
            "say Off you go, then.",
        ),
        wrong=("", "say It is.", "say Goodbye, Moss.", "look fall", "go west"),
    ),
    Situation(
        "somebody_says_farewell_in_german",
        "farewell",
        "Odile",
        {"Odile": "Eel Stage", "Jutta": "Eel Stage"},
        ("Jutta> say Ich muss gehen. Auf Wiedersehen, Odile, und danke!",),
        any_of(all_of(answers("Jutta"), FAREWELL), poses),
        right=("say Auf Wiedersehen. Nasse Planken!", "say Goodbye. Mind the planks.", "emote waves"),
        wrong=("", "say Auf Wiedersehen, Odile!", "go north", "say Four feet."),
    ),
    Situation(
        "an_agent_says_goodbye_again",
        "farewell",
        "Eliza",
        {"Eliza": "Pump Yard", "Odile": "Pump Yard"},
        (
            "Odile> say I must be off, Eliza. Goodbye.",
            "Eliza> say Goodbye, Odile. Mind gate nine.",
            "Odile> say Goodbye, Eliza.",
        ),
        keeps_quiet,
        right=("", "emote waves", "go west"),
        wrong=("say Goodbye, Odile.", "say Goodbye, Odile. Mind gate nine.", "whisper Odile Goodbye."),
    ),
    Situation(
        "somebody_has_left",
        "farewell",
        "Moss",
        {"Moss": "Kettle House", "Tilda": "Kettle House"},
        (
            "Tilda> say Goodbye, Moss, and thank you for the tea.",
            "Moss> say Come again.",
            "Tilda> go east",
        ),
        keeps_quiet,
        right=("", "look window", "get tin cup"),
        wrong=("say Goodbye, Tilda.", "say Come again.", "say You are welcome."),
    ),
    Situation(
        "somebody_asks_to_come_again",
        "farewell",
        "Eliza",
        {"Eliza": "Daybook Office", "Luc": "Daybook Office"},
        (
            "Luc> say What a fine desk you have.",
            "Eliza> say It is too high, and that keeps me short.",
            "Luc> say I have to go. May I come back tomorrow?",
        ),
        all_of(answers("Luc"), is_about("yes come tomorrow course please welcome always see any back page bring")),
        right=("say Please do, and bring me something true.", "say Of course, Luc."),
        wrong=(
            "",
            "go east",
            "say I have to go. May I come back tomorrow?",
            "say It is too high, and that keeps me short.",
        ),
    ),
    Situation(
        "an_agent_leaves_for_its_rounds",
        "farewell",
        "Eliza",
        {"Eliza": "The Landing", "Odile": "The Landing"},
        (
            "Eliza> say Good morning, Odile. What is the river doing?",
            "Odile> say Four feet two, and rising. I must go on. Goodbye, Eliza.",
        ),
        any_of(all_of(answers("Odile"), any_of(FAREWELL, mentions("thank"))), poses),
        right=("say Thank you. Goodbye, Odile.", "emote waves"),
        wrong=("", "say Good morning, Odile. What is the river doing?", "say Goodbye, Eliza.", "go west"),
    ),
    Situation(
        "somebody_thanks_and_goes",
        "farewell",
        "Eliza",
        {"Eliza": "Daybook Office", "Noor": "Daybook Office"},
        (
            "Noor> say So now my breakfast is in the book.",
            "Eliza> say It is, with both eggs.",
            "Noor> say Then I can go. Farewell, and thank you.",
        ),
        any_of(all_of(answers("Noor"), any_of(FAREWELL, mentions("welcome", "thank"))), poses),
        right=("say Farewell, Noor. Come again!", "emote waves with her pen"),
        wrong=("", "say It is, with both eggs.", "say Farewell, Eliza.", "go south", "look clock"),
    ),
    Situation(
        "somebody_says_farewell_in_italian",
        "farewell",
        "Moss",
        {"Moss": "Spray Garden", "Chiara": "Spray Garden"},
        ("Chiara> say Devo andare adesso. Arrivederci, Moss, e grazie di tutto!",),
        all_of(
            any_of(
                all_of(answers("Chiara"), any_of(FAREWELL, mentions("arriveder", "ciao", "addio", "presto"))), poses
            ),
            TERSE,
        ),
        right=("say Arrivederci.", "say Go well.", "emote lifts his hat"),
        wrong=("", "say Arrivederci, Moss, e grazie di tutto!", "look ferns", "go south", "say It rains."),
    ),
    Situation(
        "an_agent_says_good_night_twice",
        "farewell",
        "Odile",
        {"Odile": "Flood Stairs", "Eliza": "Flood Stairs"},
        (
            "Eliza> say I am for my bed. Good night, Odile.",
            "Odile> say Good night, Eliza. Sleep dry.",
            "Eliza> say Good night, Odile!",
        ),
        keeps_quiet,
        right=("", "emote touches her whistle", "go north"),
        wrong=("say Good night, Eliza.", "say Good night, Eliza. Sleep dry.", "whisper Eliza Good night."),
        clock="20:40",
    ),
    Situation(
        "somebody_has_gone_north",
        "farewell",
        "Eliza",
        {"Eliza": "Ink Yard", "Magnus": "Ink Yard"},
        (
            "Magnus> say Farewell, Eliza! You have been most patient.",
            "Eliza> say Safe home, Magnus.",
            "Magnus> go north",
        ),
        keeps_quiet,
        right=("", "look shelf", "get ink bottle"),
        wrong=("say Farewell, Magnus.", "say Safe home, Magnus.", "say Thank you."),
    ),
    Situation(
        "somebody_offers_soup_for_tomorrow",
        "farewell",
        "Odile",
        {"Odile": "Gauge House", "Rosa": "Gauge House"},
        (
            "Rosa> say What a narrow place to work in.",
            "Odile> say It is wide enough for a pen.",
            "Rosa> say I am due at home. Shall I bring you some soup tomorrow?",
        ),
        all_of(
            answers("Rosa"),
            is_about("yes soup thank tomorrow please no bring kind good will come hot gladly if do welcome like eat"),
            never_says(r"\bi(?:'ll| will| shall| can)? bring|\byour soup"),
        ),
        right=("say Please do. Hot, if you can.", "say Kind of you. Yes."),
        wrong=("", "go west", "say It is wide enough for a pen.", "say I shall bring you some soup."),
    ),
    Situation(
        "an_agent_is_off_to_the_loft",
        "farewell",
        "Moss",
        {"Moss": "Behind the Water", "Eliza": "Behind the Water"},
        (
            "Moss> say It is drier at the back.",
            "Eliza> say So it is. But I must fetch my paper, Moss. Goodbye!",
        ),
        all_of(any_of(all_of(answers("Eliza"), any_of(FAREWELL, mentions("thank", "evening"))), poses), TERSE),
        right=("say Until dusk.", "emote nods to her"),
        wrong=("", "say It is drier at the back.", "say Goodbye, Moss.", "say My paper is wet.", "go west"),
        theirs=("paper",),
    ),
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
