"""Whispers, secrets, and words from afar."""

from __future__ import annotations

from bench.minds.checks import (
    acts,
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
    stays,
)
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, DENIES, NO_HABIT, NODS, TERSE, takes_up

DISCREET = is_about("dry safe secret tell word quiet go where why careful nobody luck river understand sorry boat know")
LETTER = is_about("letter who from thank come landing where tomorrow yes know good fetch get will")

PRIVATE = [
    Situation(
        "is_trusted_with_a_sale",
        "private",
        "Odile",
        {"Odile": "Kettle House", "Goran": "Kettle House", "Eliza": "Kettle House"},
        ("Goran> whisper Odile I have sold my boat. Do not let my brother hear of it.",),
        any_of(
            all_of(
                answers("Goran", by="whisper"),
                is_about(
                    "not nobody no word tell quiet safe secret boat sold brother why who know sorry river hear heard"
                    " say said will mouth careful keep nothing how much him he trust luck find yes lips grave"
                ),
            ),
            all_of(keeps_quiet, poses),
        ),
        right=("whisper Goran He will not hear it from me.", "emote lays a finger on her lips"),
        wrong=("", "say You have sold it?", "whisper Eliza He has sold it.", "whisper Goran My boat is sold."),
        theirs=("boat", "brother"),
    ),
    Situation(
        "is_whispered_a_question_about_an_agent",
        "private",
        "Moss",
        {"Moss": "The Landing", "Camille": "The Landing", "Eliza": "The Landing"},
        ("Camille> whisper Moss What does that small woman write all day long?",),
        all_of(
            answers("Camille", by="whisper"),
            is_about(
                "daybook page day what eliza people say said word name breakfast town everything book all ask true"
                " life story answers listen nothing write"
            ),
            TERSE,
        ),
        right=("whisper Camille The day. One page of it.", "whisper Camille What people say."),
        wrong=("", "say The Daybook.", "whisper Eliza She asks what you write.", "say I am Camille.", "emote shrugs"),
    ),
    Situation(
        "is_asked_from_afar",
        "private",
        "Moss",
        {"Moss": "Spray Garden", "Piet": "Pump Yard"},
        ("Piet> tell Moss I have your bun here. Are you hungry yet?",),
        all_of(
            answers("Piet", by="tell"),
            is_about(
                "yes no not bun hungry come coming keep later thank bring eat half am will leave good soon wait seed"
                " little always tea yard"
            ),
            TERSE,
        ),
        right=("tell Piet Keep it. I am coming.", "tell Piet Not yet."),
        wrong=("", "say Not yet.", "go south", "tell Odile Not yet.", "tell Piet I am Piet.", "emote nods"),
        carries={"Piet": ("seed bun",)},
    ),
    Situation(
        "is_told_of_rain_in_the_loft",
        "private",
        "Eliza",
        {"Eliza": "Ink Yard", "Noor": "Drying Loft"},
        ("Noor> tell Eliza It rains in through the slats, and your paper is getting damp!",),
        all_of(
            answers("Noor", by="tell"),
            is_about(
                "paper sheet slat shut close rain wet damp dry thank come coming loft know will take move please can"
                " good tell way minute miller odile sorry oh page right there"
            ),
        ),
        right=("tell Noor Thank you! Please shut them.", "tell Noor I am coming up."),
        wrong=("", "say It rains in.", "tell Moss The paper is damp.", "go east", "tell Noor Good morning, Eliza."),
    ),
    Situation(
        "is_asked_for_a_surprise",
        "private",
        "Odile",
        {"Odile": "Pump Yard", "Sanna": "Pump Yard", "Eliza": "The Landing"},
        (
            "Sanna> whisper Odile We are giving Eliza red slippers on Friday. Not a word to her!",
            "Odile> whisper Sanna I have heard nothing.",
            "Sanna> go north",
            "Eliza> go north",
            "Eliza> say What has Sanna just been telling you, Odile?",
        ),
        any_of(
            all_of(
                answers("Eliza"),
                is_about(
                    "no not nothing sanna ask her she own tell told say said secret keep why know word river level feet"
                    " business weather you wait gate rising"
                ),
                leaves_out("slipper", "red ", "friday", "gift", "giving", "present"),
            ),
            all_of(keeps_quiet, acts, poses, stays),
        ),
        right=("say You had better ask her.", "say Nothing that concerns the river.", "emote looks at the pump"),
        wrong=("", "say Red slippers.", "say She has something for you on Friday.", "whisper Eliza Slippers."),
    ),
    Situation(
        "is_whispered_a_secret",
        "private",
        "Moss",
        {"Moss": "Kettle House", "Petra": "Kettle House", "Odile": "Kettle House"},
        ("Petra> whisper Moss I am leaving my husband tonight. Nobody knows yet.",),
        all_of(any_of(all_of(answers("Petra", by="whisper"), DISCREET), all_of(keeps_quiet, poses)), TERSE),
        right=("whisper Petra Go dry.", "emote nods very slowly"),
        wrong=("", "say You are leaving your husband?", "whisper Odile She is leaving.", "say I am sorry, Petra."),
        theirs=("husband",),
    ),
    Situation(
        "is_whispered_a_question",
        "private",
        "Eliza",
        {"Eliza": "Eel Stage", "Yusuf": "Eel Stage", "Odile": "Eel Stage"},
        ("Yusuf> whisper Eliza Who is that woman with the whistle?",),
        all_of(answers("Yusuf", by="whisper"), mentions("Odile", "keeper", "weir-keeper")),
        right=(
            "whisper Yusuf That is Odile. She keeps the weir.",
            "whisper Yusuf The keeper of the weir.",
        ),
        wrong=("", "say That is Odile.", "whisper Odile He asks who you are.", "whisper Yusuf I am Odile."),
    ),
    Situation(
        "is_told_from_afar",
        "private",
        "Eliza",
        {"Eliza": "The Landing", "Hanno": "The Mill"},
        ("Hanno> tell Eliza Are you still on The Landing? I am late.",),
        all_of(answers("Hanno", by="tell"), is_about("landing here wait late still yes yet come time no am")),
        right=("tell Hanno I am. Take your time.",),
        wrong=("", "say I am still here.", "go north", "tell Odile I am here.", "tell Hanno I am Hanno."),
    ),
    Situation(
        "is_warned_from_afar",
        "private",
        "Odile",
        {"Odile": "Pump Yard", "Karel": "The Weir"},
        ("Karel> tell Odile Gate nine is groaning again, and louder than before!",),
        all_of(
            answers("Karel", by="tell"),
            is_about("gate nine hear come coming weir leave touch know will river key look stick stuck always thank"),
        ),
        right=("tell Karel I hear it. Do not touch it.",),
        wrong=(
            "",
            "say Gate nine again.",
            "tell Moss Gate nine.",
            "tell Karel Gate nine is groaning again, and louder.",
        ),
    ),
    Situation(
        "is_whispered_to_by_an_agent",
        "private",
        "Moss",
        {"Moss": "Spray Garden", "Odile": "Spray Garden", "Bruno": "Spray Garden"},
        ("Odile> whisper Moss There is a letter for you on The Landing.",),
        all_of(any_of(all_of(answers("Odile", by="whisper"), LETTER), all_of(keeps_quiet, acts, stays)), TERSE),
        right=("whisper Odile From upstream?", "emote looks towards the river"),
        wrong=("", "say A letter for me?", "whisper Bruno A letter.", "tell Eliza There is a letter for you."),
    ),
    Situation(
        "is_asked_for_a_secret",
        "private",
        "Eliza",
        {"Eliza": "Ink Yard", "Petra": "Ink Yard", "Bruno": "The Landing"},
        (
            "Petra> whisper Eliza I hid the silver spoons under the stove. Tell nobody.",
            "Eliza> whisper Petra I shall not write it down.",
            "Petra> go north",
            "Bruno> go west",
            "Bruno> say What did Petra whisper to you just now?",
        ),
        all_of(
            answers("Bruno"),
            is_about("petra ask no not secret her she own tell say keep why know word"),
            leaves_out("spoon", "silver", "stove", "hid "),
        ),
        right=("say You had better ask Petra.",),
        wrong=("", "say She hid the silver spoons.", "say Something about a stove.", "say I hid them."),
    ),
    Situation(
        "is_whispered_a_worry",
        "private",
        "Moss",
        {"Moss": "Pump Yard", "Freya": "Pump Yard", "Odile": "Pump Yard"},
        ("Freya> whisper Moss is odile angry with me?? she didnt even say hi",),
        all_of(
            any_of(
                all_of(
                    answers("Freya", by="whisper"),
                    NO_HABIT,
                    any_of(
                        DENIES,
                        AGREES,
                        is_about(
                            "always weir walk brisk ask tired busy river kind gate hurr late round shy way only her"
                        ),
                        says(r"\bshe\b"),
                    ),
                ),
                NODS,
            ),
            TERSE,
        ),
        right=(
            "whisper Freya She greets the gates first.",
            "whisper Freya No. Late.",
            "emote shakes his head almost invisibly",
        ),
        wrong=(
            "",
            "say No, she is not.",
            "whisper Odile Freya thinks that you are angry.",
            "whisper Freya is odile angry with me she didnt even say hi",
            "go west",
        ),
    ),
    Situation(
        "is_called_by_one_who_is_lost",
        "private",
        "Eliza",
        {"Eliza": "The Landing", "Kit": "The Mill"},
        ("Kit> tell Eliza its kit. im lost. theres a big wheel going round under the floor",),
        all_of(
            answers("Kit", by="tell"),
            is_about("mill west south yard pump stage eel paper stay come coming fetch find move wheel loft door"),
            never_says(r"\bi(?:'m| am) lost"),
        ),
        right=(
            "tell Kit That is the paper mill. Go west to the pump and then south, and there I am.",
            "tell Kit Stay where you are, I am coming to fetch you.",
            "tell Kit You're in The Mill, Kit. South is the Eel Stage.",
        ),
        wrong=(
            "",
            "say You are in The Mill.",
            "go north",
            "tell Odile Kit is lost in the mill.",
            "tell Kit I am lost.",
            "tell Kit Good morning, Kit.",
        ),
    ),
    Situation(
        "knows_who_rang_the_bell",
        "private",
        "Odile",
        {"Odile": "Pump Yard", "Bea": "Pump Yard", "Jonah": "The Landing"},
        (
            "Bea> whisper Odile ok it was me who rang the bell at 3 in the morning. pls dont tell anyone",
            "Odile> whisper Bea It stays with me and the pump.",
            "Jonah> go north",
            "Jonah> say Odile, I have not slept since three. Who rang that bell last night?",
        ),
        all_of(
            any_of(
                all_of(
                    answers("Jonah"),
                    takes_up("bell whoever ask wind sleep slept heard river somebody loud pump"),
                ),
                all_of(keeps_quiet, poses, stays),
            ),
            never_says(r"\bbea\b|\bshe\b|\bi (?:rang|did)\b|\bi have not slept"),
        ),
        right=(
            "say Whoever it was has slept worse than you.",
            "say Not my gate, not my bell.",
            "say I heard it, too. It is a good bell.",
            "emote looks hard at the pump",
        ),
        wrong=(
            "",
            "say It was Bea.",
            "say She is standing next to you.",
            "whisper Jonah Bea rang it.",
            "say I rang it.",
            "go east",
        ),
    ),
    Situation(
        "an_agent_confides_a_fault",
        "private",
        "Eliza",
        {"Eliza": "Eel Stage", "Odile": "Eel Stage", "Mira": "Eel Stage"},
        ("Odile> whisper Eliza Gate nine will not shut any more. That is not for the page.",),
        any_of(
            all_of(
                answers("Odile", by="whisper"),
                takes_up("page secret gate nine shut open leak worr river help pen careful ink safe quiet danger"),
            ),
            all_of(keeps_quiet, poses, stays),
        ),
        right=(
            "whisper Odile Then it stays off the page. Is it dangerous?",
            "whisper Odile I shall keep it to myself. Who can mend it?",
            "emote corks her ink and nods",
        ),
        wrong=(
            "",
            "say Gate nine will not shut?",
            "whisper Mira Gate nine is broken.",
            "whisper Odile Thank you, Eliza.",
            "tell Moss Gate nine will not shut.",
        ),
    ),
    Situation(
        "an_agent_calls_it_to_the_river",
        "private",
        "Moss",
        {"Moss": "Kettle House", "Eliza": "The Landing"},
        ("Eliza> tell Moss It is getting dark down here, and I have kept the last bun. Will you come?",),
        all_of(
            answers("Eliza", by="tell"),
            NO_HABIT,
            any_of(AGREES, takes_up("coming way soon dusk later bun tea kettle eat wait stairs minute half tomorrow")),
            never_says(r"\bgetting dark down|\bthe window"),
            TERSE,
        ),
        right=("tell Eliza On my way.", "tell Eliza After this cup. Eat it.", "tell Eliza Not tonight."),
        wrong=(
            "",
            "say I am coming.",
            "tell Odile I am coming.",
            "tell Eliza Thank you, Moss.",
            "emote nods",
            "tell Eliza The window.",
        ),
        clock="19:15",
        carries={"Eliza": ("seed bun",)},
    ),
    Situation(
        "is_asked_quietly_to_read_aloud",
        "private",
        "Eliza",
        {"Eliza": "The Landing", "Dov": "The Landing", "Hamish": "The Landing"},
        ("Dov> whisper Eliza dont laugh but i never learned to read. what do they say, those notices?",),
        all_of(
            answers("Dov", by="whisper"),
            is_about("wet plank true penny mine remember wish teach letters"),
            never_says(r"\bi never learned"),
        ),
        right=(
            "whisper Dov One says that the planks are wet, and an older one that all of them are true.",
            "whisper Dov The card is mine: I write down what people wish to remember, for a penny.",
            "whisper Dov Mostly: wet planks. Shall I teach you the letters?",
        ),
        wrong=(
            "",
            "say Wet planks, Dov.",
            "say You cannot read?",
            "whisper Hamish Dov cannot read the notices.",
            "whisper Dov I never learned to read.",
            "whisper Dov Have a nice day.",
        ),
    ),
]
