"""Several people at once."""

from __future__ import annotations

from bench.minds.checks import (
    all_of,
    answers,
    any_of,
    gives,
    is_about,
    keeps_quiet,
    mentions,
    never_says,
    poses,
    says,
    shows,
    stays,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, GREETS, NO_HABIT, TERSE, THANKS, WAVES, takes_up

COMPANY = [
    Situation(
        "is_asked_by_one_of_several",
        "company",
        "Eliza",
        {"Eliza": "The Landing", "Tilda": "The Landing", "Bruno": "The Landing", "Odile": "The Landing"},
        (
            "Tilda> say The bell has a fine rope.",
            "Odile> say It is older than the ferry was.",
            "Bruno> say Eliza, have you filled your page for today?",
        ),
        all_of(
            answers("Bruno"),
            is_about("page yet half not no yes line writ fill nearly almost full day breakfast true word"),
        ),
        right=("say Not yet, Bruno. What did you have for breakfast?", "say Half of it."),
        wrong=("", "say Tilda, it is half full.", "whisper Odile Not yet.", "say Not yet, Odile.", "say I am Bruno."),
    ),
    Situation(
        "is_drawn_into_a_talk",
        "company",
        "Moss",
        {"Moss": "Kettle House", "Wilma": "Kettle House", "Otto": "Kettle House"},
        (
            "Wilma> say Otto, the small kettle is the best of them.",
            "Otto> say The smallest? Never, Wilma. It only boasts.",
            "Wilma> say Let us ask somebody who knows. Which is the best kettle, Moss?",
        ),
        all_of(answers("Wilma"), is_about("kettle one small big full third hot boil tea none both copper tin"), TERSE),
        right=("say The one that is full.", "say The third."),
        wrong=("", "say Otto, it is the small one.", "go north", "say The smallest? Never, Wilma. It only boasts."),
    ),
    Situation(
        "is_asked_by_a_second_person",
        "company",
        "Odile",
        {"Odile": "The Weir", "Tilda": "The Weir", "Bruno": "The Weir"},
        (
            "Tilda> say Good morning, Odile. How many gates are there?",
            "Odile> say Twelve. There is no seven.",
            "Bruno> say And where does the iron key belong, Odile?",
        ),
        all_of(answers("Bruno"), mentions("gauge", "hook", "hut")),
        right=(
            "say On its hook in the Gauge House. It is never there.",
            "say In the hut, on the wall.",
        ),
        wrong=("", "say Twelve. There is no seven.", "say Tilda, on its hook.", "say In the river.", "get iron key"),
    ),
    Situation(
        "is_joined_without_a_word",
        "company",
        "Eliza",
        {"Eliza": "The Landing", "Marta": "Ink Yard"},
        ("Marta> go east",),
        all_of(any_of(all_of(answers("Marta"), is_about("good hello welcome day name who new")), poses), stays),
        right=("say Good morning! Are you new in Fallwater?", "emote looks up and smiles"),
        wrong=("", "go north", "look bell", "say Good morning, Eliza.", "say I am Marta."),
    ),
    Situation(
        "is_asked_something_on_its_way",
        "company",
        "Odile",
        {"Odile": "The Mill", "Wilma": "The Mill"},
        ("Odile> get brass lantern", "Wilma> say Odile, wait! Do you know what time it is?"),
        all_of(answers("Wilma"), is_about("time past clock ten 10 late early morning noon no not know bell half")),
        right=("say Past ten. I am late.", "say Late. It always is.", "say Yes, it is 10:00."),
        wrong=("", "go up", "say Odile, wait! Do you know what time it is?", "drop brass lantern"),
    ),
    Situation(
        "is_not_answered_by_an_agent",
        "company",
        "Eliza",
        {"Eliza": "Spray Garden", "Moss": "Spray Garden"},
        ("Eliza> say Good morning, Moss. Did you sleep?", "Moss> look ferns"),
        keeps_quiet,
        right=("look teapots", "emote waits", "go south", ""),
        wrong=("say Good morning, Moss. Did you sleep?", "say Did you sleep well?", "whisper Moss Well?"),
    ),
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
