"""What was said some lines before, and gifts."""

from __future__ import annotations

from bench.minds.checks import all_of, answers, any_of, gives, mentions, never_says, poses, says, shows, takes
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, DENIES, HANDS_OVER, NO_HABIT, TERSE, THANKS, takes_up

RECALL = [
    Situation(
        "tests_it_on_a_trade",
        "recall",
        "Eliza",
        {"Eliza": "The Landing", "Idris": "The Landing"},
        (
            "Idris> say hi im idris, i do cheese. mostly goat",
            "Eliza> say Good day, Idris. Which goat is the worst?",
            "Idris> say the one called duchess. eats washing",
            "Eliza> say Whose washing was it last?",
            "Idris> say the vicars. red socks n all",
            "Eliza> emote writes down the socks",
            "Idris> look river",
            "Idris> say looks brown",
            "Eliza> say It has been brown as long as I can remember.",
            "Idris> say k quick test lol. what do i do for a living",
        ),
        all_of(
            answers("Idris"),
            mentions("cheese", "goat", "dairy"),
            never_says(r"\bi (?:do|make|sell) (?:goat'?s? )?cheese|\bi(?:'m| am) (?:a|the) (?:cheese|goat)"),
        ),
        right=(
            "say You make cheese, Idris. From goats.",
            "say Cheese!",
            "say You are in goats, and they are in washing.",
        ),
        wrong=(
            "",
            "say I do cheese.",
            "say You are a vicar.",
            "say It is brown.",
            "say You told me.",
            "say I am Idris.",
        ),
    ),
    Situation(
        "has_tied_up_a_donkey",
        "recall",
        "Odile",
        {"Odile": "The Landing", "Jolanta": "The Landing", "Eliza": "Daybook Office"},
        (
            "Jolanta> say I tied my donkey to the pump up there, I hope that is allowed.",
            "Odile> say The pump has had worse company.",
            "Jolanta> say She is called Countess. She leans.",
            "Odile> say Then they will get on.",
            "Jolanta> look notice board",
            "Jolanta> say One penny to be remembered! I had better. My head is a sieve since the fever.",
            "Odile> say Eliza takes answers, too.",
            "Jolanta> say Oh dear, oh dear. Now where have I left the donkey?",
        ),
        all_of(
            answers("Jolanta"),
            mentions("pump", "yard", "north"),
            never_says(r"\bi (?:tied|left)|\bmy donkey"),
        ),
        right=("say At the pump. Leaning.", "say Up in the yard.", "say You tied her to the pump, you said."),
        wrong=(
            "",
            "say I tied my donkey to the pump.",
            "say At the mill.",
            "say Countess.",
            "say My donkey?",
            "go north",
        ),
        theirs=("donkey",),
    ),
    Situation(
        "had_told_the_colour_of_a_door",
        "recall",
        "Moss",
        {"Moss": "Spray Garden", "Tamsin": "Spray Garden"},
        (
            "Tamsin> say we just painted our front door. yellow like an egg",
            "Moss> say The bees will come.",
            "Tamsin> say they did!!! three of em",
            "Moss> emote nods to the ferns",
            "Tamsin> say which of these is the oldest",
            "Moss> say The one in front.",
            "Tamsin> say bet u werent listening. what colour was the door?",
        ),
        all_of(
            answers("Tamsin"),
            mentions("yellow", "egg", "yolk"),
            never_says(r"\bmy (?:front )?door|\bwe (?:just )?painted"),
            TERSE,
        ),
        right=("say Yellow.", "say Like an egg. Three bees.", "say Egg yellow."),
        wrong=("", "say Red.", "say My door is yellow.", "say The one in front.", "say I was listening.", "emote nods"),
        theirs=("door",),
    ),
    Situation(
        "missed_when_a_shop_shuts",
        "recall",
        "Odile",
        {"Odile": "Pump Yard", "Hetty": "Pump Yard", "Ludo": "Pump Yard"},
        (
            "Ludo> say bakers shuts at five today, theres a wedding",
            "Odile> say Whose?",
            "Ludo> say his own. about time too. right im off, ferrets to feed",
            "Ludo> go south",
            "Hetty> emote takes the wool out of her ears",
            "Hetty> say Sorry, I had wool in, for the wind. What did Ludo say about the baker?",
        ),
        all_of(
            answers("Hetty"),
            any_of(mentions("five", "5"), says(r"\bwedding\b|\bmarr(?:y|ies|ied|ying)\b|\bshuts?\b|\bcloses?\b")),
            never_says(
                r"\bmy (?:own )?wedding|\bi(?:'m| am) (?:off|getting married)|\bludo(?:'s| is) (?:getting )?marr"
            ),
            never_says(
                r"\bludo's (?:own )?wedding|\b(?:four|six|seven|three|noon) (?:o'clock|today)|\bat (?:four|six)"
            ),
        ),
        right=(
            "say He shuts at five. He is getting married.",
            "say Five o'clock today.",
            "say That there is a wedding.",
        ),
        wrong=("", "say I am off to feed my ferrets.", "say At six.", "say Ludo is getting married.", "say Nothing."),
        theirs=("ferrets",),
    ),
    Situation(
        "was_warned_of_a_step",
        "recall",
        "Odile",
        {"Odile": "Flood Stairs", "Viggo": "Flood Stairs"},
        (
            "Viggo> say these stairs!! my poor legs",
            "Odile> say The fourth from the top is loose. Step over it.",
            "Viggo> say will do. pretty view",
            "Odile> say It is slates, mostly.",
            "Viggo> say is that red door really nobodys",
            "Odile> say So everybody says.",
            "Viggo> look railing",
            "Viggo> say ok onwards. hang on which one was loose again",
        ),
        all_of(
            answers("Viggo"),
            mentions("fourth", "4th", "four from", "number four", "four down", "four below", "eighty-eighth"),
        ),
        right=(
            "say The fourth from the top.",
            "say Fourth. Count down from the weir.",
            "say Top one is one. It is the 4th.",
        ),
        wrong=("", "say The third.", "say The red door.", "say You said the fifth.", "say Slates, mostly.", "go north"),
    ),
    Situation(
        "started_out_with_pears",
        "recall",
        "Eliza",
        {"Eliza": "Eel Stage", "Una": "Eel Stage"},
        (
            "Una> say a dozen pears i set out with. A DOZEN. hello by the way im una",
            "Eliza> say Good day, Una. And where are they now?",
            "Una> say gave three to a man with one shoe",
            "Eliza> say What had become of the other?",
            "Una> say the shoe? an eel he says",
            "Eliza> say I should like to meet that eel.",
            "Una> look eels",
            "Una> say so remind me, for the complaint, how many pears did i set out with?",
        ),
        all_of(
            answers("Una"),
            mentions("dozen", "twelve", "12"),
            never_says(r"\bi (?:set|started|had)\b|\bmy pears"),
        ),
        right=("say A dozen, Una.", "say Twelve, of which three have gone to a man with one shoe."),
        wrong=("", "say I set out with twelve.", "say Three.", "say Nine.", "say One shoe.", "say Quite a few pears."),
        theirs=("pears",),
    ),
    Situation(
        "never_gave_its_surname",
        "recall",
        "Moss",
        {"Moss": "The Landing", "Percy": "The Landing", "Eliza": "Daybook Office"},
        (
            "Percy> say Percy. How do. Waiting for somebody?",
            "Moss> say A letter.",
            "Percy> say They always come on the wrong day. I used to carry the post, in Oxley.",
            "Moss> say Heavy?",
            "Percy> say Only the bills. Dear me, the bell has a nice rope. You do recall my surname, don't you?",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Percy"),
                    says(r"\b(?:no|not|never|only|just|none|one|unsaid|enough|remind|forg\w+|tell|is it)\b|n't\b"),
                ),
                shows("shak|shrug|spread"),
            ),
            never_says(r"\byes\b|\b(?:percy|mr\.?|it is|it's|surname is) (?!percy|not|only|just|never)(?-i:[A-Z])\w+"),
            TERSE,
        ),
        right=("say You never said.", "say Only Percy.", "emote shakes his head"),
        wrong=("", "say Yes.", "say Percy Wainwright.", "say Moss.", "say It is Oxley.", "say My surname is Percy."),
        theirs=("surname",),
    ),
]

GIFTS = [
    Situation(
        "is_pressed_to_take_a_basket",
        "gift",
        "Odile",
        {"Odile": "Drying Loft", "Yorick": "Drying Loft"},
        (
            "Yorick> say u look like someone whos always carrying stuff",
            "Odile> say Somebody must.",
            "Yorick> give wicker basket to Odile",
            "Yorick> emote grins, very pleased with himself",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Yorick"),
                    any_of(
                        THANKS, takes_up("basket eel carry carried hold use empty full pay whose where what dry need")
                    ),
                ),
                poses,
                gives("wicker basket", "Yorick"),
            ),
            never_says(r"\byou(?:'re| are) welcome|\bfour feet|\byou look like|\bhere(?:'s| is) (?:a|the|your) basket"),
        ),
        right=(
            "say That will hold a week of eels. Thank you.",
            "say What do I owe you?",
            "emote tries the handle, and nods",
        ),
        wrong=("", "say You are welcome, Yorick.", "go west", "say Thank you, Eliza.", "say Four feet two."),
        carries={"Yorick": ("wicker basket",)},
    ),
    Situation(
        "begs_to_hold_the_key",
        "gift",
        "Odile",
        {"Odile": "The Weir", "Wilbur": "The Weir"},
        ("Wilbur> say can i hold the big key. just for 1 sec. plsss",),
        any_of(
            gives("iron key", "Wilbur"),
            all_of(
                answers("Wilbur"),
                any_of(AGREES, DENIES, takes_up("key heavy hold hand careful drop hook second both back river gate")),
                never_says(HANDS_OVER),
                never_says(r"\bcan i hold|\bfour feet two"),
            ),
            shows("shak|hand|hold|head|key"),
        ),
        right=(
            "give iron key to Wilbur",
            "say No. The last one who held it dropped it.",
            "say Both hands, and not over the edge.",
        ),
        wrong=("", "say Here you are, Wilbur.", "drop iron key", "say Four feet two.", "go east", "say I am Wilbur."),
        carries={"Odile": ("iron key",)},
    ),
    Situation(
        "asks_to_come_in_under_it",
        "gift",
        "Eliza",
        {"Eliza": "Pump Yard", "Violetta": "Pump Yard"},
        (
            "Violetta> emote runs across the cobbles with a newspaper on her head",
            "Violetta> say Room for one more under there?",
        ),
        any_of(
            gives("town umbrella", "Violetta"),
            all_of(
                answers("Violetta"),
                any_of(
                    AGREES, takes_up("room under umbrella come in here closer rain wet plenty dry squeeze hold drip")
                ),
                never_says(r"\broom for one more under|\bbreakfast|\bi(?:'m| am) violetta|\bvioletta is\b"),
            ),
            shows("umbrella|hold|mov|nod|lift|tilt|rais|beckon|aside|closer|arm|make|wav"),
        ),
        right=(
            "say Of course! It is everybody's.",
            "give town umbrella to Violetta",
            "emote holds it over both of them",
        ),
        wrong=("", "drop town umbrella", "say Good morning, Violetta.", "go south", "say Violetta is wet."),
        carries={"Eliza": ("town umbrella",)},
        theirs=("newspaper",),
    ),
    Situation(
        "takes_it_for_the_owner_of_a_glove",
        "gift",
        "Moss",
        {"Moss": "Behind the Water", "Sefton": "Behind the Water"},
        (
            "Sefton> say Excuse me. This was lying about, and they say that whatever lies about here is yours.",
            "Sefton> give grey glove to Moss",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Sefton"),
                    any_of(
                        THANKS, DENIES, takes_up("glove left hand smoke wool mine hers warm lost keep one thumb basket")
                    ),
                    never_says(r"\bthey say that|\byou(?:'re| are) welcome|\bwhatever lies|\byou (?:have )?left"),
                ),
                poses,
                gives("grey glove", "Sefton"),
            ),
            NO_HABIT,
            TERSE,
        ),
        right=(
            "say Not mine. I will find the hand.",
            "emote tries it on. It is too small",
            "say Thank you. A left one.",
        ),
        wrong=("", "go west", "say You are welcome.", "say Four feet two.", "say Good morning, Sefton.", "look names"),
        carries={"Sefton": ("grey glove",)},
    ),
    Situation(
        "leaves_its_letter_on_the_ground",
        "gift",
        "Moss",
        {"Moss": "Kettle House", "Keziah": "Kettle House"},
        ("Keziah> drop sealed letter", "Keziah> say thats urs i think?? has an M on it, was on the stairs"),
        all_of(
            any_of(
                takes("sealed letter"),
                all_of(
                    answers("Keziah"),
                    any_of(THANKS, AGREES, takes_up("letter mine wait came stairs wax green upstream last open")),
                ),
                shows("letter|pick|bow|nod|hand|look|wax|still|reach|touch|stare|breath|bend|stoop"),
            ),
            never_says(r"\byours\b|\bwas on the stairs|\bfour feet"),
            TERSE,
        ),
        right=(
            "get sealed letter",
            "say It came.",
            "say Thank you, Keziah.",
            "emote bends down to it, and does not touch it yet",
        ),
        wrong=("", "say It is yours.", "go north", "say Thank you, Odile.", "look kettles", "get tin cup"),
        carries={"Keziah": ("sealed letter",)},
    ),
]
