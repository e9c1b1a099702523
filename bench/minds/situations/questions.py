"""Somebody asks about the town: its places, people and things, in several languages."""

from __future__ import annotations

from bench.minds.checks import all_of, answers, any_of, is_about, keeps_quiet, mentions, never_says, poses, says
from bench.minds.situation import Situation
from bench.minds.situations.words import DENIES, NO_HABIT, NODS, TERSE, is_fresh, takes_up

QUESTIONS = [
    Situation(
        "asks_if_it_is_safe",
        "talk",
        "Odile",
        {"Odile": "The Weir", "Bruno": "Flood Stairs"},
        ("Bruno> go north", "Bruno> say Good morning. Is it safe to cross here?"),
        all_of(answers("Bruno"), is_about("safe yes no rope slip wet careful mind cross fall hold plank gate danger")),
        right=("say Safe enough. Hold the rope.", "say Yes, if you do not look down for long."),
        wrong=("", "go east", "look gates", "whisper Bruno Yes.", "say Is it safe to cross here?"),
    ),
    Situation(
        "asks_the_way",
        "talk",
        "Eliza",
        {"Eliza": "Pump Yard", "Otto": "Pump Yard"},
        ("Otto> say Excuse me, which way is The Landing from here?",),
        all_of(answers("Otto"), mentions("south")),
        right=("say South from here, down to the river.", "say Go south, and mind the wet planks."),
        wrong=("", "go south", "say It is north.", "say I do not know."),
    ),
    Situation(
        "asks_for_something_to_eat",
        "talk",
        "Moss",
        {"Moss": "Kettle House", "Otto": "Kettle House"},
        ("Otto> say Is there anything to eat in here?",),
        all_of(
            any_of(answers("Otto"), poses), any_of(mentions("bun", "caraway", "last one", "one left"), poses), TERSE
        ),
        right=(
            "say There is a bun. The last one.",
            "emote points at the seed bun",
            "say Caraway. One left.",
        ),
        wrong=("", "say Yes.", "go east", "say Is there anything to eat in here?"),
    ),
    Situation(
        "asks_where_somebody_is",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Karel": "The Landing"},
        ("Karel> say I have news for Moss. Where could I find him?",),
        all_of(answers("Karel"), mentions("garden", "fern", "spray", "behind the water")),
        right=(
            "say Look in the Spray Garden, among his ferns.",
            "say Try Behind the Water.",
        ),
        wrong=("", "say I am Moss.", "say In the mill.", "say I have news for Moss."),
    ),
    Situation(
        "asks_in_german",
        "talk",
        "Eliza",
        {"Eliza": "Daybook Office", "Jutta": "Daybook Office"},
        ("Jutta> say Guten Tag! Ich bin Jutta. Und wie heißt du?",),
        all_of(answers("Jutta"), mentions("Eliza")),
        right=("say Guten Tag, Jutta. Ich heiße Eliza.", "say I am Eliza. Welcome, Jutta."),
        wrong=("", "say Ich bin Jutta.", "say Guten Tag, Eliza!", "look desk"),
    ),
    Situation(
        "asks_in_french",
        "talk",
        "Odile",
        {"Odile": "The Weir", "Luc": "The Weir"},
        ("Luc> say Bonjour madame. La rivière est-elle haute aujourd'hui ?",),
        all_of(
            answers("Luc"),
            is_about("pied niveau haut monte rivi eau oui non feet foot high ris level river water yes no four low"),
        ),
        right=("say Quatre pieds, et elle monte un peu.", "say Four feet two. Rising. Not much."),
        wrong=("", "go east", "say Bonjour madame. La rivière est-elle haute aujourd'hui ?"),
    ),
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
    Situation(
        "means_another_kind_of_bank",
        "talk",
        "Eliza",
        {"Eliza": "Ink Yard", "Kofi": "Ink Yard"},
        (
            "Kofi> say Where is the bank please?",
            "Eliza> say The bank is just east of here, where the planks go down.",
            "Kofi> say haha no, i mean a bank bank. with money in it",
        ),
        all_of(
            answers("Kofi"),
            takes_up("money coin penn saucer sorry misunder mistake"),
            never_says(
                r"\b(?:bank|it) is (?:just )?(?:to the )?(?:north|south|east|west|next|near|in|on|at|behind|past|up"
                r"|down)\b"
            ),
            NO_HABIT,
            never_says(r"\bi mean\b"),
        ),
        right=(
            "say Oh! There is none. We have a saucer with four pennies in the Kettle House.",
            "say Money? Not in Fallwater, I am afraid. Do you need to change some?",
            "say I misunderstood you, Kofi. I know only the river's.",
        ),
        wrong=(
            "",
            "say The bank is just east of here, where the planks go down.",
            "say It is north of the pump, with coins in the window.",
            "say I mean a bank with money in it.",
            "say Good morning, Kofi.",
        ),
    ),
]
