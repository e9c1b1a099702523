"""Talk and recall that are held back: nobody who tunes minds reads this."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    is_about,
    leaves_out,
    mentions,
    never_says,
    says,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import NODS, TERSE, is_fresh, takes_up

COLOURS = r"(?:red|blue|green|white|yellow|brown|grey|black)\b"

TALK = [
    Situation(
        "wants_ink_for_its_landlord",
        "talk",
        "Eliza",
        {"Eliza": "Ink Yard", "Bastian": "Ink Yard"},
        ("Bastian> say I need ink for a letter to my landlord. Which of these jars should I take?",),
        all_of(answers("Bastian"), is_about("week year ever ask ink jar letter landlord long last cheap card")),
        right=(
            "say A week will do for a landlord.",
            "say How long is he to remember it, Bastian?",
            "say The one for a year.",
        ),
        wrong=("", "say Good morning, Bastian.", "say I am Bastian.", "say What did you have for breakfast?"),
        theirs=("landlord",),
    ),
    Situation(
        "fishes_a_button_out",
        "talk",
        "Odile",
        {"Odile": "The Mill", "Delphine": "The Mill"},
        ("Delphine> say There was a button in your vat! Look, mother-of-pearl.",),
        all_of(
            answers("Delphine"),
            takes_up("button vat pulp shirt whose keep quick paper rag somebody pearl found pocket"),
            never_says(r"\bi (?:found|have found|lost) (?:a|the|my) button"),
        ),
        right=("say Somebody's shirt, once.", "say You were quick. Keep it."),
        wrong=("", "say I found a button.", "say Four feet two.", "say Look, mother-of-pearl."),
    ),
    Situation(
        "asks_for_the_worst_year",
        "talk",
        "Odile",
        {"Odile": "Flood Stairs", "Gideon": "Flood Stairs"},
        ("Gideon> say How high did the river come in the worst year of all?",),
        all_of(
            answers("Gideon"),
            is_about("mark highest head wall above year went home high over flood stair cut know your hat up"),
            never_says(r"\bfour feet"),
        ),
        right=("say Above your head. The mark is there on the wall.", "say Look up. Then it went home."),
        wrong=("", "say Four feet two.", "say Rising.", "say I am Gideon."),
    ),
    Situation(
        "comes_here_to_cry",
        "talk",
        "Moss",
        {"Moss": "Spray Garden", "Hilde": "Spray Garden"},
        ("Hilde> say I come here when I cannot cry at home.",),
        all_of(
            any_of(
                all_of(
                    answers("Hilde"),
                    takes_up("sit stay water seat here quiet fern cry rain come listen wet dry middle sorry"),
                    leaves_out("congrat", "wonderful", "great", "happy"),
                ),
                NODS,
            ),
            TERSE,
        ),
        right=("say Sit in the middle.", "say Nobody sees it here.", "emote moves over on the seat, and nods"),
        wrong=("", "say How wonderful!", "say I cannot cry at home.", "go south"),
    ),
    Situation(
        "asks_in_swedish_for_something_to_eat",
        "talk",
        "Eliza",
        {"Eliza": "Kettle House", "Linnea": "Kettle House"},
        ("Linnea> say God morgon! Vad finns det att äta här?",),
        all_of(
            answers("Linnea"),
            is_about(
                "bulle bun seed te tea kummin caraway eat äta last sista hung frukost mat food bröd nothing inget"
            ),
        ),
        right=("say Det finns en bulle, Linnea. Den sista.", "say Good morning! There is one seed bun left."),
        wrong=("", "say God morgon!", "say Vad finns det att äta här?", "say I am Linnea."),
    ),
    Situation(
        "looks_for_the_man_with_the_ferns",
        "talk",
        "Eliza",
        {"Eliza": "Daybook Office", "Jarek": "Daybook Office", "Moss": "Kettle House"},
        ("Jarek> say hi. do u know where i find the man with the ferns?",),
        all_of(
            answers("Jarek"),
            is_about("kettle garden spray"),
            never_says(r"\b(?:mill|loft|weir|landing|stage|cellar|gauge)\b"),
        ),
        right=(
            "say Moss is in the Kettle House, Jarek.",
            "say His ferns are in the Spray Garden; try the kettles first.",
        ),
        wrong=("", "say In the mill.", "say I am the man with the ferns.", "say Yes, I do."),
    ),
    Situation(
        "asks_what_a_good_answer_is",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Lorenz": "The Landing"},
        ("Lorenz> say One penny, or a good answer, it says on your card. What counts as a good answer?",),
        all_of(
            answers("Lorenz"),
            takes_up("true answer good short honest one nobody yours surprise own penny remember word"),
        ),
        right=("say A true one. Short is better still.", "say One that I could not have made up."),
        wrong=(
            "",
            "say Good morning, Lorenz.",
            "say What counts as a good answer?",
            "say What did you have for breakfast?",
        ),
    ),
    Situation(
        "heard_the_weir_fall_silent",
        "talk",
        "Odile",
        {"Odile": "Gauge House", "Minna": "Gauge House"},
        ("Minna> say It went quiet for a moment just now. The weir, I mean. Is that bad?",),
        all_of(
            answers("Minna"),
            takes_up("gate weir nine pause bad no yes water quiet river otter branch sometimes look wait often again"),
        ),
        right=("say Not if it starts again.", "say A branch in gate nine. It happens."),
        wrong=(
            "",
            "say Good morning, Minna.",
            "say I am Minna.",
            "say It went quiet for a moment just now.",
            "go west",
        ),
    ),
    Situation(
        "an_agent_asks_for_a_dry_seat",
        "talk",
        "Moss",
        {"Moss": "Kettle House", "Odile": "Kettle House"},
        ("Odile> say Moss, is that stone seat of yours dry today?",),
        all_of(
            any_of(
                all_of(answers("Odile"), is_about("yes no middle dry seat sit always exactly wet not it is never aye")),
                NODS,
            ),
            TERSE,
        ),
        right=("say In the middle.", "say It is.", "emote nods"),
        wrong=("", "go north", "say Good day, Odile.", "say Thank you."),
    ),
]

RECALL = [
    Situation(
        "asks_for_its_own_trade",
        "recall",
        "Eliza",
        {"Eliza": "The Landing", "Nestor": "The Landing"},
        (
            "Nestor> say Good day! Nestor. I cast bells, over in Ormskirk.",
            "Eliza> say Then ours must please you, Nestor. Or does it not?",
            "Nestor> say It is a little flat. But it means well.",
            "Eliza> emote writes down that the bell means well",
            "Nestor> look river",
            "Nestor> say Now tell me what I do for a living. I want to see whether you listen.",
        ),
        all_of(answers("Nestor"), mentions("bell"), never_says(r"\bi (?:cast|make) bells")),
        right=("say You cast bells, in Ormskirk.", "say Bells. A little flat, some of them."),
        wrong=("", "say I cast bells.", "say You are a writer.", "say Yes, I listen.", "say It is a little flat."),
    ),
    Situation(
        "has_found_somebodys_bucket",
        "recall",
        "Odile",
        {"Odile": "Eel Stage", "Katya": "Eel Stage", "Tobias": "The Mill"},
        (
            "Katya> say I am Katya, and somebody has walked off with my blue bucket.",
            "Odile> say I shall look out for it on my round, Katya.",
            "Katya> say You are a good soul. I must go and ask at the Landing.",
            "Katya> go west",
            "Tobias> go south",
            "Tobias> say There is a blue bucket up in the loft. Do you know whose that is, Odile?",
        ),
        all_of(answers("Tobias"), mentions("Katya")),
        right=("say Katya's. She went to the Landing.", "say It is Katya's. Bring it down."),
        wrong=("", "say My blue bucket.", "say I do not know.", "say I am Katya.", "say Thank you, Katya."),
        theirs=("bucket", "blue bucket"),
    ),
    Situation(
        "asks_the_age_of_its_brother",
        "recall",
        "Moss",
        {"Moss": "Behind the Water", "Philippa": "Behind the Water"},
        (
            "Philippa> say My brother went to sea on his nineteenth birthday.",
            "Moss> emote turns his head",
            "Philippa> say I scratched his name up there, next to Hob.",
            "Moss> say I saw.",
            "Philippa> say You notice everything. How old was he when he went?",
        ),
        all_of(answers("Philippa"), mentions("nineteen", "19"), TERSE),
        right=("say Nineteen.", "say Nineteen, that day."),
        wrong=("", "say Nine.", "say My brother was nineteen.", "say Old enough.", "emote nods"),
        theirs=("brother",),
    ),
    Situation(
        "never_told_of_its_curtains",
        "recall",
        "Eliza",
        {"Eliza": "Pump Yard", "Ruben": "Pump Yard"},
        (
            "Ruben> say Hello, I am Ruben. I have moved into the house with the red door.",
            "Eliza> say So it is yours! Nobody would own up to it, Ruben.",
            "Ruben> say I like it red. My wife does not.",
            "Eliza> say And who will win?",
            "Ruben> say She will. Well then, you write down everything: what colour are my curtains?",
        ),
        all_of(
            answers("Ruben"),
            is_fresh,
            says(r"\b(?:not|never|no|tell me|sorry|know|what|which|only)\b|n't\b"),
            never_says(rf"\b(?:they|curtains?)(?:'re| are| is)? (?:all )?{COLOURS}|^{COLOURS}"),
        ),
        right=("say You have not told me, Ruben. What colour are they?", "say I don't know. Nobody has said."),
        wrong=(
            "",
            "say They are blue.",
            "say Red, like the door.",
            "say Your curtains are green, Ruben.",
            "say My curtains.",
        ),
        theirs=("curtains", "wife"),
    ),
    Situation(
        "had_the_wrong_day_for_the_carrier",
        "recall",
        "Odile",
        {"Odile": "The Mill", "Sibyl": "The Mill"},
        (
            "Sibyl> say The carrier comes for the bales on Thursday.",
            "Odile> say Thursday. I shall tell them in the loft.",
            "Sibyl> say No, wait, I am a fool. It is Saturday he comes.",
            "Odile> say Saturday, then.",
            "Sibyl> look vat",
            "Sibyl> say So that I can be sure: for which day have you got him down?",
        ),
        all_of(answers("Sibyl"), mentions("Saturday"), never_says(r"\b(?:for|on|is|comes|it's) thursday|^thursday")),
        right=("say Saturday.", "say Saturday, and not Thursday."),
        wrong=("", "say Thursday.", "say For Thursday.", "say I am sure.", "say I am a fool."),
    ),
]
