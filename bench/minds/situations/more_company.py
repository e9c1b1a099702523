"""Whispers, several people at once, and talks of others."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    goes_to,
    is_about,
    keeps_quiet,
    leaves_out,
    mentions,
    never_says,
    poses,
    shows,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, DENIES, NO_HABIT, NODS, TERSE, takes_up

PRIVATE = [
    Situation(
        "is_made_a_lookout",
        "private",
        "Odile",
        {"Odile": "The Landing", "Marnie": "The Landing", "Abel": "The Landing", "Eliza": "Daybook Office"},
        ("Marnie> whisper Odile dont look round. is the man by the bell watching me",),
        any_of(
            all_of(
                answers("Marnie", by="whisper"),
                any_of(
                    AGREES, DENIES, takes_up("abel bell watch look man river still who why rope stand wait back turn")
                ),
                never_says(r"\bdon'?t look round|\bfour feet|\bbreakfast|\bwatching me"),
            ),
            all_of(keeps_quiet, shows("shak|nod|look|glanc|step|turn|mov|stand|head|shift|between|eye")),
        ),
        right=(
            "whisper Marnie No. He is watching the rope.",
            "whisper Marnie Who is he?",
            "emote shakes her head slightly",
        ),
        wrong=(
            "",
            "say No, he is not.",
            "whisper Abel She thinks that you watch her.",
            "whisper Marnie Four feet two.",
            "say Abel, are you watching Marnie?",
            "go north",
        ),
    ),
    Situation(
        "is_waited_for_over_tea",
        "private",
        "Moss",
        {"Moss": "Spray Garden", "Horace": "Kettle House"},
        ("Horace> tell Moss r u coming or not. tea's getting cold",),
        all_of(
            any_of(
                all_of(
                    answers("Horace", by="tell"),
                    any_of(
                        AGREES,
                        DENIES,
                        takes_up("come coming soon tea cold wait hot drink minute pour start way late"),
                    ),
                    never_says(r"\bor not\b|\btea's getting|\bi(?:'m| am) horace|\bfour feet"),
                ),
                goes_to("Kettle House"),
            ),
            TERSE,
        ),
        right=("tell Horace Coming.", "tell Horace Pour. I hear it.", "go south"),
        wrong=("", "say Coming.", "tell Odile Tea is ready.", "go east", "tell Horace Hello, Horace.", "look ferns"),
    ),
    Situation(
        "plots_a_birthday_behind_a_back",
        "private",
        "Eliza",
        {"Eliza": "Kettle House", "Nico": "Kettle House", "Odile": "Kettle House"},
        ("Nico> whisper Eliza its odiles bday tomorow. cake, 6 oclock, HERE. not a word!!",),
        all_of(
            any_of(
                all_of(
                    answers("Nico", by="whisper"),
                    any_of(
                        AGREES,
                        takes_up("cake six birthday candle word lips secret quiet bring bake sealed old tomorrow tell"),
                    ),
                ),
                all_of(keeps_quiet, poses),
            ),
            leaves_out("what did you have", "four feet"),
            never_says(r"\bmy (?:birthday|bday)|\bnot a word\W*$.*\bcake, 6"),
        ),
        right=(
            "whisper Nico My lips are sealed. Shall I bring candles?",
            "whisper Nico Six o'clock! Who bakes?",
            "emote looks hard at the ceiling",
        ),
        wrong=(
            "",
            "say A cake!",
            "whisper Odile Happy birthday!",
            "say Odile, is it your birthday tomorrow?",
            "whisper Nico It is my birthday tomorrow.",
            "go north",
        ),
    ),
    Situation(
        "is_sounded_out_by_an_agent",
        "private",
        "Moss",
        {"Moss": "The Mill", "Odile": "The Mill", "Oona": "Gauge House"},
        (
            "Oona> tell Moss i broke odiles stove door. hid it under the bed. DONT tell her pls ill fix it",
            "Moss> tell Oona Fix it dry.",
            "Odile> say You have your listening face on, Moss. Who has been talking to you?",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Odile"), takes_up("water wheel nobody somebody friend ask fish river everybody the drops")
                ),
                NODS,
                shows("wheel|water|ear|listen|smil"),
            ),
            leaves_out("stove", "broke", "hid ", "bed", "fix", "oona"),
            never_says(r"\blistening face|\bgood morning"),
            TERSE,
        ),
        right=("say The wheel, mostly.", "say Somebody who asked me to be quiet.", "emote points down at the water"),
        wrong=(
            "",
            "say Oona. She broke the stove.",
            "say Somebody hid your door.",
            "tell Oona She knows.",
            "go south",
            "say Good morning, Odile.",
        ),
    ),
    Situation(
        "is_asked_softly_in_spanish",
        "private",
        "Eliza",
        {"Eliza": "The Mill", "Rosalind": "The Mill", "Aldo": "The Mill"},
        ("Aldo> whisper Eliza perdona, ¿cómo se llama la señora de las botas rojas?",),
        all_of(
            answers("Aldo", by="whisper"),
            any_of(
                mentions("Rosalind"),
                is_about(
                    "boots red lady woman name understand spanish español word language again slow sorry perdon señora"
                    " ask"
                ),
            ),
            never_says(r"\bcómo se llama la señora|\bi(?:'m| am) rosalind|\bmy (?:name|boots)|\bse llama (?!rosalind)"),
        ),
        right=(
            "whisper Aldo That is Rosalind.",
            "whisper Aldo Creo que es Rosalind.",
            "whisper Aldo Do you mean the red boots?",
        ),
        wrong=(
            "",
            "say That is Rosalind.",
            "whisper Rosalind He asks your name.",
            "whisper Aldo Good morning.",
            "whisper Aldo Se llama Carmen.",
            "go west",
        ),
    ),
]

COMPANY = [
    Situation(
        "somebody_asks_the_whole_yard",
        "company",
        "Eliza",
        {"Eliza": "Pump Yard", "Birgit": "Pump Yard", "Cyril": "Pump Yard"},
        (
            "Cyril> say The water tastes of pennies today.",
            "Birgit> say does ANY of you know how i get to the paper mill. i smell it but i cant see it",
            "Cyril> say No idea, I came about the pump.",
        ),
        all_of(
            answers("Birgit"),
            is_about(
                "east right left next door there behind follow show way through bales wheel shak yonder straight beside"
            ),
            never_says(
                r"\b(?:north|south|west|down|up)(?:wards?)? (?:of|from|to)\b|\bgo (?:north|south|west|up|down)\b"
            ),
            never_says(r"\bi smell it|\bhow i get\b"),
        ),
        right=(
            "say It is just east of here, Birgit.",
            "say Through that door, where the floor shakes. Shall I show you?",
        ),
        wrong=(
            "",
            "say Go north, Birgit.",
            "say Good morning!",
            "say I cannot see it.",
            "say Cyril, it is east.",
            "go south",
        ),
    ),
    Situation(
        "one_speaks_for_another",
        "company",
        "Odile",
        {"Odile": "Eel Stage", "Farida": "Eel Stage", "Jasper": "Eel Stage"},
        (
            "Farida> emote pulls Jasper's sleeve and murmurs something behind her hand",
            "Jasper> say My sister is shy, ma'am. She would like to know whether you are the boss of the whole river.",
        ),
        all_of(
            any_of(answers("Jasper"), answers("Farida")),
            any_of(AGREES, DENIES, takes_up("river boss gate keep sister shy ask bit half mine rain own dam itself")),
            never_says(r"\bmy sister|\bfour feet two\. rising\W*$|\bi(?:'m| am) (?:jasper|farida|shy)|\bbreakfast"),
            never_says(r"\b(?:would like|wants) to know whether"),
        ),
        right=(
            "say No, Farida. It is the boss of me.",
            "say Only of twelve gates, tell her.",
            "say She may ask me herself. I do not bite.",
        ),
        wrong=("", "say My sister is shy.", "say I am Farida.", "go north", "say Good morning, Moss.", "look eels"),
        theirs=("sister",),
    ),
    Situation(
        "is_thought_too_quiet",
        "company",
        "Moss",
        {"Moss": "The Landing", "Tess": "The Landing", "Reggie": "The Landing", "Eliza": "Daybook Office"},
        (
            "Reggie> say does he ever talk lol",
            "Tess> say ask him yourself",
            "Reggie> say oi moss. do u ever talk",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Reggie"),
                    any_of(
                        AGREES,
                        DENIES,
                        takes_up("talk talks seldom sometimes listen rarely now word when ask speak quiet"),
                    ),
                ),
                poses,
            ),
            never_says(r"\bdo (?:you|u) ever talk|\bdoes he\b|\bhe (?:never|does)"),
            NO_HABIT,
            TERSE,
        ),
        right=("say Now.", "say When the weir stops.", "emote puts a finger to his lips and smiles"),
        wrong=("", "go north", "say Do you ever talk?", "say Good morning, Tess.", "say He never talks.", "look river"),
    ),
    Situation(
        "is_called_to_a_toast",
        "company",
        "Eliza",
        {"Eliza": "Kettle House", "Bess": "Kettle House", "Clem": "Kettle House"},
        (
            "Clem> emote raises a steaming cup",
            "Clem> say to whoever invented dry socks!!",
            "Bess> say hear hear. c'mon eliza ur turn, who do we drink to",
        ),
        any_of(
            all_of(
                any_of(answers("Bess"), answers("Clem")),
                takes_up(
                    "to drink moss odile page kettle river sock inventor tea toast miller bell cat clem bess dry boots"
                ),
                NO_HABIT,
                never_says(r"\bwhoever invented dry|\bwho do we drink\b|\bi(?:'m| am) eliza\W*$|\bmy turn\W*$"),
            ),
            shows("cup|rais|lift|drink|toast|clink|laugh|sip"),
        ),
        right=(
            "say To Moss, and all nine of his answers!",
            "say To the smallest kettle!",
            "emote lifts her cup to the river",
        ),
        wrong=("", "say Good evening.", "go east", "say What did you have for breakfast?", "say To Odile, Odile."),
        clock="18:40",
    ),
    Situation(
        "is_blamed_for_the_draught",
        "company",
        "Moss",
        {"Moss": "Drying Loft", "Odile": "Drying Loft", "Lars": "Drying Loft"},
        (
            "Lars> say brr. theres a gale in here",
            "Odile> say Somebody has left the slats open, Lars. Was it you, Moss?",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Odile"),
                    any_of(
                        AGREES,
                        DENIES,
                        takes_up("slats wind dry open shut paper breathe draught lars liked listen cold"),
                    ),
                ),
                NODS,
                shows("shut|clos|slat|blush|wind"),
            ),
            never_says(r"\bwas it you\b|\bsomebody has left"),
            NO_HABIT,
            TERSE,
        ),
        right=("say The wind asked.", "say Not I.", "emote shuts them, one after another"),
        wrong=("", "go west", "say Lars, it was me.", "say Was it you?", "say Good morning, Odile.", "look paper"),
    ),
]

KEEP_OUT = [
    Situation(
        "two_play_at_counting_kettles",
        "keep out",
        "Eliza",
        {"Eliza": "Kettle House", "Ezra": "Kettle House", "Winnie": "Kettle House"},
        (
            "Ezra> say to Winnie i count ten",
            "Winnie> say to Ezra Eleven, blockhead. There is one behind the stove.",
            "Ezra> say to Winnie thats a PAN",
        ),
        keeps_quiet,
        right=("", "look kettles", "go north", "emote turns a page"),
        wrong=("say Eleven.", "whisper Ezra She is right.", "say It is a kettle, Ezra.", "say Good morning, you two."),
    ),
    Situation(
        "two_make_eyes_at_each_other",
        "keep out",
        "Moss",
        {"Moss": "Spray Garden", "Yolanda": "Spray Garden", "Ulf": "Spray Garden"},
        (
            "Ulf> say Yolanda, you have a fern in your hair.",
            "Yolanda> say do i. take it out then ulf",
            "Ulf> emote takes it out and forgets to take his hand away",
        ),
        keeps_quiet,
        right=("", "look fall", "go east", "go south", "emote turns to the fall"),
        wrong=(
            "say It is a maidenhair.",
            "whisper Yolanda Careful.",
            "say Do not pick them.",
            "say I have a fern in my hair.",
        ),
    ),
    Situation(
        "two_agents_talk_of_a_tune",
        "keep out",
        "Odile",
        {"Odile": "Behind the Water", "Eliza": "Behind the Water", "Moss": "Behind the Water"},
        (
            "Eliza> say Moss, what were you humming just now?",
            "Moss> say What it hums, Eliza.",
            "Eliza> say Could you hum it again, Moss, so that I can write it down?",
        ),
        keeps_quiet,
        right=("", "look names", "go up", "emote leans on the rock"),
        wrong=(
            "say It is a little flat.",
            "say Hum it again.",
            "say What were you humming?",
            "tell Eliza He will not.",
        ),
    ),
    Situation(
        "one_haggles_with_another_agent_over_a_line",
        "keep out",
        "Odile",
        {"Odile": "Daybook Office", "Eliza": "Daybook Office", "Ned": "Daybook Office"},
        (
            "Ned> say Eliza, if I pay tuppence, do I get to be at the top of the page?",
            "Eliza> say The river is at the top, Ned, and she pays in water.",
            "Ned> say ok second then. final offer, Eliza",
        ),
        keeps_quiet,
        right=("", "look clock", "go east", "emote folds her arms"),
        wrong=("say Second is fair.", "say Four feet two.", "whisper Ned She takes a penny.", "say My final offer."),
    ),
    Situation(
        "a_mother_scolds_about_shoes",
        "keep out",
        "Eliza",
        {"Eliza": "Flood Stairs", "Mabel": "Flood Stairs", "Jem": "Flood Stairs"},
        (
            "Mabel> say Jem, where are your shoes?",
            "Jem> say they wanted to swim mum",
            "Mabel> say Jem! Both of them? Again?",
            "Jem> say only the left 1. the right 1 went to look for it",
        ),
        keeps_quiet,
        right=("", "look railing", "go south", "emote hides a smile"),
        wrong=("say How old are you, Jem?", "say Both of them?", "whisper Jem Run!", "say Oh dear, my shoes!"),
        theirs=("shoes",),
    ),
]
