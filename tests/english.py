"""What a world says that nobody has changed: the sentences of the starter vault."""

from vault.message_notes import starter_sentences
from world.message_catalog import Wording

ENGLISH = Wording(starter_sentences())
