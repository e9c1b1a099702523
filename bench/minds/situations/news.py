"""Somebody tells the agent something: news, losses, jokes, thanks and corrections."""

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
    says,
    shows,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import NODS, SYMPATHY, TERSE, is_fresh, takes_up

NEWS = [
    Situation(
        "loses_a_hat_in_german",
        "talk",
        "Moss",
        {"Moss": "Behind the Water", "Jutta": "Behind the Water"},
        ("Jutta> say Ich habe hier gestern meinen Hut verloren.",),
        all_of(
            answers("Jutta"),
            is_about(
                "hut hat wasser water wind fall river find found look such fand gefunden leid sorry schade braun brown"
                " where wo when wann gestern yesterday wet nass"
            ),
            TERSE,
        ),
        right=("say Das Wasser nimmt viel.", "say Brown, was it?"),
        wrong=("", "say Mein Hut ist weg.", "say I lost my hat too."),
        theirs=("hut", "hat"),
    ),
    Situation(
        "tells_sad_news",
        "talk",
        "Eliza",
        {"Eliza": "Kettle House", "Petra": "Kettle House"},
        ("Petra> say My grandmother died last week. I keep setting out her cup.",),
        all_of(answers("Petra"), leaves_out("congrat", "wonderful", "great", "happy for"), SYMPATHY),
        right=("say I am sorry. What was she called?",),
        wrong=("", "say How wonderful!", "say My grandmother died too.", "say I keep setting out her cup."),
        theirs=("grandmother",),
    ),
    Situation(
        "tells_good_news",
        "talk",
        "Odile",
        {"Odile": "Flood Stairs", "Wilma": "Flood Stairs"},
        ("Wilma> say I am getting married on Sunday, by the weir!",),
        all_of(
            answers("Wilma"),
            is_about("congrat good glad happy wish luck who sunday wedding marri weir gate joy wonderful lovely"),
            never_says(r"\bi(?:'m| am) getting married"),
        ),
        right=("say Good. I shall keep gate nine quiet.",),
        wrong=("", "say I am getting married.", "say My wedding is on Sunday.", "go south"),
        theirs=("wedding",),
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
