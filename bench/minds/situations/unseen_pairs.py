"""Gifts and whispers between two. Nobody who tunes minds reads this; it is held back."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    gives,
    is_about,
    keeps,
    keeps_quiet,
    never_says,
    poses,
    says,
    shows,
    stays,
)
from bench.minds.situation import Situation
from bench.minds.situations.company import HANDS_OVER, THANKS
from bench.minds.situations.talk import TERSE
from bench.minds.situations.words import AGREES, DENIES, NO_HABIT, NODS, takes_up

GIFTS = [
    Situation(
        "has_its_umbrella_declined",
        "gift",
        "Odile",
        {"Odile": "Kettle House", "Hester": "Kettle House"},
        (
            "Hester> say well im off up the stairs",
            "Odile> say Take the town umbrella. It will come down before you are half-way.",
            "Hester> say nah keep it, i like getting rained on. thanks tho",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Hester"),
                    takes_up(
                        "rain wet please like suit well then drown dry change mind very enough luck yourself catch cold"
                        " stairs slip steps careful umbrella fine good right welcome choice warn soak feet"
                    ),
                    never_says(
                        r"\b(?:take|have) (?:it|the)\b(?! (?:slow|easy|stairs|steps|your))"
                        r"|\bhere\b|\bi like getting\b|^take\b"
                    ),
                ),
                NODS,
            ),
            keeps("town umbrella"),
        ),
        right=(
            "say As you like. Mind the wet steps.",
            "say Suit yourself. There is plenty of it today.",
            "emote shrugs, and keeps the umbrella",
        ),
        wrong=(
            "",
            "give town umbrella to Hester",
            "drop town umbrella",
            "say Take the town umbrella. It will come down before you are half-way.",
            "say Four feet two.",
        ),
        carries={"Odile": ("town umbrella",)},
    ),
    Situation(
        "is_given_what_it_longed_for",
        "gift",
        "Eliza",
        {"Eliza": "Daybook Office", "Quinn": "Daybook Office"},
        (
            "Quinn> say um. i think this belongs in here, it was in an old tin",
            "Quinn> give lost page to Eliza",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Quinn"),
                    any_of(
                        THANKS, takes_up("march ninth page daybook oh lost found tin treasure wonder gap bless last")
                    ),
                    never_says(r"\bi found (?:it|this)|\byou(?:'re| are) welcome"),
                ),
                poses,
            ),
            keeps("lost page"),
        ),
        right=(
            "say The ninth of March! Quinn, do you know what this is?",
            "say Thank you. Oh, thank you. Which tin?",
            "emote holds the page to the light with both hands",
        ),
        wrong=(
            "",
            "give lost page to Quinn",
            "drop lost page",
            "say Good morning, Quinn. What did you have for breakfast?",
            "say You are welcome.",
        ),
        carries={"Quinn": ("lost page",)},
    ),
    Situation(
        "is_asked_to_lend_warmth",
        "gift",
        "Moss",
        {"Moss": "The Landing", "Bea": "The Landing", "Eliza": "Daybook Office"},
        ("Bea> say brrr. cant feel my fingers. could i hold ur cup for a sec?",),
        all_of(
            any_of(
                gives("tin cup", "Bea"),
                all_of(
                    answers("Bea"),
                    any_of(AGREES, takes_up("burn careful hot warm hold mind lip hand kettle back tea empty cold")),
                ),
                shows(r"hold|offer|cup|hand|nod|pass"),
            ),
            TERSE,
        ),
        right=("give tin cup to Bea", "say It burns. Both hands.", "emote holds the cup out to her"),
        wrong=("", "drop tin cup", "go east", "say I cannot feel my fingers.", "say The river.", "look bell"),
        carries={"Moss": ("tin cup",)},
        theirs=("fingers",),
    ),
    Situation(
        "is_brought_what_was_astray",
        "gift",
        "Odile",
        {"Odile": "The Weir", "Jonah": "The Weir"},
        ("Jonah> say this was sticking out of gate 4?? guessing its yours", "Jonah> give iron key to Odile"),
        all_of(
            any_of(
                all_of(
                    answers("Jonah"),
                    any_of(THANKS, takes_up("key hook gate place belong home back gauge walk good well ah")),
                    never_says(r"\bi am odile|\byour key|^what is that|\byou(?:'re| are) welcome"),
                ),
                poses,
            ),
            keeps("iron key"),
        ),
        right=(
            "say Much obliged. It walks.",
            "say Thank you. It has a hook of its own, for all the good that does.",
            "say So that is where it went! It belongs in the Gauge House.",
            "emote weighs the key in her hand and gives him a nod",
        ),
        wrong=(
            "",
            "give iron key to Jonah",
            "drop iron key",
            "say Good morning, Jonah.",
            "say Four feet two. Rising.",
            "say You are welcome.",
        ),
        carries={"Jonah": ("iron key",)},
    ),
    Situation(
        "is_asked_for_a_penny",
        "gift",
        "Eliza",
        {"Eliza": "Kettle House", "Rollo": "Kettle House"},
        ("Rollo> say hey, spare a penny? i want tea n the saucer is looking at me",),
        all_of(
            answers("Rollo"),
            takes_up("penn coin money saucer sorry ink story pocket owe promis button lend borrow answer trust"),
            never_says(HANDS_OVER),
            NO_HABIT,
            never_says(r"^yes\b|^of course|^(?:hey, )?spare a\b"),
        ),
        right=(
            "say I have only ink in my pockets, Rollo.",
            "say Leave a promise in the saucer. Somebody has done so before you.",
            "say Not one! Would a good question do instead?",
        ),
        wrong=(
            "",
            "say Here you are, Rollo.",
            "say Of course! Take it.",
            "say Spare a penny?",
            "emote hums",
            "say Good morning.",
        ),
    ),
    Situation(
        "an_agent_asks_for_its_due",
        "gift",
        "Odile",
        {"Odile": "Ink Yard", "Eliza": "Ink Yard"},
        ("Eliza> say Odile! You still owe me the gauge slip. May I have it now?",),
        any_of(
            gives("gauge slip", "Eliza"),
            all_of(
                answers("Eliza"),
                any_of(
                    DENIES, AGREES, is_about("slip four level ris minute moment wait later pocket porridge first owe")
                ),
                never_says(HANDS_OVER),
            ),
        ),
        right=("give gauge slip to Eliza", "say In a moment. Porridge, since you will ask."),
        wrong=(
            "",
            "drop gauge slip",
            "say Here you are.",
            "say You still owe me the gauge slip.",
            "go north",
            "say Good morning.",
        ),
        carries={"Odile": ("gauge slip",)},
    ),
]

PRIVATE = [
    Situation(
        "is_whispered_a_worry",
        "private",
        "Moss",
        {"Moss": "Pump Yard", "Freya": "Pump Yard", "Odile": "Pump Yard"},
        ("Freya> whisper Moss is odile angry with me?? she didnt even say hi",),
        all_of(
            any_of(
                all_of(
                    answers("Freya", by="whisper"),
                    NO_HABIT,
                    any_of(
                        DENIES,
                        AGREES,
                        is_about(
                            "always weir walk brisk ask tired busy river kind gate hurr late round shy way only her"
                        ),
                        says(r"\bshe\b"),
                    ),
                ),
                NODS,
            ),
            TERSE,
        ),
        right=(
            "whisper Freya She greets the gates first.",
            "whisper Freya No. Late.",
            "emote shakes his head almost invisibly",
        ),
        wrong=(
            "",
            "say No, she is not.",
            "whisper Odile Freya thinks that you are angry.",
            "whisper Freya is odile angry with me she didnt even say hi",
            "go west",
        ),
    ),
    Situation(
        "is_called_by_one_who_is_lost",
        "private",
        "Eliza",
        {"Eliza": "The Landing", "Kit": "The Mill"},
        ("Kit> tell Eliza its kit. im lost. theres a big wheel going round under the floor",),
        all_of(
            answers("Kit", by="tell"),
            is_about("mill west south yard pump stage eel paper stay come coming fetch find move wheel loft door"),
            never_says(r"\bi(?:'m| am) lost"),
        ),
        right=(
            "tell Kit That is the paper mill. Go west to the pump and then south, and there I am.",
            "tell Kit Stay where you are, I am coming to fetch you.",
            "tell Kit You're in The Mill, Kit. South is the Eel Stage.",
        ),
        wrong=(
            "",
            "say You are in The Mill.",
            "go north",
            "tell Odile Kit is lost in the mill.",
            "tell Kit I am lost.",
            "tell Kit Good morning, Kit.",
        ),
    ),
    Situation(
        "knows_who_rang_the_bell",
        "private",
        "Odile",
        {"Odile": "Pump Yard", "Bea": "Pump Yard", "Jonah": "The Landing"},
        (
            "Bea> whisper Odile ok it was me who rang the bell at 3 in the morning. pls dont tell anyone",
            "Odile> whisper Bea It stays with me and the pump.",
            "Jonah> go north",
            "Jonah> say Odile, I have not slept since three. Who rang that bell last night?",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Jonah"),
                    takes_up("bell whoever ask wind sleep slept heard river somebody loud pump"),
                ),
                all_of(keeps_quiet, poses, stays),
            ),
            never_says(r"\bbea\b|\bshe\b|\bi (?:rang|did)\b|\bi have not slept"),
        ),
        right=(
            "say Whoever it was has slept worse than you.",
            "say Not my gate, not my bell.",
            "say I heard it, too. It is a good bell.",
            "emote looks hard at the pump",
        ),
        wrong=(
            "",
            "say It was Bea.",
            "say She is standing next to you.",
            "whisper Jonah Bea rang it.",
            "say I rang it.",
            "go east",
        ),
    ),
    Situation(
        "an_agent_confides_a_fault",
        "private",
        "Eliza",
        {"Eliza": "Eel Stage", "Odile": "Eel Stage", "Mira": "Eel Stage"},
        ("Odile> whisper Eliza Gate nine will not shut any more. That is not for the page.",),
        any_of(
            all_of(
                answers("Odile", by="whisper"),
                takes_up("page secret gate nine shut open leak worr river help pen careful ink safe quiet danger"),
            ),
            all_of(keeps_quiet, poses, stays),
        ),
        right=(
            "whisper Odile Then it stays off the page. Is it dangerous?",
            "whisper Odile I shall keep it to myself. Who can mend it?",
            "emote corks her ink and nods",
        ),
        wrong=(
            "",
            "say Gate nine will not shut?",
            "whisper Mira Gate nine is broken.",
            "whisper Odile Thank you, Eliza.",
            "tell Moss Gate nine will not shut.",
        ),
    ),
    Situation(
        "an_agent_calls_it_to_the_river",
        "private",
        "Moss",
        {"Moss": "Kettle House", "Eliza": "The Landing"},
        ("Eliza> tell Moss It is getting dark down here, and I have kept the last bun. Will you come?",),
        all_of(
            answers("Eliza", by="tell"),
            NO_HABIT,
            any_of(AGREES, takes_up("coming way soon dusk later bun tea kettle eat wait stairs minute half tomorrow")),
            never_says(r"\bgetting dark down|\bthe window"),
            TERSE,
        ),
        right=("tell Eliza On my way.", "tell Eliza After this cup. Eat it.", "tell Eliza Not tonight."),
        wrong=(
            "",
            "say I am coming.",
            "tell Odile I am coming.",
            "tell Eliza Thank you, Moss.",
            "emote nods",
            "tell Eliza The window.",
        ),
        clock="19:15",
        carries={"Eliza": ("seed bun",)},
    ),
    Situation(
        "is_asked_quietly_to_read_aloud",
        "private",
        "Eliza",
        {"Eliza": "The Landing", "Dov": "The Landing", "Hamish": "The Landing"},
        ("Dov> whisper Eliza dont laugh but i never learned to read. what do they say, those notices?",),
        all_of(
            answers("Dov", by="whisper"),
            is_about("wet plank true penny mine remember wish teach letters"),
            never_says(r"\bi never learned"),
        ),
        right=(
            "whisper Dov One says that the planks are wet, and an older one that all of them are true.",
            "whisper Dov The card is mine: I write down what people wish to remember, for a penny.",
            "whisper Dov Mostly: wet planks. Shall I teach you the letters?",
        ),
        wrong=(
            "",
            "say Wet planks, Dov.",
            "say You cannot read?",
            "whisper Hamish Dov cannot read the notices.",
            "whisper Dov I never learned to read.",
            "whisper Dov Have a nice day.",
        ),
    ),
]
