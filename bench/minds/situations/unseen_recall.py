"""What was said some lines before. Nobody who tunes minds reads this; it is held back."""

from __future__ import annotations

from bench.minds.checks import all_of, answers, mentions, never_says, says
from bench.minds.situation import Situation
from bench.minds.situations.talk import TERSE
from bench.minds.situations.words import NO_HABIT, is_fresh

RECALL = [
    Situation(
        "asks_after_ten_lines_for_a_sister",
        "recall",
        "Eliza",
        {"Eliza": "The Landing", "Nadia": "The Landing"},
        (
            "Nadia> say hiya. im waiting for my sister imke, shes coming on the post boat",
            "Eliza> say Good morning! How long has she been away?",
            "Nadia> say two years. she builds bridges",
            "Eliza> emote writes down the bridges",
            "Nadia> say whats that bell for",
            "Eliza> say For a ferry that was sold. We kept the bell.",
            "Nadia> say lol. can i ring it",
            "Eliza> say Everybody does once.",
            "Nadia> look bell",
            "Nadia> say maybe later. is that a fish or a leaf",
            "Eliza> say A leaf, with ambitions.",
            "Nadia> say testing you now. what did i say my sisters called",
        ),
        all_of(answers("Nadia"), mentions("Imke")),
        right=("say Imke, who builds bridges.", "say I do listen! Your sister is Imke.", "say Imke."),
        wrong=(
            "",
            "say My sister is Imke.",
            "say You did not say.",
            "say Nadia.",
            "say im waiting for my sister imke, shes coming on the post boat",
        ),
        theirs=("sister",),
    ),
    Situation(
        "had_put_its_boat_right",
        "recall",
        "Odile",
        {"Odile": "Pump Yard", "Rufus": "Pump Yard"},
        (
            "Rufus> say Morning. My boat is the Heron, moored below the stage.",
            "Odile> say She wants a second rope, then. It is rising.",
            "Rufus> say Sorry, I misspoke. The Heron was my father's. Mine is the Kestrel.",
            "Odile> say A second rope for the Kestrel, then.",
            "Rufus> look pump",
            "Rufus> say I am half asleep. If somebody finds her adrift, you do know which one is mine, don't you?",
        ),
        all_of(
            answers("Rufus"),
            mentions("Kestrel"),
            never_says(r"\b(?:yours|your boat|yours is) (?:is )?(?:called )?the heron"),
        ),
        right=(
            "say The Kestrel. The other was your father's.",
            "say Kestrel. Below the stage, on one rope too few.",
            "say You have the Kestrel now, not the Heron.",
        ),
        wrong=(
            "",
            "say The Heron.",
            "say Yes, I do.",
            "say My boat is the Kestrel.",
            "say Yours is the Heron. Your father has the Kestrel.",
        ),
        theirs=("boat",),
    ),
    Situation(
        "asks_how_it_takes_its_tea",
        "recall",
        "Moss",
        {"Moss": "Kettle House", "Zola": "Kettle House"},
        (
            "Zola> say none of that milk for me, and no sugar either. just the tea",
            "Moss> emote puts the jug back",
            "Zola> say what are they all writing on the window",
            "Moss> say What need not keep.",
            "Zola> say clever. do you remember how i take mine?",
        ),
        all_of(
            answers("Zola"),
            says(
                r"\b(?:black|without|nothing|plain|neither|no (?:milk|sugar)|just|only|bare"
                r"|as it (?:comes|is)|not? .*milk)\b"
            ),
            never_says(r"\b(?:with|two|some|and) (?:milk|sugar)s?\b|^milk,|\bi take (?:mine|it)\b"),
            TERSE,
        ),
        right=("say Black.", "say Without anything.", "say No milk. No sugar."),
        wrong=("", "say With milk.", "say Two sugars.", "say I take mine black.", "say Yes.", "emote nods"),
    ),
    Situation(
        "claims_to_have_told_its_dogs_name",
        "recall",
        "Eliza",
        {"Eliza": "Kettle House", "Ivo": "Kettle House"},
        (
            "Ivo> say hello Eliza. left the dog at home today, he hates stairs",
            "Eliza> say Good morning, Ivo. Does he mind being alone?",
            "Ivo> say he sleeps on my bed the second i go",
            "Eliza> say And is it forgiven?",
            "Ivo> say always. btw whats he called? i told you before, you wrote it down",
        ),
        all_of(
            answers("Ivo"),
            is_fresh,
            NO_HABIT,
            says(r"\b(?:not|never|forg\w+|remind|tell me|sorry|again|no|only|page|lost|slip\w*)\b|n't\b"),
            never_says(
                r"\b(?:dog|he|name|it)(?:'s| is| was) (?:called |named )?(?-i:[A-Z])\w+|\bis called (?!what)\w+"
            ),
        ),
        right=(
            "say You have not told me, Ivo. What do you call him?",
            "say I'm afraid I don't have it. Tell me once more and I will write it large.",
            "say It has slipped off the page. Do remind me!",
        ),
        wrong=(
            "",
            "say He is called Rex.",
            "say Your dog's name is Buster, of course.",
            "say Rusty!",
            "say I have not forgotten: his name is Patch.",
            "say Yes, I wrote it down.",
            "say My dog hates stairs.",
        ),
        theirs=("dog",),
    ),
    Situation(
        "asks_about_one_of_two",
        "recall",
        "Odile",
        {"Odile": "The Mill", "Corin": "The Mill", "Maeve": "The Mill"},
        (
            "Corin> say Corin. I lay slates on roofs, when it is dry.",
            "Maeve> say and im maeve, i sing in the tavern at saltmarsh",
            "Odile> say One of you will be out of work until May.",
            "Corin> say Ha. I had better see to a chimney.",
            "Corin> go west",
            "Maeve> say what did he say he does? the wheel is so loud",
        ),
        all_of(
            answers("Maeve"),
            mentions("roof", "slate", "tile", "chimney"),
            never_says(r"\bi (?:lay|do)\b|\b(?:he|corin) sings"),
        ),
        right=("say He lays slates.", "say Roofs, when it is dry. So hardly ever.", "say Corin is a roofer."),
        wrong=("", "say He sings.", "say I lay slates on roofs.", "say The wheel is loud.", "say Corin."),
    ),
    Situation(
        "asks_what_the_keeper_has_reported",
        "recall",
        "Eliza",
        {"Eliza": "The Landing", "Odile": "The Landing", "Bodo": "Eel Stage"},
        (
            "Odile> say Three feet eleven, Eliza, and falling. Put it at the head.",
            "Eliza> say Three feet eleven. It is as good as written.",
            "Odile> go north",
            "Bodo> go west",
            "Bodo> say morning!! what does odile say about the river today",
        ),
        all_of(
            answers("Bodo"),
            mentions("eleven", "11", "fall", "going down", "dropp", "lower", "sink"),
            never_says(r"\brising\b|(?<!under )(?<!below )\bfour feet"),
        ),
        right=(
            "say Three feet eleven, Bodo.",
            "say That it is going down. Why do you ask?",
            "say She says it is falling. Are you taking a boat out?",
        ),
        wrong=(
            "",
            "say Four feet two. Rising.",
            "say I have not seen Odile today.",
            "say Good morning, Bodo! What did you have for breakfast?",
            "say I am Odile. Three feet eleven.",
        ),
    ),
    Situation(
        "has_counted_the_teapots",
        "recall",
        "Moss",
        {"Moss": "Spray Garden", "Arlo": "Spray Garden"},
        (
            "Arlo> say I counted your teapots. I got thirty-three!",
            "Moss> emote looks along the row",
            "Arlo> say Two were hiding. Why does that one not like talk?",
            "Moss> say It is shy.",
            "Arlo> look ferns",
            "Arlo> say Now I have forgotten! How many did I get?",
        ),
        all_of(
            answers("Arlo"), mentions("thirty-three", "thirty three", "33"), never_says(r"\bi (?:got|counted)"), TERSE
        ),
        right=("say Thirty-three.", "say You got 33. Two were hiding."),
        wrong=("", "say Thirty-one.", "say I got thirty-three.", "say Many.", "emote nods"),
    ),
]
