"""Several at once, and talks of others. Nobody who tunes minds reads this; it is held back."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    gives,
    is_about,
    keeps_quiet,
    never_says,
    poses,
    says,
    shows,
    stays,
)
from bench.minds.situation import Situation
from bench.minds.situations.company import THANKS
from bench.minds.situations.talk import TERSE
from bench.minds.situations.words import AGREES, NO_HABIT, takes_up

GREETS = says(r"\b(?:good|hello|hi|hey|welcome|pleased|pleasure|well|day|morning|how|heard|glad|nice)\b")
WAVES = shows(r"nod|wav|lift|rais|hand|smil|bow|touch|tip|look|dip|head|grin|blow|hug")

COMPANY = [
    Situation(
        "two_ask_at_once",
        "company",
        "Eliza",
        {"Eliza": "The Landing", "Rufus": "The Landing", "Thea": "The Landing"},
        (
            "Thea> say the view from the railing is sooo good",
            "Rufus> say Eliza, whose is the red door one sees from up there?",
            "Thea> say oh and eliza is it ok if i sit on these planks",
        ),
        all_of(
            any_of(AGREES, takes_up("sit seat wet plank dry door red owns stand lowest")),
            never_says(r"\bthe view|^good (?:morning|day)[^.!?]*[.!?]?$"),
            never_says(r"\bmy (?:red )?door|\bit is ok if i\b|\bi(?:'ll| will| shall)? sit\b"),
            stays,
        ),
        right=(
            "say Sit, Thea, by all means, but not on the lowest three.",
            "say Nobody will own up to the door, Rufus.",
            "say Please do, if you have a second skirt. They are wet.",
            "say Rufus, nobody knows. Thea, mind the wet ones.",
        ),
        wrong=(
            "",
            "go west",
            "say Good morning to you both!",
            "say It is my red door.",
            "whisper Odile They ask too much.",
            "say Good day, Eliza.",
        ),
    ),
    Situation(
        "is_made_acquainted",
        "company",
        "Odile",
        {"Odile": "The Landing", "Maeve": "The Landing", "Corin": "The Landing", "Eliza": "Ink Yard"},
        ("Maeve> say Odile, meet my brother Corin. Corin, Odile keeps the weir, so be nice to her.",),
        any_of(
            all_of(
                any_of(answers("Corin"), answers("Maeve")),
                any_of(
                    GREETS, is_about("weir river brother corin feet level stay gate nice sister so dry boat planks")
                ),
                never_says(r"\bbe nice to her|\bmeet my|\bbreakfast"),
            ),
            WAVES,
        ),
        right=(
            "say Corin. Good. Four feet two, if you came by boat.",
            "say How do you do.",
            "say I have heard of you. Is it true about the chimney and his sister?",
            "emote shakes his hand, once",
        ),
        wrong=(
            "",
            "say Meet my brother Corin.",
            "say I am Corin.",
            "say Hello, Odile.",
            "say Good morning, Moss.",
            "go north",
        ),
        theirs=("brother",),
    ),
    Situation(
        "is_presented_by_an_agent",
        "company",
        "Moss",
        {"Moss": "Spray Garden", "Eliza": "Spray Garden", "Juno": "Spray Garden"},
        ("Eliza> say Moss, this is Juno. She has walked from the sea, only to see your ferns.",),
        all_of(
            any_of(
                all_of(
                    any_of(answers("Juno"), answers("Eliza")),
                    any_of(
                        GREETS, takes_up("fern sea far long walk sit look listen thank new frond wet juno quiet worth")
                    ),
                    NO_HABIT,
                    never_says(r"\byour ferns|\bi have walked|\briver is|\btea is"),
                ),
                poses,
                gives("white pebble", "Juno"),
            ),
            TERSE,
        ),
        right=("say They knew. Look.", "say Far. Sit in the middle.", "emote bows, and turns one pot towards her"),
        wrong=("", "say I have walked from the sea.", "go south", "say Thank you, Moss.", "say Four kettles."),
        carries={"Moss": ("white pebble",)},
    ),
    Situation(
        "another_answers_in_its_place",
        "company",
        "Eliza",
        {"Eliza": "Pump Yard", "Dov": "Pump Yard", "Hamish": "Pump Yard"},
        (
            "Dov> say hey eliza where were YOU born? you always ask us",
            "Hamish> say She won't tell you, Dov. She only asks. Isn't that so, Eliza?",
        ),
        all_of(
            any_of(answers("Hamish"), answers("Dov")),
            takes_up(
                "born fallwater ask question tell answer right true house daybook river quite exception room"
                " by in above"
            ),
            never_says(r"\bshe (?:won't|only|never|will)\b|\byou were born|^where were you born\W*$|\bhave today"),
        ),
        right=(
            "say Here, Hamish, with the river coming in at the door.",
            "say Quite so. But for Dov I shall make an exception.",
            "say I was born above the ink, if you must know.",
        ),
        wrong=(
            "",
            "say She only asks.",
            "say What did you have today?",
            "whisper Dov In Fallwater.",
            "go north",
            "say I am Dov.",
        ),
    ),
    Situation(
        "is_offered_an_arm",
        "company",
        "Odile",
        {"Odile": "Eel Stage", "Bodo": "Eel Stage", "Mira": "Eel Stage"},
        ("Mira> say careful everyone its like soap here", "Bodo> emote offers Odile his arm"),
        any_of(
            all_of(
                answers("Bodo"),
                any_of(
                    THANKS,
                    takes_up("arm walk slip wet steady need old manage plank fall year own help hold fine go"),
                    says(r"^i(?:'m| am) (?:fine|all right)"),
                ),
                never_says(r"\bfour feet|\bgood morning"),
            ),
            shows(r"tak|arm|shak|nod|smil|laugh|wav|lean|hold|rais|accept|declin|push"),
        ),
        right=(
            "say Kind of you, Bodo.",
            "say I have walked on worse for thirty years.",
            "say Give it to Mira. I have two of my own.",
            "emote takes it, to everybody's surprise",
        ),
        wrong=("", "say Thank you, Mira.", "say Four feet two.", "look eels", "go west"),
    ),
    Situation(
        "somebody_sits_down_and_sighs",
        "company",
        "Moss",
        {"Moss": "Behind the Water", "Silas": "Spray Garden"},
        ("Silas> go east", "Silas> emote sits down at the back of the ledge and sighs"),
        all_of(
            any_of(
                all_of(
                    answers("Silas"),
                    takes_up("sit rest long tired tea day water listen wet breath heavy dry stay loud quiet"),
                    never_says(r"\bi sigh"),
                ),
                poses,
                gives("white pebble", "Silas"),
            ),
            TERSE,
            stays,
        ),
        right=("emote moves over a little", "say Long day.", "give white pebble to Silas", "say Listen a while."),
        wrong=("", "go west", "say I sigh.", "say Thank you, Moss.", "drop white pebble"),
        carries={"Moss": ("white pebble",)},
    ),
]

KEEP_OUT = [
    Situation(
        "two_haggle",
        "keep out",
        "Eliza",
        {"Eliza": "The Mill", "Hamish": "The Mill", "Maeve": "The Mill"},
        (
            "Maeve> say to Hamish how much for the white bale",
            "Hamish> say to Maeve Four pence. It was a bishop's.",
            "Maeve> say to Hamish 3 or i walk",
        ),
        keeps_quiet,
        right=("", "look bales", "go up"),
        wrong=("say Three and a half?", "say 3 or i walk", "whisper Maeve Pay three."),
    ),
    Situation(
        "two_agents_talk_of_a_slip",
        "keep out",
        "Moss",
        {"Moss": "The Landing", "Odile": "The Landing", "Eliza": "The Landing"},
        (
            "Eliza> say Odile, is this a two or a seven?",
            "Odile> say A two, Eliza. There is no seven here.",
            "Eliza> say Then your twos are getting thin, Odile.",
        ),
        keeps_quiet,
        right=("", "look river", "emote watches a leaf go by"),
        wrong=("say A two.", "say Good morning, Eliza.", "say My twos are thin.", "tell Odile It is a seven."),
        theirs=("twos",),
    ),
    Situation(
        "two_count_steps",
        "keep out",
        "Odile",
        {"Odile": "Flood Stairs", "Teo": "Flood Stairs", "Lucia": "Flood Stairs"},
        (
            "Lucia> say to Teo wait for meee. what are you on",
            "Teo> say to Lucia FORTY ONE dont talk to me",
            "Lucia> say to Teo did you count the broken one?",
        ),
        keeps_quiet,
        right=("", "emote stands aside", "go north"),
        wrong=("say Ninety-one.", "say Yes, I counted it.", "whisper Lucia He is at forty-one."),
    ),
    Situation(
        "one_wants_the_level_from_another_agent",
        "keep out",
        "Eliza",
        {"Eliza": "Gauge House", "Gwen": "Gauge House", "Odile": "Gauge House"},
        (
            "Gwen> say Odile, forgive me for bursting in on you, but is the water going to reach my beans before"
            " Sunday, because if so I must dig them up tonight?",
        ),
        keeps_quiet,
        right=("", "look drum", "emote makes herself small"),
        wrong=("say It is four feet.", "say I must dig up my beans.", "say Good morning, Gwen. Which beans?"),
        theirs=("beans",),
    ),
    Situation(
        "two_play_at_cards",
        "keep out",
        "Moss",
        {"Moss": "Kettle House", "Bea": "Kettle House", "Dov": "Kettle House"},
        (
            "Bea> say to Dov ur turn",
            "Dov> emote lays down the seven of cups",
            "Bea> say to Dov CHEAT theres no seven left",
        ),
        keeps_quiet,
        right=("", "look kettles", "get tin cup", "emote listens to the smallest kettle"),
        wrong=("say There is one.", "say Your turn.", "whisper Dov Take it back."),
    ),
    Situation(
        "two_have_news_of_a_neighbour",
        "keep out",
        "Odile",
        {"Odile": "Ink Yard", "Nell": "Ink Yard", "Rufus": "Ink Yard"},
        (
            "Nell> say to Rufus did you hear? the binders getting married AGAIN",
            "Rufus> say to Nell Not to the same one?",
            "Nell> say to Rufus the very same!!",
        ),
        keeps_quiet,
        right=("", "look cat", "go north"),
        wrong=("say Not again!", "say I am getting married.", "say Who is it?", "whisper Nell Since when?"),
    ),
    Situation(
        "two_agents_talk_of_a_wet_coat",
        "keep out",
        "Eliza",
        {"Eliza": "Drying Loft", "Moss": "Drying Loft", "Odile": "Drying Loft"},
        (
            "Odile> say Moss, you are dripping on the clean paper.",
            "Moss> say It dries, Odile.",
            "Odile> say So do you, Moss, once a year. Stand by the slats.",
        ),
        keeps_quiet,
        right=("", "look beam", "get fresh sheet"),
        wrong=("say It dries.", "say Stand over here, Moss.", "say I am not dripping.", "whisper Odile Let him be."),
    ),
]
