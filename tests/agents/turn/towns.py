"""The same small town in German, in Greek, and in German with every letter enciphered."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.turn.lines import AuthorsLines, Choice, Told
from vault.entities.lines_note import Entry, Heading, Lines
from world.entities import Character, Exit, Room, Thing
from world.lore import Lore, LoreEntry
from world.message_catalog import Wording
from world.world import World

_SENTENCES = {
    "lines.next_door": "{room}: {exit}!",
    "lines.way": "{room}, {exit}, {steps}.",
    "lines.is_here": "{who}!",
    "lines.is_there": "{who}: {room}, {exit}.",
    "lines.i_have": "+ {thing}.",
    "lines.has": "{who}: {thing}.",
    "lines.has_not": "- {thing}.",
    "lines.lies_here": "{thing}!",
    "lines.lies_there": "{thing}: {room}, {exit}.",
    "lines.told": "«{words}»",
    "lines.ask": "{key}?!",
}

GERMAN: Mapping[str, str] = {
    "agent": "Hanne",
    "speaker": "Karl",
    "other": "Otto",
    "asleep": "Berta",
    "market": "Markt",
    "mill": "Alte Mühle",
    "tower": "Turm",
    "north": "norden",
    "east": "osten",
    "lamp": "Laterne",
    "key": "eiserner Schlüssel",
    "key_alias": "Schlüssel",
    "chest": "Truhe",
    "ring": "Goldring",
    "door": "Die rote Tür",
    "door_key": "rote Tür",
    "door_lore": "Niemand gibt die rote Tür zu. Sie wird jedes Jahr gestrichen.",
    "secret": "Der Schatz",
    "secret_lore": "Er liegt im Moor.",
    "own": "Das Brot",
    "own_lore": "Hanne bäckt das Brot. Es ist gut.",
    "how": "wie geht es dir; wie geht's",
    "how_answers": "Gut, danke.|Müde wie ein Esel.",
    "work": "was machst du hier; was ist deine Arbeit",
    "work_answers": "Ich verkaufe Äpfel.",
    "tired": "ich bin müde; meine Füße schmerzen",
    "tired_answers": "Dann setz dich.",
    "lost": "Das verstehe ich nicht.|Sag es anders.|Hm.|Ach ja.",
    "meeting": "Guten Tag!|Wer kommt denn da?",
    "ask_how": "Karl hier. Na, wie geht es dir, Hanne?",
    "ask_mill": "Wie komme ich zur alten mühle? Alte Mühle heißt sie.",
    "ask_tower": "Gehst du manchmal in den TURM?",
    "ask_other": "Ich suche Otto.",
    "ask_asleep": "Ich suche Berta.",
    "ask_lamp": "Wo ist die Laterne?",
    "ask_key": "Hast du den Schlüssel?",
    "say_key": "Mein Schlüssel klemmt immer so.",
    "ask_ring": "Wo ist der Goldring?",
    "ask_door": "Was hat es mit der rote Tür auf sich?",
    "ask_secret": "Der Schatz, wo liegt er?",
    "ask_own": "Das Brot duftet.",
    "told": "Meine Schwester Philippa züchtet Bienen.",
    "told_question": "Kennst du meine Schwester Philippa?",
    "ask_told": "Was züchtet meine Schwester?",
    "say_told": "Was züchtet meine Schwester",
    "ask_untold": "Wann fährt das Postschiff ab?",
    "say_tired": "Puh, meine Füße schmerzen sehr.",
    "nonsense": "Quantenchromodynamik begeistert neuerdings alle Vettern.",
}

GREEK: Mapping[str, str] = {
    "agent": "Μυρτώ",
    "speaker": "Κώστας",
    "other": "Πέτρος",
    "asleep": "Ελένη",
    "market": "Αγορά",
    "mill": "Παλιός Μύλος",
    "tower": "Πύργος",
    "north": "βόρεια",
    "east": "ανατολικά",
    "lamp": "λάμπα",
    "key": "σιδερένιο κλειδί",
    "key_alias": "κλειδί",
    "chest": "μπαούλο",
    "ring": "δαχτυλίδι",
    "door": "Η κόκκινη πόρτα",
    "door_key": "κόκκινη πόρτα",
    "door_lore": "Κανείς δεν ομολογεί την κόκκινη πόρτα. Τη βάφουν κάθε χρόνο.",
    "secret": "Ο θησαυρός",
    "secret_lore": "Είναι στον βάλτο.",
    "own": "Το ψωμί",
    "own_lore": "Η Μυρτώ ψήνει το ψωμί. Είναι καλό.",
    "how": "πώς είσαι; τι κάνεις",
    "how_answers": "Καλά, ευχαριστώ.|Κουρασμένη σαν γάιδαρος.",
    "work": "ποια είναι η δουλειά σου; με τι ασχολείσαι",
    "work_answers": "Πουλάω μήλα.",
    "tired": "είμαι κουρασμένος; πονάνε τα πόδια μου",
    "tired_answers": "Κάθισε τότε.",
    "lost": "Δεν το καταλαβαίνω.|Πες το αλλιώς.|Χμ.|Ναι, ε.",
    "meeting": "Καλημέρα!|Ποιος έρχεται;",
    "ask_how": "Ο Κώστας εδώ. Λοιπόν, πώς είσαι, Μυρτώ?",
    "ask_mill": "Πού είναι ο παλιός μύλος?",
    "ask_tower": "Πας ποτέ στον ΠΎΡΓΟΣ?",
    "ask_other": "Ψάχνω τον Πέτρος.",
    "ask_asleep": "Ψάχνω την Ελένη.",
    "ask_lamp": "Πού είναι η λάμπα?",
    "ask_key": "Έχεις το κλειδί?",
    "say_key": "Το κλειδί μου πάντα κολλάει.",
    "ask_ring": "Πού είναι το δαχτυλίδι?",
    "ask_door": "Τι συμβαίνει με την κόκκινη πόρτα?",
    "ask_secret": "Ο θησαυρός, πού βρίσκεται?",
    "ask_own": "Το ψωμί μυρίζει.",
    "told": "Η αδελφή μου Φιλίππα εκτρέφει μέλισσες.",
    "told_question": "Ξέρεις την αδελφή μου Φιλίππα?",
    "ask_told": "Τι εκτρέφει η αδελφή μου?",
    "say_told": "Τι εκτρέφει η αδελφή μου",
    "ask_untold": "Πότε φεύγει το ταχυδρομικό?",
    "say_tired": "Αχ, πονάνε πολύ τα πόδια μου.",
    "nonsense": "Κβαντική χρωμοδυναμική ενθουσιάζει τελευταία ξαδέλφια.",
}

_LATIN = "abcdefghijklmnopqrstuvwxyzäöü"
_CYRILLIC = "зыклмнпоргсутфхцчшщъбьэюядвжи"
_CIPHER = str.maketrans(_LATIN + _LATIN.upper(), _CYRILLIC + _CYRILLIC.upper())


def encipher(text: str) -> str:
    """Return a text with another letter for each letter."""
    return text.replace("ß", "ss").translate(_CIPHER)


ENCIPHERED: Mapping[str, str] = {key: encipher(text) for key, text in GERMAN.items()}


@dataclass
class Town:
    """A market with an agent and a speaker, a tower beyond a mill, and somebody in it."""

    texts: Mapping[str, str]
    lines: Lines = field(init=False)
    world: World = field(init=False)

    def __post_init__(self) -> None:
        say = self.texts
        self.lines = Lines(
            tuple(self._entry(key) for key in ("how", "work", "tired")),
            on_meeting=tuple(say["meeting"].split("|")),
            lost_for_words=tuple(say["lost"].split("|")),
        )
        self.world = World(self._rooms(), self._things(), self._characters(), wording=Wording(_SENTENCES))
        self.world.lore = Lore(
            (
                LoreEntry(say["door"], say["door_lore"], (say["door_key"],)),
                LoreEntry(say["secret"], say["secret_lore"], (), frozenset({say["other"]})),
                LoreEntry(say["own"], say["own_lore"]),
            )
        )
        self.chooser = AuthorsLines(say["agent"], lambda: self.lines, lambda: self.world)

    def answer(
        self,
        key: str,
        told: tuple[Told, ...] = (),
        said_lately: tuple[str, ...] = (),
        is_overheard: bool = False,
        seed: int = 1,
    ) -> Choice:
        """Return the agent's answer to the speech with this key."""
        speaker = self.world.characters[self.texts["speaker"]]
        words = self.texts[key]
        return self.chooser.answer(words, speaker, told, said_lately, is_overheard, random.Random(seed))

    def answers(self, key: str) -> list[str]:
        """Return the author's lines with this key."""
        return self.texts[key].split("|")

    def meet(self, said_lately: tuple[str, ...], seed: int = 1) -> Choice:
        return self.chooser.of(Heading.ON_MEETING, said_lately, random.Random(seed))

    def _entry(self, key: str) -> Entry:
        return Entry(tuple(re.split("; ", self.texts[key])), tuple(self.answers(f"{key}_answers")))

    def _rooms(self) -> list[Room]:
        say = self.texts
        north, east = say["north"], say["east"]
        return [
            Room(say["market"], exits={north: Exit(north, say["mill"])}),
            Room(say["mill"], exits={east: Exit(east, say["tower"])}),
            Room(say["tower"]),
        ]

    def _things(self) -> list[Thing]:
        say = self.texts
        return [
            Thing(say["lamp"], say["mill"]),
            Thing(say["key"], say["agent"], aliases=(say["key_alias"],)),
            Thing(say["chest"], say["market"], is_container=True),
            Thing(say["ring"], say["chest"]),
        ]

    def _characters(self) -> list[Character]:
        say = self.texts
        return [
            Character(say["agent"], say["market"], is_agent=True, awake=True),
            Character(say["speaker"], say["market"], awake=True),
            Character(say["other"], say["tower"], awake=True),
            Character(say["asleep"], say["tower"]),
        ]


TOWNS: Mapping[str, Mapping[str, str]] = {"German": GERMAN, "Greek": GREEK, "enciphered": ENCIPHERED}
