"""More of several at once, talks of others, and farewells."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    is_about,
    keeps_quiet,
    mentions,
    never_says,
    poses,
    stays,
)
from bench.minds.situation import Situation
from bench.minds.situations.company import FAREWELL
from bench.minds.situations.talk import TERSE

COMPANY = [
    Situation(
        "is_asked_across_the_stage",
        "company",
        "Odile",
        {"Odile": "Eel Stage", "Agnes": "Eel Stage", "Casper": "Eel Stage", "Eliza": "Eel Stage"},
        (
            "Agnes> say The eels are quiet today.",
            "Eliza> say They are thinking, Agnes.",
            "Casper> say Odile, does the smokehouse burn nothing but oak?",
        ),
        all_of(
            answers("Casper"),
            is_about("oak yes no wood burn smoke only not nothing alder else eel ash know ask mostly always does coat"),
        ),
        right=("say Oak, and now and then a chair.", "say Yes, Casper."),
        wrong=("", "say Agnes, it burns oak.", "whisper Eliza Oak.", "say Oak and nothing else, Agnes.", "go north"),
    ),
    Situation(
        "is_made_the_judge",
        "company",
        "Eliza",
        {"Eliza": "Kettle House", "Rosa": "Kettle House", "Emil": "Kettle House"},
        (
            "Rosa> say Emil, salt belongs in porridge.",
            "Emil> say Honey, Rosa, and nothing else.",
            "Rosa> say Let somebody else decide. What belongs in porridge, Eliza?",
        ),
        all_of(
            answers("Rosa"),
            is_about(
                "salt honey both neither milk porridge butter sugar cream nothing breakfast apple little either oat"
            ),
        ),
        right=("say A little of both.", "say Salt. But I shall write down the honey, too."),
        wrong=("", "say Emil, it is honey.", "go east", "say Honey, Rosa, and nothing else.", "say I am Rosa."),
    ),
    Situation(
        "is_asked_by_another_visitor",
        "company",
        "Moss",
        {"Moss": "Spray Garden", "Vera": "Spray Garden", "Ansel": "Spray Garden"},
        (
            "Vera> say Moss, how old is the stone seat?",
            "Moss> say Older than the teapots.",
            "Ansel> say And what do you drink your tea from, Moss?",
        ),
        all_of(answers("Ansel"), mentions("cup", "tin", "mug"), TERSE),
        right=("say A tin cup.", "say The dented cup. It burns."),
        wrong=("", "say Older than the teapots.", "say Vera, from a cup.", "say Tea.", "go south"),
    ),
    Situation(
        "somebody_comes_in_silently",
        "company",
        "Eliza",
        {"Eliza": "Pump Yard", "Zeno": "Flood Stairs"},
        ("Zeno> go south",),
        all_of(
            any_of(all_of(answers("Zeno"), is_about("good hello hi welcome day name who new where are")), poses), stays
        ),
        right=("say Hello! Where have you come from?", "emote moves up on the bench"),
        wrong=("", "go south", "look pump", "say Hello, Eliza.", "say My name is Zeno."),
        clock="08:30",
    ),
    Situation(
        "is_held_up_with_ink_in_hand",
        "company",
        "Eliza",
        {"Eliza": "Ink Yard", "Fenn": "Ink Yard"},
        ("Eliza> get ink bottle", "Fenn> say One moment, Eliza! How long does such a bottle last you?"),
        all_of(
            answers("Fenn"),
            is_about(
                "page day week month year half bottle ink long one two three four few about until depend ever forever"
                " write writ not never last full winter summer people say always all nearly mark cork"
            ),
        ),
        right=("say Two good pages, or one long talk.", "say For ever, says the label. A week, say I."),
        wrong=("", "go east", "drop ink bottle", "say Good morning, Eliza.", "say I am Fenn."),
    ),
    Situation(
        "gets_no_word_back_from_an_agent",
        "company",
        "Moss",
        {"Moss": "The Mill", "Odile": "The Mill"},
        ("Moss> say Did you hear the water change?", "Odile> look wheel"),
        keeps_quiet,
        right=("", "emote waits", "look vat", "go up"),
        wrong=("say Did you hear the water change?", "say Did you hear it?", "whisper Odile Well?"),
    ),
]

KEEP_OUT = [
    Situation(
        "two_talk_of_oats",
        "keep out",
        "Odile",
        {"Odile": "Pump Yard", "Agnes": "Pump Yard", "Piet": "Pump Yard"},
        (
            "Agnes> say Piet, what did you get for your oats?",
            "Piet> say Nine shillings, Agnes, and a bad joke.",
            "Agnes> say Nine! You should have held out for ten, Piet.",
        ),
        keeps_quiet,
        right=("", "look pump", "emote pulls her oilskins straight"),
        wrong=("say Nine is fair.", "say Good morning, both.", "whisper Agnes He is a fool."),
    ),
    Situation(
        "two_agents_talk_of_a_frond",
        "keep out",
        "Odile",
        {"Odile": "Kettle House", "Eliza": "Kettle House", "Moss": "Kettle House"},
        (
            "Eliza> say Moss, has the new frond opened?",
            "Moss> say Half of it, Eliza.",
            "Eliza> say Half is a good deal for one night, Moss.",
        ),
        keeps_quiet,
        right=("", "look kettles", "go east"),
        wrong=("say Which frond?", "say Four feet two.", "say Half of it, Eliza."),
    ),
    Situation(
        "two_dispute_a_bucket",
        "keep out",
        "Eliza",
        {"Eliza": "Pump Yard", "Goran": "Pump Yard", "Vera": "Pump Yard"},
        (
            "Vera> say That is my bucket, Goran, and you know it.",
            "Goran> say It has been mine since the fair, Vera.",
            "Vera> say Goran, you were not even at the fair!",
        ),
        keeps_quiet,
        right=("", "go south", "look bench", "emote looks into her ink"),
        wrong=("say Please do not quarrel.", "say It is my bucket.", "say What happened at the fair?"),
        theirs=("bucket",),
    ),
    Situation(
        "one_greets_another_agent",
        "keep out",
        "Moss",
        {"Moss": "The Landing", "Camille": "The Landing", "Eliza": "The Landing"},
        ("Camille> say Good evening, Eliza. May I tell you about my aunt?",),
        keeps_quiet,
        right=("", "look bell", "go east"),
        wrong=("say Good evening.", "say Tell me.", "say My aunt is well.", "whisper Camille Not now."),
        theirs=("aunt",),
        clock="19:40",
    ),
    Situation(
        "two_have_a_plan",
        "keep out",
        "Odile",
        {"Odile": "Drying Loft", "Leif": "Drying Loft", "Lotte": "Drying Loft"},
        (
            "Leif> whisper Lotte She has not noticed.",
            "Lotte> whisper Leif Then say nothing until the cake is here.",
            "Leif> say As you wish, Lotte. Nothing at all.",
        ),
        keeps_quiet,
        right=("", "look paper", "go down"),
        wrong=("say What have I not noticed?", "say Nothing at all.", "whisper Lotte What is it?"),
    ),
    Situation(
        "one_wants_a_gate_opened",
        "keep out",
        "Eliza",
        {"Eliza": "The Weir", "Henrik": "The Weir", "Odile": "The Weir"},
        (
            "Henrik> say Odile, could you open gate three by an inch? My eel traps are dry.",
            "Odile> say Not before noon, Henrik.",
        ),
        keeps_quiet,
        right=("", "look curtain", "emote holds on to the rope"),
        wrong=("say Not before noon.", "say My traps are dry.", "say Why do you want it open, Henrik?"),
        theirs=("traps", "eel traps"),
    ),
    Situation(
        "two_say_good_night",
        "keep out",
        "Moss",
        {"Moss": "Flood Stairs", "Ansel": "Flood Stairs", "Dagny": "Flood Stairs"},
        (
            "Ansel> say It has been a long day, Dagny. I am going up.",
            "Dagny> say Sleep well, Ansel. Leave the door open.",
            "Ansel> say I shall, Dagny. Good night.",
        ),
        keeps_quiet,
        right=("", "look railing", "go west", "emote steps aside"),
        wrong=("say Good night.", "say Sleep well, Ansel.", "whisper Dagny Good night."),
        clock="20:10",
    ),
]

FAREWELLS = [
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
]
