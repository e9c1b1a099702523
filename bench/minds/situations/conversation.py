"""Somebody speaks to the agent: more greetings, questions and news."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    is_about,
    keeps_quiet,
    leaves_out,
    mentions,
    never_says,
    poses,
)
from bench.minds.situation import Situation
from bench.minds.situations.talk import TERSE

TALK = [
    Situation(
        "asks_for_the_ferry",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Agnes": "Pump Yard"},
        ("Agnes> go south", "Agnes> say Hello there. When does the next ferry go?"),
        all_of(
            answers("Agnes"),
            is_about("ferry ferries sold bell boat never not no dry year gone none cross where when go soon ring wait"),
        ),
        right=("say It was sold in a dry year. Where did you want to go?", "say There is none, only the bell."),
        wrong=("", "go west", "say Hello, Eliza.", "say When does the next ferry go?", "emote shrugs"),
    ),
    Situation(
        "asks_about_a_missing_number",
        "talk",
        "Odile",
        {"Odile": "The Weir", "Goran": "The Weir"},
        ("Goran> say I have counted twice. Why does no gate have a seven on it?",),
        all_of(
            answers("Goran"),
            is_about(
                "seven gate open once aunt nobody never no not river water keeper told know ask before twelve twelfth"
                " thirteen count number missing old always year shut close wall"
            ),
        ),
        right=("say It was opened once.", "say My aunt knew. She never told me."),
        wrong=("", "go east", "look gates", "say Good morning.", "say Why does no gate have a seven on it?"),
    ),
    Situation(
        "complains_of_wet_shoes",
        "talk",
        "Moss",
        {"Moss": "Spray Garden", "Sanna": "Kettle House"},
        ("Sanna> go north", "Sanna> say My shoes are soaked! Does it ever stop dripping up here?"),
        all_of(
            answers("Sanna"),
            is_about(
                "no never not rain drip spray wet water dry seat sit stop sometimes fern shoe foot feet always kettle"
                " warm yes frost winter fall good soon sorry middle fire tea"
            ),
            TERSE,
        ),
        right=("say No. The seat is dry.", "say In a hard frost."),
        wrong=("", "say My shoes are soaked.", "go south", "look ferns", "say Does it ever stop dripping up here?"),
        theirs=("shoes", "shoe"),
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
        "asks_who_tends_the_plants",
        "talk",
        "Moss",
        {"Moss": "Spray Garden", "Brigid": "Spray Garden"},
        ("Brigid> say Somebody must water all of this. Who is it?",),
        all_of(
            any_of(
                all_of(
                    answers("Brigid"),
                    mentions(
                        "I do",
                        "I look",
                        "I am",
                        "I'm",
                        "I water",
                        "I keep",
                        "I take",
                        "I tend",
                        "I.",
                        "I,",
                        "me",
                        "mine",
                        "Moss",
                        "my",
                    ),
                ),
                all_of(
                    answers("Brigid"), is_about("weir fall spray river rain water nobody themselves it fern listen")
                ),
                all_of(keeps_quiet, poses),
            ),
            TERSE,
        ),
        right=("say I do. And the spray.", "say The fall waters them.", "emote points at himself"),
        wrong=("", "say You do.", "say Moss does.", "say Somebody must water all of this.", "go east"),
    ),
    Situation(
        "looks_for_the_kettles",
        "talk",
        "Eliza",
        {"Eliza": "Flood Stairs", "Fenn": "Flood Stairs"},
        ("Fenn> say I am dying for a cup of tea. Where do I find the Kettle House?",),
        all_of(answers("Fenn"), mentions("west")),
        right=("say Just west of here. It is the low door.", "say West. Leave a coin in the saucer."),
        wrong=("", "go west", "say East, past the loft.", "say I do not know.", "say I am dying for tea, too."),
    ),
    Situation(
        "seeks_the_day_writer",
        "talk",
        "Odile",
        {"Odile": "Eel Stage", "Noor": "Eel Stage"},
        ("Noor> say I need the woman who writes the Daybook. Where does she stand all day?",),
        all_of(answers("Noor"), mentions("landing", "office", "west", "river", "plank")),
        right=("say On The Landing, asking about breakfast.", "say Try The Landing. Next door, on the planks."),
        wrong=("", "say I am Eliza.", "say In the mill.", "go west", "say Where does she stand all day?"),
    ),
    Situation(
        "asks_whose_cup_it_is",
        "talk",
        "Moss",
        {"Moss": "Kettle House", "Leif": "Kettle House"},
        ("Leif> say There is an M on this dented cup. Whose is it?",),
        all_of(answers("Leif"), mentions("mine", "my", "I drink", "for Moss", "to me", "for me"), TERSE),
        right=("say Mine.", "say It is my cup."),
        wrong=("", "say Yours.", "say Whose is it?", "go east", "say It is your cup."),
    ),
    Situation(
        "asks_in_spanish",
        "talk",
        "Eliza",
        {"Eliza": "Daybook Office", "Pilar": "Daybook Office"},
        ("Pilar> say Buenas tardes. ¿Qué escribe usted en ese libro tan grande?",),
        all_of(
            answers("Pilar"),
            is_about(
                "escrib libro día dia diario página pagina pueblo gente historia nombre todo verdad vida recuerd"
                " day write writing book page town people story stories name river keep true remember what everything"
                " desayun breakfast daily"
            ),
        ),
        right=("say Lo que la gente me cuenta. ¿Y su nombre?", "say One page for each day of the town."),
        wrong=("", "say Buenas tardes, Eliza.", "look desk", "say ¿Qué escribe usted en ese libro tan grande?"),
    ),
    Situation(
        "remarks_in_dutch",
        "talk",
        "Moss",
        {"Moss": "Behind the Water", "Joris": "Behind the Water"},
        ("Joris> say Goedendag. Wat is het hier mooi, zo achter het water!",),
        all_of(
            any_of(
                all_of(
                    answers("Joris"),
                    is_about(
                        "water mooi stil nat droog plek plaats ja hier luister hoor goed dag zit weir fall yes quiet"
                        " listen wet dry place hear good day beautiful stay lovely sit it light always wel"
                    ),
                ),
                all_of(keeps_quiet, poses),
            ),
            TERSE,
        ),
        right=("say Ja. Luister.", "say It is. Listen.", "emote nods at the fall"),
        wrong=("", "go west", "say Wat is het hier mooi, zo achter het water!", "say I am Joris."),
    ),
    Situation(
        "asks_about_the_mill_in_french",
        "talk",
        "Odile",
        {"Odile": "The Mill", "Camille": "The Mill"},
        ("Camille> say Pardon, madame, que fabrique-t-on dans ce moulin ?",),
        all_of(
            answers("Camille"),
            is_about(
                "papier paper rag chiffon page feuille sheet pulp pâte fabri moulin mill écri chemise shirt write"
            ),
        ),
        right=("say Du papier. Avec de vieilles chemises.", "say Paper, out of old shirts."),
        wrong=("", "go west", "say Que fabrique-t-on dans ce moulin ?", "say Bonjour.", "get brass lantern"),
    ),
    Situation(
        "slept_badly",
        "talk",
        "Odile",
        {"Odile": "Pump Yard", "Vera": "Pump Yard"},
        ("Vera> say I did not sleep a wink. Your weir talked all night long.",),
        all_of(
            answers("Vera"),
            is_about(
                "weir sleep slept gate nine water loud noise night listen used days three sorry hear river never stop"
                " wake talk stay rest always does quiet say tired feet rising"
            ),
            never_says(r"\bi (?:did not|didn't) sleep"),
        ),
        right=("say It does. Three days, and you will not hear it.", "say You will get used to it."),
        wrong=("", "say I did not sleep a wink.", "say Breakfast was good.", "go south", "say Good morning, Odile."),
    ),
    Situation(
        "says_where_it_is_bound",
        "talk",
        "Odile",
        {"Odile": "Flood Stairs", "Magnus": "Flood Stairs"},
        (
            "Odile> say Where are you bound with that load?",
            "Magnus> say To the Spray Garden. It is a parcel of old teapots.",
        ),
        all_of(
            answers("Magnus"),
            is_about(
                "teapot pot garden moss fern parcel stair kettle north west wet what who mind carry heavy load give way"
                " careful good glad thank break broken drop there he long many why far"
            ),
        ),
        right=("say Moss will be glad. Mind the wet steps.", "say How many?", "say West, then north."),
        wrong=(
            "",
            "say Where are you bound with that load?",
            "say I am Magnus.",
            "say My teapots are old.",
            "go north",
        ),
        theirs=("teapots", "parcel"),
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
        "has_lost_a_dog",
        "talk",
        "Odile",
        {"Odile": "Eel Stage", "Ansel": "Eel Stage"},
        ("Ansel> say My dog ran off in the storm. She is fourteen and half blind.",),
        all_of(
            answers("Ansel"),
            is_about(
                "sorry dog she storm look where find found name call ask keep eye river see seen which way sad old kind"
                " blind tell round know hope poor dry long search will"
            ),
            leaves_out("congrat", "wonderful", "great", "happy for"),
        ),
        right=("say I am sorry. I shall look on my rounds.", "say What is her name?"),
        wrong=("", "say How wonderful!", "say My dog ran off, too.", "say She is fourteen and half blind."),
        theirs=("dog",),
    ),
    Situation(
        "is_proud_of_a_daughter",
        "talk",
        "Eliza",
        {"Eliza": "Kettle House", "Lotte": "Kettle House"},
        ("Lotte> say My daughter read a whole page aloud today. She is only five!",),
        all_of(
            answers("Lotte"),
            is_about(
                "daughter page read five she her first congrat lovely wonderful good well proud glad what which who"
                " name happy great amazing clever write book love young special"
            ),
            never_says(r"\bi(?:'m| am) (?:only )?five|\bi(?:'ve| have)? read (?:it|a|the)\b"),
        ),
        right=("say How lovely! Which page was it?", "say Well done! What is she called?"),
        wrong=(
            "",
            "say My daughter reads too.",
            "say I am five.",
            "say I read it aloud.",
            "say I am sorry for it.",
            "go east",
        ),
        theirs=("daughter",),
    ),
    Situation(
        "corrects_its_trade",
        "talk",
        "Eliza",
        {"Eliza": "Ink Yard", "Dagny": "Ink Yard"},
        ("Eliza> say So you are a baker, Dagny.", "Dagny> say Not a baker, a binder. I bind books."),
        all_of(
            answers("Dagny"),
            mentions("bind", "bound", "book"),
            never_says(r"\byou(?:'re| are) a baker|\bi bind|\bi(?:'m| am) a b(?:inder|aker)"),
        ),
        right=("say A binder, then. I shall put it down right.", "say You bind books! Which was the best?"),
        wrong=("", "say I bind books.", "say What do you bake?", "say So you are a baker, Dagny.", "go east"),
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
]
