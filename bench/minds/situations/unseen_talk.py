"""Somebody tells the agent something. Nobody who tunes minds reads this; it is held back."""

from __future__ import annotations

from bench.minds.checks import all_of, answers, any_of, is_about, leaves_out, never_says, poses, says, shows
from bench.minds.situation import Situation
from bench.minds.situations.talk import TERSE
from bench.minds.situations.words import NO_HABIT, NODS, is_fresh, takes_up

TALK = [
    Situation(
        "tells_a_bad_joke",
        "talk",
        "Eliza",
        {"Eliza": "Kettle House", "Ravi": "Kettle House"},
        (
            "Ravi> say ok ok i have one. why did the eel cross the river",
            "Eliza> say I cannot think. Why did it?",
            "Ravi> say to get to the other TIDE. hahaha",
        ),
        any_of(
            all_of(
                answers("Ravi"),
                takes_up("ha oh ah dear laugh funny joke tide groan terrible awful dreadful worse worst eel book"),
            ),
            shows("laugh|smil|grin|groan|chuckl|snort|giggl|writ|shak|roll"),
        ),
        right=(
            "say Oh, that is dreadful. It goes into the book.",
            "say Haha! Who taught you that one?",
            "emote laughs until her pen drips",
        ),
        wrong=(
            "",
            "say to get to the other tide",
            "say Good morning, Ravi. What did you have for breakfast?",
            "say I cannot think. Why did it?",
            "go east",
        ),
    ),
    Situation(
        "corrects_the_day",
        "talk",
        "Odile",
        {"Odile": "Pump Yard", "Suki": "Pump Yard"},
        (
            "Suki> say could you meet me by the pump on thursday at noon?",
            "Odile> say Friday at noon, then. It is on my round.",
            "Suki> say no, i said thursday, not friday",
        ),
        all_of(
            answers("Suki"),
            says(r"thursday|mistake|misheard|sorry|wrong|correct|you did\b|day before"),
            never_says(r"(?:there|you|it is|be|noon) (?:on )?friday|^friday|\bi said (?:thurs|fri)"),
        ),
        right=(
            "say Thursday. I had the wind in my ears.",
            "say My mistake. The day before, then, at noon.",
            "say So you did. Sorry. Thursday it is.",
        ),
        wrong=(
            "",
            "say Friday at noon, then. It is on my round.",
            "say I shall be there on Friday.",
            "say Four feet two.",
            "say No, I said Thursday.",
        ),
    ),
    Situation(
        "means_another_kind_of_bank",
        "talk",
        "Eliza",
        {"Eliza": "Ink Yard", "Kofi": "Ink Yard"},
        (
            "Kofi> say Where is the bank please?",
            "Eliza> say The bank is just east of here, where the planks go down.",
            "Kofi> say haha no, i mean a bank bank. with money in it",
        ),
        all_of(
            answers("Kofi"),
            takes_up("money coin penn saucer sorry misunder mistake"),
            never_says(
                r"\b(?:bank|it) is (?:just )?(?:to the )?(?:north|south|east|west|next|near|in|on|at|behind|past|up"
                r"|down)\b"
            ),
            NO_HABIT,
            never_says(r"\bi mean\b"),
        ),
        right=(
            "say Oh! There is none. We have a saucer with four pennies in the Kettle House.",
            "say Money? Not in Fallwater, I am afraid. Do you need to change some?",
            "say I misunderstood you, Kofi. I know only the river's.",
        ),
        wrong=(
            "",
            "say The bank is just east of here, where the planks go down.",
            "say It is north of the pump, with coins in the window.",
            "say I mean a bank with money in it.",
            "say Good morning, Kofi.",
        ),
    ),
    Situation(
        "remembers_the_step_at_length",
        "talk",
        "Moss",
        {"Moss": "Flood Stairs", "Elspeth": "Flood Stairs"},
        (
            "Elspeth> say I used to come up here every summer with my late husband, you know, and we always stopped on"
            " this very step because his knees were bad, and now here I am without him and mine are no better.",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Elspeth"),
                    takes_up(
                        "sit rest lean railing step stair slow sorry wait breath husband remember miss knee arm summer"
                        " company stay still alone kind bench warm"
                    ),
                    never_says(r"\bi used to|\bmy (?:husband|knees)|\brain"),
                ),
                poses,
            ),
            TERSE,
        ),
        right=("say Lean. The railing is warm.", "emote offers her his arm", "say He chose it well."),
        wrong=(
            "",
            "say My husband had bad knees.",
            "say Good morning, Elspeth.",
            "say The ferns.",
            "go north",
        ),
        theirs=("husband", "late husband"),
    ),
    Situation(
        "gives_thanks_for_a_rescue",
        "talk",
        "Odile",
        {"Odile": "Drying Loft", "Dov": "Drying Loft"},
        (
            "Dov> say I never thanked you properly. If you had not pulled me out of the way of that cart yesterday I"
            " would have one foot fewer. So: thank you, Odile.",
        ),
        any_of(
            all_of(
                answers("Dov"),
                takes_up(
                    "welcome cart look careful mind glad pleasure luck next time toe watch anybody manners foot day"
                ),
                never_says(r"\byou (?:have )?(?:saved|pulled)|\bthank(?:s| you)\b"),
            ),
            NODS,
        ),
        right=(
            "say You are welcome. Look both ways next time.",
            "say Anybody would have. Keep the foot dry.",
            "say Don't mention it. I needed somebody to count to.",
            "emote nods and looks away, rather pleased",
        ),
        wrong=(
            "",
            "say You saved my foot.",
            "say Four feet two. Rising.",
            "say Thank you for pulling me away from the cart.",
            "look ropes",
        ),
        theirs=("foot",),
    ),
    Situation(
        "leans_out_too_far",
        "talk",
        "Odile",
        {"Odile": "The Weir", "Amina": "The Weir"},
        ("Amina> emote leans far out over the edge", "Amina> say look look theres a fish!!"),
        any_of(
            all_of(
                answers("Amina"),
                is_about(
                    "careful back hold rope fall lean edge fish down come stand step mind slip wet salmon trout eel"
                    " hand drown otter big where swim away plank jump feet"
                ),
                never_says(r"\bfour feet two"),
            ),
            shows("pull|grab|catch|hold|take|reach|haul|hand|look|seiz|collar|sleeve"),
        ),
        right=(
            "say Back from there. The fish can swim.",
            "say Hold the rope, girl!",
            "emote takes her firmly by the collar",
            "say A trout. It comes every spring. Both hands on the rope, please.",
        ),
        wrong=("", "say Good morning, Amina.", "say Four feet two.", "go east", "say I like it here."),
    ),
    Situation(
        "has_lost_a_cat",
        "talk",
        "Eliza",
        {"Eliza": "Spray Garden", "Thea": "Spray Garden", "Moss": "Behind the Water"},
        ("Thea> say my cat died in the night. she was called biscuit. i dont know why im telling you this",),
        all_of(
            answers("Thea"),
            any_of(
                is_about(
                    "sorry biscuit cat old tell told write page remember miss loss sad dear listen poor grief sit"
                ),
                says(r"\b(?:she|her)\b"),
            ),
            is_fresh,
            leaves_out("congrat", "wonderful", "great", "breakfast", "how lovely"),
        ),
        right=(
            "say I am so sorry, Thea. How old was Biscuit?",
            "say You may tell me anything. Would you like her to have a line on today's page?",
            "say Oh, my dear. What was she like?",
        ),
        wrong=(
            "",
            "say My cat was called Biscuit, too.",
            "say How lovely! And what did you have for breakfast?",
            "say Good morning, Thea.",
            "look ferns",
        ),
        theirs=("cat",),
    ),
]
