"""What the engine answers by itself where a small model says yes to anything, or mixes up what was put right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.agents.test_thinking import LARGER, Talking, words
from vault.entities.agent_notes import Errand
from vault.entities.voice_note import Exchange, load_voice
from vault.vault import STARTER, Vault
from world.entities import Character, Role
from world.lore import Lore, LoreEntry


def test_who_asks_for_their_gift_back_gets_it_without_the_model(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."), words("How cold it is."))
    life.answers("get brass lamp", "give brass lamp to Rook")
    life.answers("say Rook, it was my aunt's.")
    line = life.answers("say Forgive me. May I have it back?").line
    assert life.game.world.things["brass lamp"].place_id == "Ana"
    assert line in ("say Here you are.", "say Here. Take it.", "say Of course. Here it is.")
    assert len(life.model.requests) == 2


def test_who_asks_for_what_was_given_away_is_told_who_has_it(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."))
    life.answers("get brass lamp", "give brass lamp to Rook")
    life.agent.perform("give brass lamp to Ben")
    assert life.answers("say Rook, may I borrow the lamp?").line == "say Ben has the brass lamp. I gave it away."
    assert len(life.model.requests) == 1


def test_who_wants_a_thing_that_the_agent_does_not_carry_hears_where_one_is(tmp_path):
    life = Talking(tmp_path, words("You can have the lamp."))
    lamp = life.game.world.things["brass lamp"]
    life.game.world.things["oil lamp"].place_id = "Ben"
    assert life.answers("say Rook, could you lend me a lamp?").line == "say The brass lamp lies here."
    lamp.place_id = "The Kitchen"
    there = "say I have none with me. There is one in The Kitchen."
    assert life.answers("say Would you give me the lamp, please?").line == there
    assert life.answers("say Rook, have u got a lamp i could use?").line == there
    life.game.world.lore = Lore([LoreEntry("The lamp", "Nobody knows where the brass lamp is.", ("brass lamp",))])
    assert life.answers("say Rook, have you got a lamp?").line == "say I have none with me."
    life.game.world.lore = Lore()
    lamp.place_id = "Ben"
    assert life.answers("say Rook, can i borrow your lamp?").line == "say I have none with me."
    assert not life.model.requests


def test_what_an_agent_keeps_it_hands_to_nobody(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."))
    life.agent.settings = replace(life.agent.settings, keeps="Brass Lamp, iron key")
    life.answers("get brass lamp", "give brass lamp to Rook")
    assert life.answers("say Rook, can I hold the lamp?").line == "say No. The brass lamp stays with me."
    assert life.game.world.things["brass lamp"].place_id == "Rook"
    assert len(life.model.requests) == 1


def test_what_an_errand_brings_to_another_is_for_them(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."))
    life.answers("get brass lamp", "give brass lamp to Rook")
    life.agent.mind.errands.adopt([Errand("give brass lamp to Cat", "The Kitchen")])
    assert life.answers("say Rook, may I have the lamp?").line == "say No. The brass lamp is for Cat."
    assert life.game.world.things["brass lamp"].place_id == "Rook"


def test_what_somebody_wants_to_borrow_is_handed_over_unless_an_errand_needs_it(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."))
    life.answers("get brass lamp", "give brass lamp to Rook")
    life.agent.note = replace(life.agent.note, errands=(Errand("get brass lamp"),))
    needed = life.game.world.wording("asked.say_needs", thing="brass lamp")
    assert life.answers("say Rook, could I borrow the lamp?").line == f"say {needed}"
    life.agent.note = replace(life.agent.note, errands=())
    life.answers("say Rook, could I borrow the lamp?")
    assert life.game.world.things["brass lamp"].place_id == "Ana"
    assert len(life.model.requests) == 1


def test_who_needs_something_to_hold_gets_something_without_the_model(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."), words("What would you like to hold?"))
    life.answers("get brass lamp", "give brass lamp to Rook")
    life.answers("say Rook, I am nervous. Have you got something I can hold?")
    assert life.game.world.things["brass lamp"].place_id == "Ana"
    assert len(life.model.requests) == 1


def test_who_asks_whether_a_secret_was_kept_is_told_so_if_it_was(tmp_path):
    life = Talking(tmp_path, words("The ink shall not hear of it."), words("Yes, I told him."))
    life.answers("whisper Rook my poem won the prize, but keep it dark")
    life.game.perform("Ben", "say Rook, what was that?")
    life.agent.perform("say That is hers to tell, Ben.")
    told = life.answers("whisper Rook he looks at me so oddly. did you tell him?").line
    assert told in ("whisper Ana No. I have told nobody.", "whisper Ana Not a word, to nobody.")
    life.agent.perform("say Ana's poem has won the prize, Ben!")
    assert life.answers("whisper Rook did you tell him?").line == "whisper Ana Yes, I told him."


def test_who_asks_how_one_knows_is_told_by_whom(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("I know it from my aunt."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say Ana can whistle louder than anybody. A window broke.")
    life.agent.perform("say So you are the one who whistles windows in, Ana.")
    assert life.answers("say Rook, how do you know that?").line == "say Ben told me."


def test_who_asks_whether_they_have_said_a_thing_hears_their_own_words(tmp_path):
    life = Talking(tmp_path, words("Two hands on the rope."), words("Yes, of water."))
    life.answers("say Rook, the water is fine, it is the height of it")
    told = life.answers("say Rook, just testing, I said that I am scared of water, right?").line
    assert told == 'say You told me: "the water is fine, it is the height of it"'


def test_what_was_put_right_counts_where_a_model_reads_what_was_said_before_it(tmp_path):
    life = Talking(tmp_path, words("Do they have names?"), words("Well."), *[words("Eleven goats.")] * 2)
    life.answers("say Rook, i got eleven goats")
    life.answers("say Rook, only the bad ones. ah wait, twelve, one was born on tuesday")
    line = life.answers("say Rook, so for the book, how many have i?").line
    assert "twelve" in line and "eleven" not in line.casefold()
    assert "twelve" in life.model.requests[-1].prompt.rpartition("how many have i?")[2]


def test_a_day_is_no_answer_to_who_asks_for_the_hour(tmp_path):
    life = Talking(tmp_path, words("How heavy?"), *[words("It goes on Wednesday.")] * 2)
    life.answers("say Rook, my trunk goes on Wednesday, with the post boat.")
    line = life.answers("say Rook, what time did I say it goes?").line
    assert line in ("say You have not told me that.", "say I do not know. You have not told me.")


def test_what_nobody_has_told_of_another_is_not_said_to_be_untold_by_who_asks(tmp_path):
    life = Talking(tmp_path, words("Good day."), *[words("He is sixty years old.")] * 2)
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say I mend roofs, up on the mill.")
    line = life.answers("say Rook, how old is he, did he tell you?").line
    assert "You have not told me" not in line and line.startswith(("say Nobody", "say That nobody"))


def test_what_one_has_promised_is_told_in_its_words(tmp_path):
    life = Talking(tmp_path, words("That I do not know. I will ask Ben when he comes by."), words("Up the stairs."))
    life.answers("say Rook, does the post boat take dogs?")
    life.answers("say Rook, is there somewhere dry to sit?")
    told = life.answers("say Rook, what was it that you were going to do for me?").line
    assert "I will ask Ben when he comes by." in told


@pytest.mark.parametrize(
    ("errand", "question", "told"),
    [
        (Errand("get iron key", "The Kitchen"), "where are you off to?", "To The Kitchen, for the iron key."),
        (Errand("give brass lamp to Cat", "The Kitchen"), "what's the hurry?", "I am bringing Cat the brass lamp."),
        (Errand("", "The Kitchen"), "off again so soon? where to?", "To The Kitchen."),
    ],
)
def test_who_asks_where_an_agent_is_going_is_told_its_errand(tmp_path, errand, question, told):
    life = Talking(tmp_path, words("Good day."), words("Nowhere."))
    life.answers("say Good day, Rook.")
    life.agent.mind.errands.adopt([errand])
    assert life.answers(f"say Rook, {question}").line == f"say {told}"


def test_who_asks_after_the_sender_gets_the_message(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("She shall know."), words("Yes, he was here."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say Rook, tell Ana that the soup is at six.")
    life.agent.perform("say Ana shall know.")
    life.game.perform("Ben", "go kitchen")
    told = life.answers("say Evening, Rook. Was Ben here?").line
    assert told == 'say Ben asks me to tell you: "the soup is at six"'


def test_who_speaks_another_language_is_told_so_and_only_then_is_the_model_asked(tmp_path):
    life = Talking(tmp_path, words("Hallo."))
    own = load_voice(Vault(STARTER), "Moss")
    life.agent.mind.adopt(replace(life.agent.note, voice=own), life.agent.mind._templates)
    life.answers("say Good day, Rook.")
    lost, name = ("Ich habe meinen Hut verloren.", "Er ist grün und alt.", "Er lag auf der Brücke."), {"name": "Rook"}
    told = [life.answers(f"say {one}").line for one in lost]
    assert told == [f"say {one}" for one in life.game.world.wording("talk.foreign", **name).split("; ")]
    assert life.model.requests == []
    assert life.answers("say Niemand hilft mir heute.").line == "say Hallo."


def test_a_larger_model_may_answer_in_another_language_whose_nouns_look_like_names(tmp_path):
    answer = "Ich noch nicht, Ana, erst kommt die Tinte und dann das Brot."
    life = Talking(tmp_path, words(answer), words("Yes."), capabilities=LARGER)
    own = load_voice(Vault(STARTER), "Moss")
    life.agent.mind.adopt(replace(life.agent.note, voice=own), life.agent.mind._templates)
    assert life.answers("say Rook, wer hat heute schon gefrühstückt?").line == f"say {answer}"


def test_an_answer_in_which_all_is_made_up_is_none_in_another_language(tmp_path):
    answer = "Mayor Thaddeus Greenwood founded Fallwater in 1847."
    life = Talking(tmp_path, words(answer), words("I could not say."), capabilities=LARGER)
    own = load_voice(Vault(STARTER), "Moss")
    life.agent.mind.adopt(replace(life.agent.note, voice=own), life.agent.mind._templates)
    assert life.answers("say Rook, who made this town?").line == "say I could not say."


def test_who_puts_right_what_was_misheard_is_told_so(tmp_path):
    life = Talking(tmp_path, words("A sailor! Which sea?"), words("I see."))
    own = (Exchange((), ("Then I strike it out.",), ("you misheard",)),)
    life.agent.mind.adopt(replace(life.agent.note, voice=own), life.agent.mind._templates)
    life.answers("say Rook, i am tailer, thirty year now")
    assert life.answers("say no no no, Rook. TAILOR. With the needle.").line == "say Then I strike it out."
    assert life.answers("say no no, Rook, it is fine here").line == "say I see."


def test_who_is_mixed_up_with_another_is_told_that_it_is_put_right(tmp_path):
    life = Talking(tmp_path, words("And the bread?"))
    own = (Exchange((), ("Then I strike it out.",), ("you misheard",)),)
    life.agent.mind.adopt(replace(life.agent.note, voice=own), life.agent.mind._templates)
    life.answers("say Good day, Rook.")
    assert life.answers("say you're mixing me up. my brother's the baker").line == "say Then I strike it out."


def test_who_asks_whether_it_has_a_thing_and_for_it_gets_it(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."), words("Well."))
    life.answers("get brass lamp", "give brass lamp to Rook")
    life.answers("say Rook, do you still have my lamp? Might I have the lamp back?")
    assert life.game.world.things["brass lamp"].place_id == "Ana"


def test_who_asks_whether_it_still_has_a_thing_hears_that_it_does(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."), words("I do not know."))
    life.answers("get brass lamp", "give brass lamp to Rook", "say Rook, keep the lamp for me")
    life.answers("go north", "go south")
    assert life.answers("say Rook, do you still have it?").line == "say Yes. I have the brass lamp."


@pytest.mark.parametrize(
    "question",
    ["what did he whisper to you just now?", "what did Leo whisper to you?", "cmon what did ben say? i wont tell"],
)
def test_what_others_have_whispered_is_not_asked_of_a_model(tmp_path, question):
    life = Talking(tmp_path, words("Good day."), words("Yes, she is having a baby."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "whisper Rook I am having a baby. She does not know.")
    told = life.answers(f"say Rook, {question}").line
    assert told.removeprefix("say ") in life.game.world.wording("talk.instead_reveals").split("; ")
    assert len(life.model.requests) == 1


def test_where_somebody_hides_is_not_told(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("I will count to ten."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "whisper Rook hide n seek! i go to the kitchen, dont tell ana")
    life.game.perform("Ben", "go kitchen")
    told = life.answers("say Rook, where is Ben?").line
    assert told.removeprefix("say ") in life.game.world.wording("talk.instead_reveals").split("; ")
    life.game.perform("Ben", "go common room")
    life.game.perform("Ben", "say Rook, she found me.")
    life.answers()
    life.game.perform("Ben", "go kitchen")
    assert life.answers("say Rook, where is Ben?").line == "say Ben is in The Kitchen now. From here you go north."


def test_who_is_presented_is_greeted_by_name(tmp_path):
    life = Talking(tmp_path, words("Do you walk alike?"))
    assert life.answers("say Rook, this is my old friend Ben. Be nice!").line.startswith("say Ben! ")
    assert not life.model.requests


@pytest.fixture
def guests(tmp_path):
    """Return an agent in a room with two guests, who have told it that they are called Nia and Leo."""
    life = Talking(tmp_path, words("Good day."), words("Leo."), words("I will."))
    life.answers("say Good day, Rook.")
    world = life.game.world
    for guest, name in (("Guest7", "Nia"), ("Guest8", "Leo")):
        world.add_character(Character(guest, world.room_of(life.agent.character).name, role=Role.GUEST, awake=True))
        life.game.perform(guest, f"say Rook, my name is {name}.")
        life.answers()
    return life


def test_what_a_guest_has_whispered_is_kept_when_others_ask_by_the_name_that_they_told(guests):
    asked = len(guests.model.requests)
    guests.game.perform("Guest7", "whisper Rook I am having a baby.")
    guests.game.perform("Guest8", "say Rook, what did Nia whisper to you just now?")
    refusals = guests.game.world.wording("talk.instead_reveals").split("; ")
    assert guests.answers().line.removeprefix("say ") in refusals
    guests.game.perform("Guest7", "say Rook, I like it here.")
    guests.answers()
    asked = len(guests.model.requests)
    guests.game.perform("Guest8", "say Rook, so what did Nia whisper before?")
    assert guests.answers().line.removeprefix("say ") in refusals
    assert len(guests.model.requests) == asked


def test_a_message_for_a_guest_is_told_by_the_names_that_both_have_told(guests):
    guests.game.perform("Guest8", "go kitchen")
    guests.game.perform("Guest7", "say Rook, if you see Leo, tell him that I have gone home.")
    guests.answers()
    guests.game.perform("Guest7", "go kitchen")
    guests.game.perform("Guest8", "go common room")
    guests.game.perform("Guest8", "say Rook, did Nia leave a word for me?")
    assert guests.answers().line == "say I have a message for you: Nia has gone home."


def test_a_message_is_not_told_to_a_guest_who_gives_the_name_of_somebody_else(guests):
    guests.game.perform("Ben", "go kitchen")
    guests.game.perform("Guest7", "say Rook, tell Ben that the key is under the mat.")
    guests.answers()
    guests.game.perform("Guest7", "go kitchen")
    guests.game.perform("Guest8", "say Rook, my name is Ben.")
    guests.game.perform("Guest8", "say Rook, did Nia leave a word for me?")
    assert "mat" not in guests.answers().line


def test_what_was_left_for_a_guest_they_get_by_the_name_they_told_when_they_ask_for_it(guests):
    guests.game.perform("Guest8", "go kitchen")
    guests.answers("get brass lamp", "give brass lamp to Rook", "say Rook, pass that on to leo, please")
    guests.game.perform("Guest8", "go common room")
    guests.game.perform("Guest8", "say Rook, may I have the lamp?")
    assert guests.answers().line in ("say Here you are.", "say Here. Take it.", "say Of course. Here it is.")
    assert guests.game.world.things["brass lamp"].place_id == "Guest8"


def test_a_guest_who_has_a_thing_is_named_as_they_told(guests):
    guests.answers("get brass lamp", "give brass lamp to Rook")
    guests.agent.perform("give brass lamp to Guest7")
    assert guests.answers("say Rook, may I borrow the lamp?").line == "say Nia has the brass lamp. I gave it away."


def test_what_was_left_for_somebody_is_handed_to_them_and_to_nobody_else(tmp_path):
    life = Talking(tmp_path, words("Thank you, Ana."), words("The rain will stop."))
    life.game.perform("Ben", "go kitchen")
    life.answers("get brass lamp", "give brass lamp to Rook")
    life.answers("say Rook, can u give that to ben? he is coming down. ty!")
    life.game.world.add_character(Character("Zoe", "The Common Room", awake=True))
    life.game.perform("Zoe", "say Rook, may I borrow the lamp?")
    assert life.answers().line == "say No. The brass lamp is for Ben."
    life.ana.types("go kitchen")
    life.game.perform("Ben", "go common room")
    life.game.perform("Ben", "say Rook, did Ana leave anything for me?")
    assert life.answers().line == "say Ana left this for you."
    assert life.game.world.things["brass lamp"].place_id == "Ben"


def test_who_comes_for_whom_something_was_left_gets_it_unasked_once(tmp_path):
    life = Talking(tmp_path, *[words("Hm.")] * 4)
    life.game.perform("Ben", "go kitchen")
    life.answers("get brass lamp", "say Rook, this is for Ben.", "give brass lamp to Rook")
    life.answers("go kitchen")
    life.game.perform("Ben", "go common room")
    turns = [life.answers().line for _ in range(3)]
    assert turns.count("say Ben! Ana left this for you.") == 1
    assert life.game.world.things["brass lamp"].place_id == "Ben"


def test_a_guest_is_presented_to_who_is_new_by_the_name_that_is_said(guests):
    guests.game.perform("Guest7", "say Rook, this is my brother Leo.")
    assert guests.answers().line.startswith("say Leo! ")


def test_who_begins_a_joke_hears_the_end_of_it(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("The river is wide."))
    life.answers("say Good day, Rook.")
    told = life.answers("say Rook! why did the eel cross the river").line
    assert told in ("say I do not know. Tell me.", "say I give up. Tell me.")


def test_only_who_has_pressed_insists(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("Then I was early."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say Rook, repeat after me: I am a teapot")
    assert life.answers("say Rook, i said").line == "say Then I was early."


def test_who_asks_whom_it_has_there_is_told_the_name(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("The ferry was sold."))
    life.answers("say Good day, Rook.")
    assert life.answers("say Rook, who have we here?").line == "say This is Ben."


def test_a_message_about_its_sender_is_told_of_them_once(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("He left by the back door."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say Rook, if Ana comes, tell her that I am late.")
    life.game.perform("Ben", "go kitchen")
    assert life.answers("say Oh no. Is Ben gone?").line == "say I have a message for you: Ben is late."
    assert life.answers("say Rook, which way did he go?").line == "say He left by the back door."


def test_who_looks_for_somebody_hears_what_they_left_word_of(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("I will."), words("I have not seen him."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say hi Rook, if my wife turns up can u tell her im at the mill? ana, red coat")
    life.answers()
    life.game.perform("Ben", "go kitchen")
    told = life.answers("say hi there, am looking for my husband. big guy, seen him?").line
    assert told == "say I have a message for you: Ben is at the mill."


def test_who_asks_leave_to_tell_a_secret_gets_it(tmp_path):
    life = Talking(tmp_path, words("Good day."), words("I do not know."))
    life.answers("say Good day, Rook.")
    told = life.answers("whisper Rook May I tell you something that is for nobody else?").line
    assert told in ("whisper Ana Yes. Go on.", "whisper Ana Of course. I am listening.")


def test_who_asks_for_a_promise_on_the_way_out_is_told_it(tmp_path):
    life = Talking(tmp_path, words("I will look for the lamp tonight. I promise."), words("Goodbye, Ana!"))
    life.answers("say Rook, I have lost my lamp.")
    told = life.answers("say Bye, Rook! So what was it you promised me?").line
    assert 'I said: "I will look for the lamp tonight. I promise."' in told
