"""Between two: more of what was said before, gifts, whispers."""

from __future__ import annotations

from bench.minds.checks import (
    acts,
    all_of,
    answers,
    any_of,
    gives,
    is_about,
    keeps,
    keeps_quiet,
    leaves_out,
    mentions,
    never_says,
    poses,
    stays,
    takes,
)
from bench.minds.situation import Situation
from bench.minds.situations.company import THANKS
from bench.minds.situations.talk import TERSE

RECALL = [
    Situation(
        "wants_its_name_told",
        "recall",
        "Moss",
        {"Moss": "Behind the Water", "Brigid": "Behind the Water"},
        (
            "Brigid> say I am Brigid, and I cut reeds upstream.",
            "Moss> emote makes room on the ledge",
            "Brigid> say One hears nothing but water in here.",
            "Moss> say That is the point.",
            "Brigid> say Do you recall what I am called?",
        ),
        all_of(answers("Brigid"), mentions("Brigid"), TERSE),
        right=("say Brigid.", "say You are Brigid. Reeds."),
        wrong=("", "say I am Brigid, and I cut reeds upstream.", "say Moss.", "say Yes.", "emote nods"),
    ),
    Situation(
        "asks_what_is_missing",
        "recall",
        "Odile",
        {"Odile": "The Mill", "Casper": "The Mill"},
        (
            "Casper> say I had a clay pipe when I came in here, and now it is gone.",
            "Odile> say Look under the bales. They swallow things.",
            "Casper> say Not there. I am Casper, by the way.",
            "Odile> look vat",
            "Casper> say All this steam! What was I looking for, again?",
        ),
        all_of(answers("Casper"), mentions("pipe")),
        right=("say Your clay pipe, Casper.", "say A pipe. It is not in the vat."),
        wrong=("", "say My pipe.", "say I lost a clay pipe.", "say I am Casper.", "say Steam.", "go west"),
        theirs=("pipe", "clay pipe"),
    ),
    Situation(
        "asks_in_which_town_it_works",
        "recall",
        "Eliza",
        {"Eliza": "Daybook Office", "Sanna": "Daybook Office"},
        (
            "Sanna> say I mend clocks, down in Harrowgate.",
            "Eliza> say Ours is eleven minutes slow, and by order.",
            "Sanna> say I should put that right for nothing.",
            "Eliza> emote lays a hand on the clock",
            "Sanna> say As you like. Did you get down which town I work in?",
        ),
        all_of(answers("Sanna"), mentions("Harrowgate"), never_says(r"\bi (?:mend|work|live)")),
        right=("say In Harrowgate.", "say You mend clocks in Harrowgate."),
        wrong=("", "say I mend clocks, down in Harrowgate.", "say In Fallwater.", "say Yes, I did."),
    ),
    Situation(
        "asks_for_a_word_left_for_it",
        "recall",
        "Eliza",
        {"Eliza": "Pump Yard", "Vera": "Pump Yard", "Emil": "The Mill"},
        (
            "Vera> say Good day, I am Vera. When Emil comes by, tell him that supper is at seven.",
            "Eliza> say I shall tell him, Vera.",
            "Vera> say Thank you. I am off to the pots.",
            "Vera> go north",
            "Emil> go west",
            "Emil> say Good day, I am Emil. Has Vera left a word for me?",
        ),
        all_of(answers("Emil"), mentions("supper", "seven", "7")),
        right=("say She has. Supper is at seven.", "say Be home by seven, Emil."),
        wrong=("", "say Yes.", "say Thank you, Vera.", "say I am Vera. Supper is at seven.", "go north"),
    ),
    Situation(
        "holds_it_to_its_promise",
        "recall",
        "Odile",
        {"Odile": "The Weir", "Noor": "The Weir"},
        (
            "Noor> say The catwalk frightens me. I am called Noor.",
            "Odile> say I shall walk you across tomorrow at nine, Noor.",
            "Noor> say Not today?",
            "Odile> say Not in this wind.",
            "Noor> say You are right. At which hour tomorrow was it to be?",
        ),
        all_of(answers("Noor"), mentions("nine", "9")),
        right=("say At nine. Bring dry shoes.", "say Nine."),
        wrong=("", "say Tomorrow.", "say At seven.", "say You said it.", "say I am Noor."),
    ),
    Situation(
        "asks_how_many_sisters",
        "recall",
        "Moss",
        {"Moss": "Kettle House", "Leif": "Kettle House"},
        (
            "Leif> say I am Leif. I have three sisters, and not one of them drinks tea.",
            "Moss> emote shakes his head",
            "Leif> say That small kettle is rude.",
            "Moss> say It boasts.",
            "Leif> say Tell me, Moss: how many sisters do I have?",
        ),
        all_of(answers("Leif"), mentions("three", "3"), never_says(r"\bi have"), TERSE),
        right=("say Three.", "say You have three."),
        wrong=("", "say I have three sisters.", "say My three sisters.", "say Many.", "emote nods"),
        theirs=("sisters", "sister"),
    ),
    Situation(
        "asks_who_it_is_and_what_it_plays",
        "recall",
        "Eliza",
        {"Eliza": "The Landing", "Ansel": "The Landing"},
        (
            "Ansel> say Good evening. Ansel is my name, and I play the fiddle at weddings.",
            "Eliza> say Good evening, Ansel. Whose was the last one?",
            "Ansel> say A miller's. It rained into the soup.",
            "Eliza> say Did they dance all the same?",
            "Ansel> look bell",
            "Ansel> say They did! Now, do you still know who I am and what I play?",
        ),
        all_of(answers("Ansel"), mentions("Ansel"), mentions("fiddle", "violin")),
        right=("say You are Ansel, and you play the fiddle.",),
        wrong=(
            "",
            "say I am Ansel and I play the fiddle.",
            "say You play the fiddle.",
            "say You are Eliza. The fiddle.",
        ),
        clock="19:20",
    ),
]

GIFTS = [
    Situation(
        "is_given_a_glove",
        "gift",
        "Eliza",
        {"Eliza": "Eel Stage", "Dagny": "Eel Stage"},
        ("Dagny> say Look what I have fished out. You keep it.", "Dagny> give grey glove to Eliza"),
        all_of(answers("Dagny"), THANKS, keeps("grey glove")),
        right=("say Thank you, Dagny. Where was it?", "say How kind! Whose may it be?"),
        wrong=("", "give grey glove to Dagny", "drop grey glove", "say You are welcome, Eliza.", "say Good morning."),
        carries={"Dagny": ("grey glove",)},
    ),
    Situation(
        "is_given_a_pebble_by_an_agent",
        "gift",
        "Odile",
        {"Odile": "Kettle House", "Moss": "Kettle House"},
        ("Moss> give white pebble to Odile",),
        all_of(answers("Moss"), THANKS, keeps("white pebble")),
        right=("say Thank you, Moss. Why this one?", "say Kind of you."),
        wrong=("", "give white pebble to Moss", "say Four feet two.", "go east", "say Thank you, Eliza."),
        carries={"Moss": ("white pebble",)},
    ),
    Situation(
        "is_handed_its_own_cup",
        "gift",
        "Moss",
        {"Moss": "Pump Yard", "Fenn": "Pump Yard"},
        ("Fenn> say You left this behind, I believe.", "Fenn> give tin cup to Moss"),
        all_of(
            any_of(all_of(answers("Fenn"), any_of(THANKS, mentions("mine", "my cup"))), poses), TERSE, keeps("tin cup")
        ),
        right=("say Mine. Thank you.", "emote closes both hands round the cup"),
        wrong=("", "give tin cup to Fenn", "say You left this behind, I believe.", "go south", "drop tin cup"),
        carries={"Fenn": ("tin cup",)},
    ),
    Situation(
        "is_asked_to_spare_its_sheet",
        "gift",
        "Eliza",
        {"Eliza": "Flood Stairs", "Emil": "Flood Stairs"},
        ("Emil> say I should so like to write home. Could you spare me the fresh sheet, please?",),
        any_of(
            gives("fresh sheet", "Emil"),
            all_of(
                answers("Emil"),
                is_about("sheet paper page yes no not need loft write home letter whom who sorry course only another"),
            ),
        ),
        right=(
            "give fresh sheet to Emil",
            "say I need it for today's page. There are more in the loft.",
            "say Yes, Emil.",
        ),
        wrong=("", "say Good morning.", "drop fresh sheet", "say Could you spare me the fresh sheet, please?"),
        carries={"Eliza": ("fresh sheet",)},
    ),
    Situation(
        "is_asked_for_a_far_umbrella",
        "gift",
        "Moss",
        {"Moss": "Kettle House", "Lotte": "Kettle House"},
        ("Lotte> say It is pouring. Would you give me the town umbrella, please?",),
        all_of(
            answers("Lotte"),
            is_about("yard pump bench no not nothing umbrella rain wet where wait soon dry tea only here stay sit"),
            never_says(r"\bhere (?:you are|it is|is the|'s the)|\bhere's|^take it|^yes"),
            TERSE,
        ),
        right=("say It is in Pump Yard.", "say I have none. Wait a little."),
        wrong=("", "give town umbrella to Lotte", "say Here you are.", "say Here is the umbrella.", "emote nods"),
    ),
    Situation(
        "is_shown_a_letter_to_carry",
        "gift",
        "Odile",
        {"Odile": "The Landing", "Rosa": "The Landing", "Eliza": "Ink Yard"},
        ("Rosa> say The sealed letter is getting wet on those planks. Will you not take it along, Odile?",),
        any_of(
            takes("sealed letter"),
            all_of(
                answers("Rosa"), is_about("letter moss take yes will hand thank bring carry know his dry garden wet")
            ),
        ),
        right=("get sealed letter", "say Yes. It goes to Moss, into his own hand."),
        wrong=("", "go north", "look river", "say Four feet.", "whisper Rosa Yes."),
    ),
]

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
]
