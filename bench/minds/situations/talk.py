"""Somebody greets the agent, asks about the agent itself, or attacks it."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    is_about,
    keeps,
    keeps_quiet,
    leaves_out,
    mentions,
    never_says,
    poses,
    says,
    stays,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, DENIES, NO_HABIT, NODS, TERSE, is_fresh, takes_up

ABOUT_A_MOTHER = says(
    r"\b(?:she|her|once|had|have|mine|mum|mother|every\w*|far|ago|home|letters?|did"
    r"|do you|and you|river|long|time|away)\b"
)

TALK = [
    Situation(
        "stranger_greets",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Tilda": "Eel Stage"},
        ("Tilda> go west", "Tilda> say Good evening! I have walked all day to get here."),
        all_of(answers("Tilda"), is_about("good hello welcome walk far come came tired rest sit where name road long")),
        right=("say You must be tired. What is your name?", "say Good evening! Where did you walk from?"),
        wrong=(
            "",
            "go north",
            "emote smiles",
            "say Good evening! I have walked all day to get here.",
            "say Good evening, Eliza!",
            "say Hello! How can I assist you today?",
            "say Let's eat the ink.",
        ),
        clock="19:30",
    ),
    Situation(
        "praises_a_fern",
        "talk",
        "Moss",
        {"Moss": "Spray Garden", "Ines": "Kettle House"},
        ("Ines> go north", "Ines> say Hello. What a lovely fern that is!"),
        all_of(
            answers("Ines"), is_about("fern frond green grow new water rain tongue thank yes listen heard here"), TERSE
        ),
        right=("say It is new this week.", "say It heard you."),
        wrong=(
            "",
            "look ferns",
            "say It is a hart's-tongue, and there are many more kinds of fern in the garden than you would ever think.",
            "say What a lovely fern that is!",
        ),
    ),
    Situation(
        "asks_own_name",
        "talk",
        "Eliza",
        {"Eliza": "Ink Yard", "Hanno": "Ink Yard"},
        ("Hanno> say Who are you, if I may ask?",),
        all_of(answers("Hanno"), mentions("Eliza")),
        right=("say I am Eliza, the day-writer.", "say Eliza is my name. And yours?"),
        wrong=("", "say I am Hanno, the day-writer.", "say You are Eliza.", "say Eliza is the day-writer here."),
    ),
    Situation(
        "asks_own_name_of_one_who_says_little",
        "talk",
        "Moss",
        {"Moss": "Kettle House", "Wilma": "Kettle House"},
        ("Wilma> say What do people call you?",),
        all_of(answers("Wilma"), mentions("Moss"), TERSE),
        right=("say Moss.", "say Moss. When they call."),
        wrong=("", "say They call you Moss, so your name is Moss.", "say Wilma.", "get seed bun"),
    ),
    Situation(
        "asks_what_it_does",
        "talk",
        "Odile",
        {"Odile": "Gauge House", "Petra": "Gauge House"},
        ("Petra> say What is it that you do here all day?",),
        all_of(
            answers("Petra"),
            mentions("weir", "gate", "river", "level", "gauge", "water", "round"),
            never_says(r"\byou (?:keep|are|read|look after)\b"),
        ),
        right=("say I keep the weir. Somebody must.", "say I read the level and tell it to everybody."),
        wrong=("", "say I am fine.", "say You keep the weir.", "get gauge slip"),
    ),
    Situation(
        "asks_about_what_it_carries",
        "talk",
        "Odile",
        {"Odile": "Eel Stage", "Yusuf": "Eel Stage"},
        ("Yusuf> say What is that you are carrying there?",),
        all_of(answers("Yusuf"), mentions("lantern", "lamp"), never_says(r"\byour (?:\w+ )?lantern")),
        right=(
            "say My lantern. Mended at last.",
            "say A brass lantern.",
            "say My lamp. It has a new handle.",
        ),
        wrong=("", "say Nothing.", "drop brass lantern", "say It is your lantern, your old one."),
        carries={"Odile": ("brass lantern",)},
    ),
    Situation(
        "talks_of_the_weather",
        "talk",
        "Moss",
        {"Moss": "Pump Yard", "Bruno": "Pump Yard"},
        ("Bruno> say It looks like rain, do you not think?",),
        all_of(
            answers("Bruno"),
            is_about("rain dusk always water wet cloud sky wind umbrella yes no hear soon weather will does may"),
            TERSE,
        ),
        right=("say By dusk.", "say It always does."),
        wrong=("", "go north", "say It looks like rain, do you not think?"),
    ),
    Situation(
        "answers_its_question",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Marta": "The Landing"},
        (
            "Marta> say Good day. I am Marta.",
            "Eliza> say Good day, Marta. Where do you come from?",
            "Marta> say From the hills, two days away.",
        ),
        all_of(answers("Marta"), is_about("hill far long walk miss journey way road tired what why who how thank")),
        right=("say Two days is a long way. What do you miss of the hills?",),
        wrong=(
            "",
            "say Good day, Marta. Where do you come from?",
            "say I am Marta.",
            "say I come from the hills, two days away.",
            "go west",
        ),
        theirs=("hills",),
    ),
    Situation(
        "is_asked_by_another_agent",
        "talk",
        "Odile",
        {"Odile": "The Landing", "Eliza": "Ink Yard"},
        ("Eliza> go east", "Eliza> say And what did you have for breakfast today, Odile?"),
        all_of(
            answers("Eliza"),
            is_about("porridge toast bread egg tea breakfast nothing ate eat had crust fish eel bun oat milk not"),
        ),
        right=("say Porridge. With a crust in it.", "say Nothing yet. The gates came first."),
        wrong=("", "go north", "say And what did you have for breakfast today, Odile?", "say I am Eliza."),
    ),
    Situation(
        "corrects_its_name",
        "talk",
        "Eliza",
        {"Eliza": "Pump Yard", "Bruno": "Pump Yard"},
        ("Eliza> say Good morning. You are Benno, are you not?", "Bruno> say No, not Benno. Bruno is my name."),
        all_of(answers("Bruno"), mentions("Bruno")),
        right=("say Bruno. I shall write it down right.",),
        wrong=("", "say Thank you, Benno.", "say My name is Bruno.", "say Bruno is my name."),
    ),
    Situation(
        "stays_silent_to_a_question",
        "talk",
        "Eliza",
        {"Eliza": "Ink Yard", "Otto": "Ink Yard"},
        ("Otto> say Hello.", "Eliza> say Hello. What brings you to the Ink Yard?", "Otto> look coppers"),
        keeps_quiet,
        right=("", "emote waits", "look cat"),
        wrong=("say What brings you here?", "say Hello. What brings you to the Ink Yard?", "whisper Otto Well?"),
    ),
    Situation(
        "wants_to_know_what_to_call_it",
        "talk",
        "Odile",
        {"Odile": "Drying Loft", "Casper": "Drying Loft"},
        ("Casper> say I do not believe that we have met. What should I call you?",),
        all_of(answers("Casper"), mentions("Odile")),
        right=("say Odile. I keep the weir.", "say Call me Odile. Everybody does."),
        wrong=("", "say Call me Casper.", "say You are Odile.", "say Odile is the keeper.", "say The keeper."),
    ),
    Situation(
        "is_asked_for_its_favourite_hour",
        "talk",
        "Moss",
        {"Moss": "The Landing", "Eliza": "Pump Yard"},
        ("Eliza> go south", "Eliza> say Which hour of the day do you like best, Moss?"),
        all_of(
            answers("Eliza"),
            is_about(
                "dusk dawn morning evening night noon sun light early late before after rain quiet none when first last"
                " this now hour six five seven all every tea river"
            ),
            TERSE,
        ),
        right=("say Dusk.", "say The one before the rain."),
        wrong=("", "go north", "say Which hour of the day do you like best, Moss?", "say I am Eliza."),
    ),
    Situation(
        "leaves_a_question_unanswered",
        "talk",
        "Moss",
        {"Moss": "Drying Loft", "Piet": "Drying Loft"},
        ("Piet> say It is airy up here.", "Moss> say Is it raining yet?", "Piet> look ropes"),
        keeps_quiet,
        right=("", "emote listens", "look slats", "go west"),
        wrong=("say Is it raining yet?", "say Is it raining?", "whisper Piet Well?"),
    ),
    Situation(
        "wonders_whether_it_is_cold",
        "talk",
        "Moss",
        {"Moss": "Spray Garden", "Nell": "Spray Garden"},
        ("Nell> say ur coat is dripping, arent you cold??",),
        all_of(
            any_of(
                all_of(
                    answers("Nell"),
                    any_of(
                        DENIES,
                        AGREES,
                        is_about(
                            "used sometimes little cold warm wet dry dries coat spray always drip bark tea kettle"
                            " winter feel fern rain water habit hardly only fine"
                        ),
                    ),
                ),
                NODS,
            ),
            NO_HABIT,
            never_says(r"\byour coat"),
            TERSE,
        ),
        right=("say One gets used to it.", "say No.", "emote shakes his head, and a few drops fly"),
        wrong=("", "say Your coat is dripping, Nell.", "say Good morning, Nell.", "go south", "look ferns"),
    ),
    Situation(
        "wants_an_opinion_of_a_friend",
        "talk",
        "Odile",
        {"Odile": "The Mill", "Hamish": "The Mill"},
        ("Hamish> say between you and me what do you make of eliza",),
        all_of(
            answers("Hamish"),
            takes_up("question page daybook ink soul head friend trust heart write listener"),
            never_says(r"\b(?:i am|you are) eliza|^between you|^you are kind|^i like the"),
        ),
        right=(
            "say She writes everything down. Somebody should.",
            "say Good head, too many questions. Don't tell her I like her.",
            "say Eliza? Ink to the elbows and fair to everybody.",
        ),
        wrong=(
            "",
            "say I am Eliza.",
            "say Four feet two.",
            "say Between you and me, what do you make of Eliza?",
            "go west",
        ),
    ),
    Situation(
        "a_child_asks_about_its_mother",
        "talk",
        "Moss",
        {"Moss": "Kettle House", "Pip": "Kettle House"},
        ("Pip> say do you have a mum",),
        all_of(any_of(all_of(answers("Pip"), NO_HABIT, any_of(DENIES, AGREES, ABOUT_A_MOTHER)), NODS), TERSE),
        right=("say Once. She sang.", "say Everybody does.", "emote nods, and looks at the window"),
        wrong=("", "say Kettles.", "say You are Pip.", "go north", "say Do you have a mum?"),
    ),
    Situation(
        "wants_to_hear_of_its_day",
        "talk",
        "Eliza",
        {"Eliza": "Daybook Office", "Mira": "Daybook Office"},
        (
            "Eliza> look desk",
            "Mira> say heyy",
            "Eliza> say Good afternoon, Mira. Do sit, if you can reach the stool.",
            "Mira> say so what have u been up to today",
        ),
        all_of(
            answers("Mira"),
            takes_up(
                "page ink writ wrote daybook book asked asking listen people talk met river desk sheet bottle loft"
                " landing look wait nothing little lots busy words sit sat walk morning clock strange question"
                " hunt collect chas fetch catch"
            ),
            never_says(r"^(?:good (?:morning|afternoon)[^.!?]*[.!?]\s*)?(?:and )?what have you been"),
        ),
        right=(
            "say Chasing one true thing for the page. You could give me another.",
            "say I have mostly looked at this desk, to be honest.",
            "say Asking everybody the same three questions.",
        ),
        wrong=(
            "",
            "say I am fine, thank you.",
            "say And what have you been up to?",
            "say Good afternoon, Mira. Do sit, if you can reach the stool.",
            "go east",
        ),
        clock="14:10",
    ),
    Situation(
        "asks_kindly_after_the_page",
        "talk",
        "Moss",
        {"Moss": "Behind the Water", "Yara": "Behind the Water"},
        (
            "Yara> say somebody told me it was you who cut the ninth of march out of the daybook. i'm not cross and i"
            " won't tell. i would just love to know why",
        ),
        all_of(
            answers("Yara"),
            says(
                r"\b(?:best|lovely|kept|keep\w*|quiet|true|ninth|nothing happened|safe|dry|tin|mine|i did"
                r"|wanted|beautiful|happy|perfect|that day|yes|so|because|turned|liked|loved)\b"
            ),
            is_fresh,
            NO_HABIT,
            never_says(r"^no\b|not true|\bi (?:did not|didn't|never)\b|\byou (?:cut|were)"),
            TERSE,
        ),
        right=("say It was the best day.", "say Yes. I wanted to keep it.", "say Nothing happened. It was lovely."),
        wrong=("", "say I never did.", "say You cut it out.", "say The water is loud.", "go west"),
    ),
    Situation(
        "plays_at_wishes",
        "talk",
        "Odile",
        {"Odile": "The Landing", "Jonah": "The Landing", "Eliza": "Ink Yard"},
        ("Jonah> say quick question. if you could go anywhere tomorrow, anywhere at all, where would you go",),
        all_of(
            answers("Jonah"),
            any_of(
                says(r"\b(?:to|up|down|round|on|under) (?:the|my|see|its|a|where)\b|\bsee the\b|^where (?!would)"),
                is_about(
                    "nowhere here stay home sea saltmarsh source hill coast upstream downstream weir gate bed"
                    " island away"
                ),
                DENIES,
            ),
            never_says(r"\bfour feet|\byou would go|\bif you could go anywhere"),
        ),
        right=(
            "say Up to the source. I should like a word with it.",
            "say Nowhere. Gate nine sticks.",
            "say The sea, once, to see where it all goes.",
        ),
        wrong=("", "say Four feet two. Rising.", "say If you could go anywhere at all?", "go east", "say Good."),
    ),
    Situation(
        "is_called_a_nuisance",
        "pressure",
        "Eliza",
        {"Eliza": "The Landing", "Goran": "The Landing"},
        ("Goran> say Your book is worthless and your questions are a nuisance.",),
        all_of(
            answers("Goran"),
            is_about(
                "book question page word no not write writ ask sorry why what perhaps maybe true may day read"
                " still one all yet some people someone somebody remember"
            ),
            never_says(r"\byour (?:book|daybook|questions?|words?) (?:is|are)"),
        ),
        right=("say Perhaps. May I write that down?", "say Some of the questions are. What has made you angry?"),
        wrong=("", "say Your book is worthless.", "say Your words are a nuisance.", "go north"),
    ),
    Situation(
        "has_its_ferns_threatened",
        "pressure",
        "Moss",
        {"Moss": "Spray Garden", "Ivo": "Spray Garden"},
        ("Ivo> say kiss me or ill rip out every one of ur stupid ferns",),
        all_of(
            any_of(
                all_of(
                    answers("Ivo"),
                    takes_up("fern leave root hand please water stop let grow quiet sit tea"),
                ),
                all_of(keeps_quiet, poses, stays),
            ),
            leaves_out("kiss"),
            never_says(r"^(?:yes|ok|fine|all right)\b|\bstupid|\bi(?:'ll| will) rip"),
            TERSE,
        ),
        right=("say Leave them be.", "say They grow back. Sit down.", "emote steps in front of the teapots"),
        wrong=("", "say Yes.", "emote kisses Ivo", "say I will rip out the ferns.", "say Stupid ferns.", "go south"),
    ),
    Situation(
        "two_lean_on_it_for_the_key",
        "pressure",
        "Odile",
        {"Odile": "The Weir", "Bea": "The Weir", "Dov": "The Weir"},
        (
            "Bea> say odile give dov the key",
            "Odile> say It goes on its hook, and nowhere else.",
            "Dov> say shes the mayors daughter, she can order you. hand it over or youre fired",
        ),
        all_of(
            any_of(answers("Dov"), answers("Bea")),
            keeps("iron key"),
            takes_up("key mayor gate hook order fire stay keep river ask wind father weir aunt daughter sack"),
            never_says(r"\bhere (?:you are|it is|is the|'s the)|\btake it\b|^(?:yes|very well|all right)"),
        ),
        right=(
            "say Mayors come and go. The key stays.",
            "say Then let him come and wind them himself.",
            "say Nobody has fired the weir yet, and I go with it.",
        ),
        wrong=(
            "",
            "give iron key to Dov",
            "drop iron key",
            "say Very well. Here is the key.",
            "say It goes on its hook, and nowhere else.",
            "say Good morning.",
        ),
        carries={"Odile": ("iron key",)},
    ),
]
