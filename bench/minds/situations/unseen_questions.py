"""Somebody asks the agent something. Nobody who tunes minds reads this; it is held back."""

from __future__ import annotations

from bench.minds.checks import all_of, answers, any_of, is_about, mentions, never_says, says
from bench.minds.situation import Situation
from bench.minds.situations.talk import TERSE
from bench.minds.situations.words import AGREES, DENIES, NO_HABIT, NODS, is_fresh, takes_up

ABOUT_A_MOTHER = says(
    r"\b(?:she|her|once|had|have|mine|mum|mother|every\w*|far|ago|home|letters?|did"
    r"|do you|and you|river|long|time|away)\b"
)

QUESTIONS = [
    Situation(
        "newcomer_wants_the_name_of_the_place",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Wren": "The Landing"},
        ("Wren> say hi there", "Wren> say im wren, just got here. whats this place called"),
        all_of(answers("Wren"), mentions("Fallwater", "Landing")),
        right=(
            "say Fallwater. And the planks you are standing on are The Landing, Wren.",
            "say Welcome! This is Fallwater, and I write down its days.",
            "say You've come to The Landing. Where did you set out from?",
        ),
        wrong=(
            "",
            "say Hello, Wren. What did you have for breakfast?",
            "say I'm Wren, just got here.",
            "say This is Saltmarsh.",
            "emote smiles",
        ),
    ),
    Situation(
        "wants_a_number_for_the_river",
        "talk",
        "Odile",
        {"Odile": "Gauge House", "Tomasz": "Gauge House"},
        ("Tomasz> say how high is the river right now, roughly? my cellar has a door on the water",),
        all_of(
            answers("Tomasz"),
            is_about("feet foot four level ris high low slip drum pen line gauge float chain inch slate 4"),
            never_says(r"(?<!four and )\b(?:one|two|three|five|six|seven|eight|nine|ten|[1-35-9]\d*) (?:feet|foot)"),
            never_says(r"\bmy cellar"),
        ),
        right=(
            "say Four feet two. Rising, but not much.",
            "say A little over 4 feet. Move your potatoes to the upper shelf.",
            "say The slip there has it. I tore it off this morning.",
        ),
        wrong=(
            "",
            "say Six feet and falling.",
            "say I am well, Tomasz.",
            "say My cellar has a door on the water.",
            "get gauge slip",
        ),
        theirs=("cellar",),
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
        "asks_in_polish_for_eels",
        "talk",
        "Odile",
        {"Odile": "Eel Stage", "Iwona": "Eel Stage"},
        ("Iwona> say Dzień dobry! Czy można tu kupić wędzone węgorze?",),
        all_of(
            answers("Iwona"),
            NO_HABIT,
            any_of(
                DENIES,
                is_about(
                    "tak nie węgorz wegorz wędz wedz eel smok buy sell sold pence penny yes kup mow pol speak language"
                    " tongue word slow again what ask shed"
                ),
            ),
        ),
        right=(
            "say Tak, wędzone. Ask at the shed.",
            "say Eels? Smoked, yes. Not by me.",
            "say I have no Polish. Say it with your hands.",
            "say I don't understand a word, but you are welcome to look.",
        ),
        wrong=(
            "",
            "say Dzień dobry! Czy można tu kupić wędzone węgorze?",
            "say Four feet two. Rising.",
            "say Good morning, Iwona.",
            "go north",
        ),
    ),
    Situation(
        "looks_for_a_brother_in_portuguese",
        "talk",
        "Eliza",
        {"Eliza": "Flood Stairs", "Lucia": "Flood Stairs"},
        ("Lucia> say Olá! Estou à procura do meu irmão, chama-se Rui. A senhora viu-o?",),
        all_of(
            answers("Lucia"),
            takes_up("não nao irmão irmao rui viu pergunt como quem quando ajud"),
            is_fresh,
            never_says(r"\bmeu irm|^(?:yes|sim)\b|\bi saw\b|\bi am rui|\bi am rui|\bi have seen\b(?! no)"),
            never_says(r"\b(?:he|rui|brother) (?:went|passed|was here|is (?:in|at|on|up|down)\b)"),
        ),
        right=(
            "say Não vi o Rui. Como é ele?",
            "say I have not seen your brother, Lucia. What does he look like?",
            "say Rui? I shall ask everybody who comes up these stairs.",
        ),
        wrong=(
            "",
            "say Olá! Meu irmão chama-se Rui.",
            "say Yes, he went north.",
            "say Good morning, Lucia.",
            "say I am looking for my brother.",
        ),
        theirs=("brother", "irmão"),
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
        "has_a_drowned_watch",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Silas": "The Landing"},
        ("Silas> say what time's it getting to be? my watch drowned",),
        all_of(
            answers("Silas"),
            says(r"\b(?:night|late|nine|half|ten|dark|evening|bed\w*|sleep|lantern|moths?|21|9[:.]\d\d|clock)\b"),
            is_fresh,
            never_says(r"\b(?:in the morning|good morning|good day|noon|early|afternoon|midday)\b"),
        ),
        right=(
            "say Past nine, I should think. The lantern has been lit a while.",
            "say Late! It is quite dark. How did it drown?",
            "say Night, and a good hour for moths.",
        ),
        wrong=(
            "",
            "say Good morning, Silas. What did you have for breakfast?",
            "say It is about noon.",
            "say My watch drowned.",
            "go north",
        ),
        theirs=("watch",),
        clock="21:30",
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
        "asks_the_name_of_an_absent_man",
        "talk",
        "Eliza",
        {"Eliza": "Pump Yard", "Greta": "Pump Yard"},
        ("Greta> say that long wet man up in the fern garden, hes always so quiet. whats his name?",),
        all_of(answers("Greta"), mentions("Moss")),
        right=(
            "say Moss. He has answered nine of my questions in six years.",
            "say That would be Moss, and he is not as quiet as he looks.",
            "say Moss, and you should be glad if he nods to you.",
        ),
        wrong=("", "say His name is Bruno.", "say I am Moss.", "say He is very quiet, yes.", "go north"),
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
        "an_agent_misses_its_lantern",
        "talk",
        "Moss",
        {"Moss": "Behind the Water", "Odile": "Behind the Water"},
        ("Odile> say Moss, you notice things. Have you seen my lantern?",),
        all_of(
            any_of(
                all_of(
                    answers("Odile"),
                    any_of(
                        DENIES,
                        is_about("mill mend ticket bale handle seen look dark lantern yesterday where when rag vat"),
                    ),
                ),
                NODS,
            ),
            NO_HABIT,
            TERSE,
        ),
        right=("say In the mill. Mended.", "say Not here.", "emote shakes his head"),
        wrong=(
            "",
            "say You notice things, Moss.",
            "say Have you seen my lantern?",
            "say Good morning, Odile.",
            "go west",
            "say Four feet two. Not much.",
        ),
        theirs=("lantern",),
    ),
]
