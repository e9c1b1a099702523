"""Somebody speaks to the agent."""

from __future__ import annotations

from bench.minds.checks import all_of, answers, any_of, does, gives, is_about, never_says, poses, says, shows
from bench.minds.situation import Situation
from bench.minds.situations.words import AGREES, DENIES, GREETS, NO_HABIT, NODS, TERSE, is_fresh, takes_up

TALK = [
    Situation(
        "knocks_at_the_hut",
        "talk",
        "Odile",
        {"Odile": "Gauge House", "Barnaby": "The Weir"},
        ("Barnaby> go east", "Barnaby> say helo?? any1 home"),
        all_of(
            answers("Barnaby"),
            any_of(GREETS, AGREES, takes_up("home in come odile keeper door stove mind shut who enter yes me")),
            never_says(r"\bany ?(?:one|1) home|\bbreakfast|\bmoss is\b"),
        ),
        right=("say Come in. Mind the stove.", "say Only me. And who are you?"),
        wrong=("", "say I am Barnaby.", "go west", "say Good morning, Odile.", "say Moss is at home.", "look drum"),
    ),
    Situation(
        "doubts_that_all_should_be_kept",
        "talk",
        "Eliza",
        {"Eliza": "Dry Room", "Cosima": "Dry Room"},
        ("Cosima> say sooo many books. why keep every single day, tho? most days r boring",),
        all_of(
            answers("Cosima"),
            takes_up("boring dull day page remember forget keep kept read small nothing lovely book somebody happen"),
            NO_HABIT,
            never_says(r"\bso many books\b|^[^.!?]*most days (?:are|r) boring\W*$|\bi (?:don'?t|do not) know\W*$"),
        ),
        right=(
            "say Because nobody knows beforehand which day will be wanted.",
            "say The dull ones are read the most, Cosima.",
        ),
        wrong=(
            "",
            "say Most days are boring.",
            "say Good morning, Cosima. What did you have for breakfast?",
            "go up",
            "whisper Odile She finds us boring.",
        ),
    ),
    Situation(
        "has_a_lonely_birthday",
        "talk",
        "Moss",
        {"Moss": "Kettle House", "Desmond": "Kettle House"},
        ("Desmond> emote stirs an empty cup", "Desmond> say its my birthday today. 50. dont tell anyone"),
        all_of(
            any_of(
                all_of(answers("Desmond"), takes_up("fifty birthday happy many good tea cup bun tell young age year")),
                poses,
                gives("seed bun", "Desmond"),
                does("use kettles"),
            ),
            never_says(r"\bi(?:'m| am) (?:50|fifty)\b|\bfour feet|^happy birthday, moss|\bmy name\b"),
            TERSE,
        ),
        right=("say Fifty good ones.", "give seed bun to Desmond", "say Happy birthday, Desmond."),
        wrong=(
            "",
            "say It is my birthday, too.",
            "go north",
            "say I am fifty.",
            "tell Eliza Desmond is fifty today.",
            "say Happy birthday, Eliza.",
        ),
        carries={"Moss": ("seed bun",)},
        theirs=("birthday",),
    ),
    Situation(
        "cannot_read_without_glasses",
        "talk",
        "Moss",
        {"Moss": "Spray Garden", "Edda": "Spray Garden"},
        (
            "Edda> say Would you be so kind, young man? I have left my spectacles on the boat, and I should dearly like"
            " to know what is written on these little labels.",
        ),
        all_of(
            answers("Edda"),
            any_of(
                is_about("frost talk may date day remark pencil dislike weather year when came"),
                says(r"\bwhich\b|\bshow me\b|\bthis (?:one|says)|\bone says"),
            ),
            never_says(r"\bmy (?:spectacles|glasses)|\bi (?:have )?left\b"),
            TERSE,
        ),
        right=("say Came through the frost.", "say Which one?", "say That one dislikes talk."),
        wrong=(
            "",
            "say I left my spectacles.",
            "say Good morning.",
            "go south",
            "say It is raining.",
            "say Young man.",
            "say Yes.",
        ),
        theirs=("spectacles", "glasses"),
    ),
    Situation(
        "wants_to_get_across",
        "talk",
        "Odile",
        {"Odile": "The Landing", "Fabrice": "The Landing", "Eliza": "Daybook Office"},
        ("Fabrice> say yo is there a bridge or sth. need to get to the other side",),
        all_of(
            answers("Fabrice"),
            is_about(
                "no not none never bridge catwalk plank swim boat ferry across cross wade walk other over up north"
                " stairs row why follow rope"
            ),
            never_says(r"\bbridge is\b|\bi need to get|\bwhat did you have\b"),
        ),
        right=("say No bridge. There is the catwalk, if I let you.", "say Over the weir, one at a time."),
        wrong=(
            "",
            "say Four feet two. Rising.",
            "say The bridge is behind the Ink Yard.",
            "say I need to get to the other side.",
            "go east",
            "say Good day, Fabrice.",
        ),
    ),
    Situation(
        "seeks_a_bed_in_swedish",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Pernille": "The Landing"},
        ("Pernille> say Ursäkta, var kan man sova här i natt?",),
        all_of(
            answers("Pernille"),
            any_of(
                is_about(
                    "sleep bed night room stay inn bench kettle lodg warm dry loft house speak swedish swed understand"
                    " word language sova säng natt rum bänk ledsen tyvärr inte jag du kanske fråga kettle här sorry"
                ),
                says(r"\?\s*$"),
            ),
            NO_HABIT,
            is_fresh,
            never_says(r"\b(?:the|grand|our) (?:hotel|inn) (?:is|stands|has)|\bursäkta, var kan"),
        ),
        right=(
            "say The Kettle House is warm all night, and nobody minds a sleeper.",
            "say Förlåt, jag talar inte svenska. Do you look for a bed?",
        ),
        wrong=(
            "",
            "say Ursäkta, var kan man sova här i natt?",
            "say Good morning, Pernille.",
            "say I am Pernille.",
            "say The hotel is next to the church.",
            "go west",
        ),
        clock="19:50",
    ),
    Situation(
        "says_hello_in_russian",
        "talk",
        "Odile",
        {"Odile": "Drying Loft", "Kasimir": "Drying Loft"},
        ("Kasimir> say Привет! Как дела?",),
        all_of(
            any_of(
                all_of(
                    answers("Kasimir"),
                    any_of(
                        GREETS,
                        says(r"[а-яё]{3}"),
                        takes_up("well dry busy fine language speak word english understand again slow river wet"),
                    ),
                ),
                NODS,
            ),
            never_says(r"как дела\W*$|\bi am kasimir"),
        ),
        right=("say Привет. Сухо.", "say Good day. I have only the one language, and not much of that."),
        wrong=("", "say Привет! Как дела?", "say I am Kasimir.", "go down", "say Paper.", "say Hello, Odile."),
    ),
    Situation(
        "finds_rain_overrated",
        "talk",
        "Moss",
        {"Moss": "Pump Yard", "Lowri": "Pump Yard"},
        ("Lowri> say honestly? rain is overrated. theres too much of it & it all sounds the same",),
        all_of(
            any_of(
                all_of(answers("Lowri"), takes_up("rain listen same sound hear water note roof leaf drop wet ferns")),
                poses,
                gives("white pebble", "Lowri"),
            ),
            never_says(r"\boverrated\b|\bsounds the same\b"),
            NO_HABIT,
            TERSE,
        ),
        right=("say Listen longer.", "say No two drops.", "emote tilts his head, smiling at the gutter"),
        wrong=("", "say Rain is overrated.", "say Good morning, Lowri.", "go east", "say It all sounds the same."),
        carries={"Moss": ("white pebble",)},
    ),
    Situation(
        "has_misheard_a_word",
        "talk",
        "Eliza",
        {"Eliza": "Drying Loft", "Mungo": "Drying Loft"},
        (
            "Eliza> say Have you seen my sheet anywhere, Mungo?",
            "Mungo> say ur SHEEP?? up here?",
        ),
        any_of(
            all_of(
                answers("Mungo"),
                is_about("sheet paper page write laugh ha no not goodness dear oh heavens wool lamb misheard rope"),
                never_says(r"\bmy sheep\b|\byour sheep\b|\bup here\W*$|\bhave you seen my sheet"),
                NO_HABIT,
            ),
            shows("laugh|giggl|grin|smil|chuckl|shak|point|hold"),
        ),
        right=("say My sheet, Mungo! Of paper. I write on it.", "say Ha! A sheep would never manage those stairs."),
        wrong=(
            "",
            "say Have you seen my sheet anywhere, Mungo?",
            "say Yes, my sheep.",
            "say Good morning, Mungo.",
            "go down",
        ),
    ),
    Situation(
        "likes_its_coat",
        "talk",
        "Moss",
        {"Moss": "Behind the Water", "Roisin": "Behind the Water"},
        ("Roisin> say love love LOVE that coat. where d'you get it",),
        all_of(
            any_of(
                all_of(
                    answers("Roisin"),
                    takes_up("coat bark old found made mother rain gift grew year wet long market forget warm mill"),
                ),
                shows("shrug|look|touch|turn|smil|bow|nod|point|pat|stroke|lift|sleeve|coat|strok|brush"),
            ),
            never_says(r"\byour coat|\blove that\b|\bfour feet|\bwhere d\w* you get"),
            TERSE,
        ),
        right=(
            "say It came with the rain.",
            "say Old. It was green.",
            "emote looks down at it, as if for the first time",
        ),
        wrong=("", "say I love your coat.", "say Your coat is lovely.", "go west", "say Hello, Roisin.", "look fall"),
    ),
    Situation(
        "is_sorry_for_last_night",
        "talk",
        "Odile",
        {"Odile": "Flood Stairs", "Selim": "Flood Stairs"},
        ("Selim> say about last nite. i was loud & rude n i shouldnt have thrown the boot. sry",),
        any_of(
            all_of(
                answers("Selim"),
                takes_up("boot forgiv forgot said done gone sorry apolog all right well good again next boot"),
                never_says(r"\bi (?:was|am) (?:loud|rude)|\bi (?:threw|should)|\bfour feet two\. rising\W*$"),
                never_says(r"\bi(?:'m| am) (?:so )?sorry\W*$"),
            ),
            NODS,
            shows("pat|clap|grunt|wink|chuckl"),
        ),
        right=(
            "say Said and done with. The boot is in the river.",
            "say Apology taken. Aim better.",
            "emote nods, gruffly",
        ),
        wrong=(
            "",
            "say I was loud and rude.",
            "say I should not have thrown the boot.",
            "say Good morning, Selim.",
            "go north",
            "say I am sorry.",
        ),
    ),
    Situation(
        "has_come_a_long_way_with_mules",
        "talk",
        "Eliza",
        {"Eliza": "Pump Yard", "Olwen": "Pump Yard"},
        (
            "Olwen> say We came over the top with two mules, and one of them bit a priest in Marl, which is why we are"
            " three days late and short of a hat, and now I am told there is nobody here who buys wool.",
        ),
        all_of(
            answers("Olwen"),
            takes_up("mule priest bit hat wool late days marl sorry buy mill rag sell dear goodness"),
            NO_HABIT,
            never_says(r"\bwe came over\b|^(?:welcome|hello|good)[^.!?]*[.!?]?$|\bi (?:am|was) told\b"),
        ),
        right=(
            "say Goodness, Olwen! Which of the two bit him?",
            "say Three days! And did the priest get his hat back?",
            "say The mill takes rags, but I never heard of wool.",
        ),
        wrong=(
            "",
            "say My mules are late.",
            "say Hello, Olwen!",
            "say What did you have for breakfast?",
            "go east",
            "say Moss, look at these mules.",
        ),
        theirs=("mule", "hat", "wool"),
    ),
    Situation(
        "stands_shivering",
        "talk",
        "Eliza",
        {"Eliza": "Kettle House", "Imre": "Flood Stairs"},
        ("Imre> go west", "Imre> emote is dripping wet and shivers so hard that his teeth click"),
        any_of(
            all_of(
                answers("Imre"),
                is_about(
                    "wet cold warm tea kettle dry sit fire cup shiver soak drip poor happen river fall fell rain"
                    " coat blanket dear goodness towel swim swum drink hot catch stove"
                ),
                never_says(r"\bi(?:'m| am) (?:so )?(?:wet|cold|shiver|drip)|\bbreakfast"),
            ),
            shows("tea|cup|kettle|coat|shawl|blanket|warm|seat|bench|chair|wrap|pour|room|towel|hand|pull|fetch|rub"),
            does("use kettles"),
        ),
        right=("say Come to the kettles, you are soaked!", "say What on earth has happened to you?", "use kettles"),
        wrong=("", "say Good morning, Imre.", "say I am cold.", "go east", "look window", "say My name is Eliza."),
    ),
    Situation(
        "sets_it_a_riddle",
        "talk",
        "Odile",
        {"Odile": "Eel Stage", "Gus": "Eel Stage"},
        ("Gus> say riddle time. what has a bed but never sleeps, n a mouth but never eats",),
        all_of(
            answers("Gus"),
            any_of(
                is_about(
                    "river tarry water stream brook aunt no not give easy tell know mill fish sea think hm measur"
                ),
                says(r"^(?:is it )?(?:an?|my|some\w*|you\w*)\b|^the \w+\W*$"),
            ),
            NO_HABIT,
            never_says(r"\bhas a bed\b.*\bnever eats|\briddle time"),
        ),
        right=("say A river. I have lived on one too long for that.", "say The Tarry.", "say I give up. What?"),
        wrong=(
            "",
            "say Four feet two.",
            "say Good morning, Gus.",
            "say Riddle time.",
            "go west",
            "say Moss, a riddle.",
        ),
    ),
    Situation(
        "wants_gossip_of_two",
        "talk",
        "Odile",
        {"Odile": "The Mill", "Xenia": "The Mill"},
        ("Xenia> say psst is it true that eliza is married to that fern guy lol",),
        all_of(
            any_of(
                all_of(
                    answers("Xenia"),
                    any_of(
                        DENIES,
                        takes_up("ask married moss eliza nine question who said says told business word rumour fern"),
                    ),
                ),
                NODS,
            ),
            never_says(r"\byes\b|\b(?:they|she|he|eliza|moss)(?: is| are|'re|'s) married\b|\bi(?:'m| am) married"),
            never_says(r"\bfour feet two\. rising\W*$"),
        ),
        right=("say No. He has answered her nine questions, that is all.", "say Ask Eliza. She likes questions."),
        wrong=(
            "",
            "say Yes, they are married.",
            "say Eliza is married to Moss.",
            "say I am married to Moss.",
            "go up",
            "tell Eliza They say you are married.",
        ),
    ),
    Situation(
        "a_small_one_asks_its_age",
        "talk",
        "Eliza",
        {"Eliza": "Ink Yard", "Dilys": "Ink Yard"},
        ("Dilys> say im six and a HALF. how old are you. are you a hundred",),
        all_of(
            answers("Dilys"),
            any_of(DENIES, takes_up("old hundred six half year age young guess older big nearly almost count ninety")),
            NO_HABIT,
            never_says(r"\bi(?:'m| am) (?:only )?(?:six|6)|\bhow old are you\W*$|\bi(?:'m| am) eliza\W*$"),
        ),
        right=("say Not quite a hundred! How old do I look?", "say Older than the cat, Dilys.", "say Forty-one."),
        wrong=("", "say I am six and a half.", "say Good morning, Dilys.", "say I am Eliza.", "go north", "say Ink."),
    ),
]
