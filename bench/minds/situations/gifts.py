"""Things are given, and asked for."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    gives,
    is_about,
    keeps,
    mentions,
    never_says,
    poses,
    shows,
    takes,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, DENIES, HANDS_OVER, NO_HABIT, NODS, TERSE, THANKS, takes_up

KEEPSAKE = is_about("yes take yours keep stone pebble no not have remember carry like")

GIFTS = [
    Situation(
        "is_given_a_glove",
        "gift",
        "Eliza",
        {"Eliza": "Eel Stage", "Dagny": "Eel Stage"},
        ("Dagny> say Look what I have fished out. You keep it.", "Dagny> give grey glove to Eliza"),
        all_of(answers("Dagny"), THANKS, keeps("grey glove")),
        right=("say Thank you, Dagny. Where was it?", "say How kind! Whose may it be?"),
        wrong=("", "give grey glove to Dagny", "drop grey glove", "say You are welcome, Eliza.", "say Good morning."),
        carries={"Dagny": ("grey glove",)},
    ),
    Situation(
        "is_given_a_pebble_by_an_agent",
        "gift",
        "Odile",
        {"Odile": "Kettle House", "Moss": "Kettle House"},
        ("Moss> give white pebble to Odile",),
        all_of(answers("Moss"), THANKS, keeps("white pebble")),
        right=("say Thank you, Moss. Why this one?", "say Kind of you."),
        wrong=("", "give white pebble to Moss", "say Four feet two.", "go east", "say Thank you, Eliza."),
        carries={"Moss": ("white pebble",)},
    ),
    Situation(
        "is_handed_its_own_cup",
        "gift",
        "Moss",
        {"Moss": "Pump Yard", "Fenn": "Pump Yard"},
        ("Fenn> say You left this behind, I believe.", "Fenn> give tin cup to Moss"),
        all_of(
            any_of(all_of(answers("Fenn"), any_of(THANKS, mentions("mine", "my cup"))), poses), TERSE, keeps("tin cup")
        ),
        right=("say Mine. Thank you.", "emote closes both hands round the cup"),
        wrong=("", "give tin cup to Fenn", "say You left this behind, I believe.", "go south", "drop tin cup"),
        carries={"Fenn": ("tin cup",)},
    ),
    Situation(
        "is_asked_to_spare_its_sheet",
        "gift",
        "Eliza",
        {"Eliza": "Flood Stairs", "Emil": "Flood Stairs"},
        ("Emil> say I should so like to write home. Could you spare me the fresh sheet, please?",),
        any_of(
            gives("fresh sheet", "Emil"),
            all_of(
                answers("Emil"),
                is_about("sheet paper page yes no not need loft write home letter whom who sorry course only another"),
            ),
        ),
        right=(
            "give fresh sheet to Emil",
            "say I need it for today's page. There are more in the loft.",
            "say Yes, Emil.",
        ),
        wrong=("", "say Good morning.", "drop fresh sheet", "say Could you spare me the fresh sheet, please?"),
        carries={"Eliza": ("fresh sheet",)},
    ),
    Situation(
        "is_asked_for_a_far_umbrella",
        "gift",
        "Moss",
        {"Moss": "Kettle House", "Lotte": "Kettle House"},
        ("Lotte> say It is pouring. Would you give me the town umbrella, please?",),
        all_of(
            answers("Lotte"),
            is_about("yard pump bench no not nothing umbrella rain wet where wait soon dry tea only here stay sit"),
            never_says(r"\bhere (?:you are|it is|is the|'s the)|\bhere's|^take it|^yes"),
            TERSE,
        ),
        right=("say It is in Pump Yard.", "say I have none. Wait a little."),
        wrong=("", "give town umbrella to Lotte", "say Here you are.", "say Here is the umbrella.", "emote nods"),
    ),
    Situation(
        "is_shown_a_letter_to_carry",
        "gift",
        "Odile",
        {"Odile": "The Landing", "Rosa": "The Landing", "Eliza": "Ink Yard"},
        ("Rosa> say The sealed letter is getting wet on those planks. Will you not take it along, Odile?",),
        any_of(
            takes("sealed letter"),
            all_of(
                answers("Rosa"), is_about("letter moss take yes will hand thank bring carry know his dry garden wet")
            ),
        ),
        right=("get sealed letter", "say Yes. It goes to Moss, into his own hand."),
        wrong=("", "go north", "look river", "say Four feet.", "whisper Rosa Yes."),
    ),
    Situation(
        "is_given_a_pebble",
        "gift",
        "Odile",
        {"Odile": "Flood Stairs", "Ines": "Flood Stairs"},
        ("Ines> say I found this for you.", "Odile> say For me?", "Ines> give white pebble to Odile"),
        all_of(answers("Ines"), THANKS, keeps("white pebble")),
        right=(
            "say Thank you. It is very smooth.",
            "say Kind of you.",
            "say Much obliged, Ines.",
        ),
        wrong=("", "give white pebble to Ines", "say It is four feet.", "say You are welcome, Odile.", "emote nods"),
        carries={"Ines": ("white pebble",)},
    ),
    Situation(
        "is_given_an_umbrella_by_an_agent",
        "gift",
        "Eliza",
        {"Eliza": "Pump Yard", "Odile": "Pump Yard"},
        ("Odile> give town umbrella to Eliza",),
        all_of(answers("Odile"), THANKS, keeps("town umbrella")),
        right=(
            "say Thank you, Odile. Is it going to rain?",
            "say Just what I needed, Odile!",
        ),
        wrong=("", "give town umbrella to Odile", "say Good morning.", "drop town umbrella", "say Thank you, Moss."),
        carries={"Odile": ("town umbrella",)},
    ),
    Situation(
        "is_given_a_bun",
        "gift",
        "Moss",
        {"Moss": "Spray Garden", "Otto": "Spray Garden"},
        ("Otto> say You look hungry.", "Otto> give seed bun to Moss"),
        all_of(any_of(all_of(answers("Otto"), THANKS), poses), TERSE, keeps("seed bun")),
        right=("say Kind of you.", "emote nods, and breaks the bun in two"),
        wrong=("", "give seed bun to Otto", "go south", "say You look hungry."),
        carries={"Otto": ("seed bun",)},
    ),
    Situation(
        "is_asked_for_what_it_carries",
        "gift",
        "Odile",
        {"Odile": "The Mill", "Bruno": "The Mill"},
        ("Bruno> say It is dark in the loft. May I borrow the brass lantern, please?",),
        any_of(gives("brass lantern", "Bruno"), all_of(answers("Bruno"), mentions("lantern", "yes", "no", "back"))),
        right=("give brass lantern to Bruno", "say Yes. Bring it back by dusk.", "say Not the lantern. I need it."),
        wrong=("", "say It is four feet.", "drop brass lantern", "say May I borrow the brass lantern, please?"),
        carries={"Odile": ("brass lantern",)},
    ),
    Situation(
        "is_asked_for_what_it_has_not",
        "gift",
        "Eliza",
        {"Eliza": "Daybook Office", "Tilda": "Daybook Office"},
        ("Tilda> say Could you give me the iron key, please?",),
        all_of(answers("Tilda"), mentions("key", "Odile", "not"), never_says(HANDS_OVER)),
        right=("say I do not have it. Odile may know where the key is.",),
        wrong=("", "give iron key to Tilda", "say Here is the iron key.", "say Of course. Here you are.", "emote nods"),
    ),
    Situation(
        "is_asked_for_its_pebble",
        "gift",
        "Moss",
        {"Moss": "Behind the Water", "Ines": "Behind the Water"},
        ("Ines> say That is a fine pebble. Could I have it, to remember this place by?",),
        all_of(any_of(gives("white pebble", "Ines"), all_of(answers("Ines"), KEEPSAKE)), TERSE),
        right=("give white pebble to Ines", "say It likes you. Yes."),
        wrong=("", "drop white pebble", "emote nods", "go west", "give white pebble to Odile"),
        carries={"Moss": ("white pebble",)},
    ),
    Situation(
        "is_told_to_take_something",
        "gift",
        "Eliza",
        {"Eliza": "Pump Yard", "Otto": "Pump Yard"},
        ("Otto> say Take the town umbrella with you, Eliza. It is going to pour.",),
        any_of(
            takes("town umbrella"),
            all_of(answers("Otto"), is_about("thank umbrella rain wet yes will no dry")),
        ),
        right=("get town umbrella", "say Thank you. I shall leave it where it is wet."),
        wrong=("", "go west", "look pump", "say Take the town umbrella with you, Eliza."),
    ),
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
