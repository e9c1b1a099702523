"""The page in a real browser: coming in, playing, by keyboard alone, on a narrow screen, and for everybody."""

from __future__ import annotations

import time

import pytest

from tests.integration.browser import Visitor
from tests.integration.running import ADMIN, new_vault, running, thinking

pytestmark = [pytest.mark.integration, pytest.mark.client]

CHANGES = {"config/server.md": {"web_port": -1}}
SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def test_a_first_visit_stands_in_the_world_by_one_click(visit):
    begun = time.monotonic()
    guest = visit()
    guest.page.wait_for_selector("#guest:visible")
    guest.shot("door")
    assert guest.violations() == []
    guest.comes_as_guest()
    assert time.monotonic() - begun < 10
    assert guest.page.inner_text("#place") == "The Landing"
    assert guest.page.inner_text("#who").startswith("Guest")
    guest.types("say Good morning, everybody.")
    guest.sees('You say, "Good morning, everybody."')
    guest.shot("play")
    assert guest.violations() == []


def test_a_new_name_walks_by_clicking_takes_a_thing_and_comes_back_after_a_reload(visit):
    robin = visit()
    robin.comes_as("Robin")
    robin.page.click("#exits button:has-text('north')")
    robin.sees("You go north to Pump Yard.")
    robin.page.click("#things summary:has-text('umbrella')")
    robin.page.click("#things button:has-text('take')")
    robin.page.wait_for_selector("#carried summary:has-text('umbrella')")
    robin.shot("carrying")
    robin.page.click("#carried summary:has-text('umbrella')")
    robin.page.click("#carried button:has-text('drop')")
    robin.page.wait_for_selector("#things summary:has-text('umbrella')")
    before = robin.log()
    robin.page.reload()
    robin.sees("You put down the town umbrella.")
    assert robin.log() == before
    robin.types("quit")
    robin.page.click("#again")
    robin.sees("Exits:", times=before.count("Exits:") + 1)
    robin.page.click("#leave")
    robin.page.wait_for_selector("#guest:visible")
    assert robin.page.is_visible("#password") and robin.page.is_hidden("#chosen")  # as at first
    robin.page.reload()
    robin.page.wait_for_selector("#guest:visible")


def test_people_at_the_page_and_at_telnet_hear_each_other_and_take_over_from_each_other(visit, server):
    tess = visit()
    tess.comes_as("Tess")
    ann = server.player("Annie")
    ann.asks("say Hello from a terminal.")
    tess.sees('Annie says, "Hello from a terminal."')
    tess.types("say Hello from a page.")
    ann.expects('Tess says, "Hello from a page."')
    tess.page.wait_for_selector("#people summary:has-text('Annie')")
    telnet = server.player("Tess")
    tess.page.wait_for_selector("#again:visible")
    tess.page.click("#again")
    tess.page.wait_for_selector("#typing:visible")
    telnet.is_shown_out()
    tess.types("say I am back.")
    ann.expects('Tess says, "I am back."')


def test_of_two_tabs_the_newer_plays_and_both_have_read_the_same(visit):
    guest = visit()
    guest.comes_as_guest()
    first = guest.page
    guest.types("say in the first")
    guest.sees('You say, "in the first"')
    guest.opens()
    guest.sees('You say, "in the first"')
    first.wait_for_selector("#again:visible")
    assert first.inner_text("#over-told") == "You play on in another window."
    guest.types("say in the second")
    guest.sees('You say, "in the second"')
    first.click("#again")
    first.wait_for_selector("#typing:visible")
    second, guest.page = guest.page, first
    guest.sees('You say, "in the second"')
    second.wait_for_selector("#again:visible")


def test_who_is_taken_over_comes_back_by_enter_alone(visit, server):
    kit = visit()
    kit.comes_as("Kit")
    server.player("Kit").asks("look")
    kit.page.wait_for_selector("#again:focus")
    kit.page.keyboard.press("Enter")
    kit.page.wait_for_selector("#line:focus")
    kit.page.keyboard.type("say back")
    kit.page.keyboard.press("Enter")
    kit.sees('You say, "back"')


def test_a_line_that_was_not_taken_is_told_and_not_done_when_its_player_comes_in_again(visit):
    lou = visit()
    lou.comes_as("Lou")
    lou.page.evaluate("""() => {
        const line = document.getElementById("line"), form = document.getElementById("typing");
        for (const text of ["quit", "say too late"]) { line.value = text; form.requestSubmit(); }
    }""")
    lou.page.click("#again")
    lou.sees("Exits:", times=2)
    lou.sees("Not done: say too late")
    lou.types("say in time")
    lou.sees('You say, "in time"')
    assert 'You say, "too late"' not in lou.log()


def test_a_ticket_that_a_restart_has_forgotten_is_replaced(visit):
    guest = visit()

    def forget(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "ticket": "forgotten"})

    guest.page.route("**/enter", forget)
    guest.comes_as_guest()
    guest.types("say in all the same")
    guest.sees('You say, "in all the same"')


def test_each_setting_stands_beside_its_label(visit):
    guest = visit()
    guest.comes_as_guest()
    guest.page.click("#settings-button")
    for size in ("90", "175"):
        guest.page.select_option("#set-size", size)
        tops = guest.page.evaluate("""() => [...document.querySelectorAll("#settings .grid select")].map((one) => {
            const middle = (of) => { const { top, height } = of.getBoundingClientRect(); return top + height / 2; };
            return Math.abs(middle(one) - middle(one.labels[0]));
        })""")
        assert max(tops) < 12


def test_who_types_what_they_would_say_is_shown_how(visit):
    guest = visit()
    guest.comes_as_guest()
    guest.page.wait_for_selector("#exits button")
    guest.page.type("#line", "Hello everybody")
    assert guest.page.inner_text("#hint") == "say Hello everybody says it to everybody here."
    guest.page.press("#line", "Tab")
    guest.page.press("#line", "Enter")
    guest.sees('You say, "Hello everybody"')
    for line in ("north", "look", "'hello"):
        guest.page.fill("#line", line)
        assert "says it to everybody" not in guest.page.inner_text("#hint")


def test_only_columns_and_drawings_are_of_letters_of_one_width(visit):
    guest = visit(width=390, height=844)
    guest.comes_as_guest()
    first = guest.page.locator("#log > div").first
    assert "say hello" in first.locator(".columns").nth(1).inner_text()
    assert first.locator("div:not(.columns)").first.inner_text().startswith("You have just stepped ashore.")
    guest.types("map")
    guest.sees("[@]")
    drawn = guest.page.locator("#log > div:last-child .columns").all_text_contents()
    assert any("[@]" in line for line in drawn) and any(set(line) <= set(" |\n") for line in drawn)


def test_log_ways_out_and_line_stand_below_each_other_and_no_name_on_the_map_is_cut(visit):
    guest = visit(width=1280, height=800)
    guest.comes_as_guest()
    guest.page.wait_for_selector("#map svg text")
    lefts = guest.page.evaluate("""() => {
        const range = document.createRange(), last = document.querySelector("#log > div:last-child");
        range.selectNodeContents(last);
        return [range, document.querySelector("#exits button"), document.getElementById("line")].map(
            (one) => Math.round(one.getBoundingClientRect().left));
    }""")
    assert max(lefts) - min(lefts) <= 1
    cut = guest.page.evaluate("""() => {
        const all = document.querySelector("#map svg").getBoundingClientRect();
        return [...document.querySelectorAll("#map text")].filter((one) => {
            const { left, right, bottom } = one.getBoundingClientRect();
            return left < all.left - 1 || right > all.right + 1 || bottom > all.bottom + 1;
        }).map((one) => one.textContent);
    }""")
    assert cut == []


def test_five_thousand_lines_are_shown_to_the_last(visit):
    guest = visit()
    guest.comes_as_guest()
    shown = guest.page.evaluate("""async () => {
        const { Log } = await import("./log.js"), element = document.getElementById("log");
        const log = new Log(element, document.createElement("button"));
        for (let n = 0; n < 5000; n += 1) {
            log.line({ n, kind: "speech", text: `Somebody says, "line ${n}"` }, "");
            if (n % 200 === 199) await new Promise((done) => setTimeout(done)); // as many as a message has
        }
        return element.lastElementChild.textContent;
    }""")
    assert shown == 'Somebody says, "line 4999"'


def test_everything_can_be_done_by_keyboard(visit):
    guest = visit()
    keys = guest.page.keyboard

    def tab_to(selector, most=25):
        for _ in range(most):
            if guest.page.evaluate(f"document.activeElement.matches({selector!r})"):
                return
            keys.press("Tab")
        raise AssertionError(f"{selector} cannot be reached: {guest.page.evaluate('document.activeElement.outerHTML')}")

    guest.page.wait_for_selector("#guest:visible")
    tab_to("#guest")
    keys.press("Enter")
    guest.sees("Exits:")
    guest.page.wait_for_selector("#line:focus")
    keys.type("sa")
    guest.page.wait_for_selector("#hint b")  # what Tab would complete
    keys.press("Tab")
    keys.type("by keyboard")
    keys.press("Enter")
    guest.sees('You say, "by keyboard"')
    keys.press("ArrowUp")
    assert guest.page.input_value("#line") == "say by keyboard"
    keys.press("ArrowDown")
    assert guest.page.input_value("#line") == ""
    keys.press("Shift+Tab")
    assert guest.page.evaluate("document.activeElement.closest('#exits') !== null")
    keys.press("Enter")
    guest.sees("You go ")
    tab_to("#help-button", 40)
    keys.press("Enter")
    guest.page.wait_for_selector("#help-list li")
    guest.shot("help")
    assert guest.violations() == []
    keys.press("Escape")
    assert guest.page.evaluate("document.activeElement.id") == "help-button"
    keys.press("Escape")
    assert guest.page.evaluate("document.activeElement.id") == "line"


def test_320_pixels_are_enough_and_dark_and_large_letters_too(visit):
    guest = visit(width=320, height=640, color_scheme="dark", reduced_motion="reduce", has_touch=True)
    assert guest.page.evaluate("document.documentElement.scrollWidth") <= 320
    guest.shot("door-320")
    guest.comes_as_guest()
    guest.types("help give")
    guest.types("map")
    guest.sees("[@]")
    assert guest.page.evaluate("document.documentElement.scrollWidth") <= 320
    guest.shot("play-320-dark")
    assert guest.violations() == []
    guest.page.click("#around-button")
    guest.page.wait_for_selector("#map svg")
    guest.shot("around-320-dark")
    assert guest.violations() == []
    guest.page.click("#settings-button")
    guest.page.select_option("#set-size", "175")
    guest.page.check("#set-contrast")
    guest.shot("settings-320-dark")
    assert guest.violations() == []
    assert guest.page.evaluate("document.documentElement.scrollWidth") <= 320


MOVING = """() => {
    const lasts = (seconds) => seconds.split(",").some((one) => parseFloat(one) > 0);
    return [...document.querySelectorAll("*")].flatMap((one) => [null, "::before", "::after"].filter((part) => {
        const style = getComputedStyle(one, part);
        return (style.animationName !== "none" && lasts(style.animationDuration))
            || lasts(style.transitionDuration) || style.scrollBehavior === "smooth";
    }).map((part) => one.tagName + "." + one.className + (part ?? "")));
}"""


def test_nothing_moves_for_who_wants_less_motion(visit):
    mover = visit()
    mover.comes_as_guest()
    mover.types("say hello")
    mover.sees('You say, "hello"')
    assert any("fresh" in moving for moving in mover.page.evaluate(MOVING))
    mover.page.click("#settings-button")
    mover.page.check("#set-still")
    assert mover.page.evaluate(MOVING) == []
    warden = visit(reduced_motion="reduce")
    warden.comes_as(ADMIN)
    warden.types("say hello")
    warden.sees('You say, "hello"')
    assert warden.page.evaluate(MOVING) == []
    warden.page.click("#observe")
    warden.page.wait_for_selector("#seen section")
    assert warden.page.evaluate(MOVING) == []


def test_own_lines_are_not_read_out_and_who_reads_above_is_not_torn_away(visit, server):
    mina = visit()
    mina.comes_as("Mina")
    for number in range(12):
        mina.types(f"look bell {number}")
    mina.types("help")
    mina.sees("commands names them all")  # the last line of help: nothing more comes, and there is something to scroll
    own = mina.page.locator("#log .typed")
    assert own.evaluate_all("all => all.every(one => one.getAttribute('aria-hidden') === 'true')")
    mina.page.evaluate("document.getElementById('log').scrollTop = 0")
    other = server.player("Otto")
    for number in range(3):
        other.asks(f"say {number} and on")
    mina.page.wait_for_selector("#newer:visible")
    mina.sees("2 and on")
    assert mina.page.evaluate("document.getElementById('log').scrollTop") == 0
    assert mina.page.inner_text("#newer") in ("3 new", "4 new")  # Otto has also woken up
    mina.shot("newer")
    mina.page.click("#newer")
    mina.page.wait_for_selector("#newer", state="hidden")
    assert mina.page.locator("#log").get_attribute("aria-live") == "polite"


def test_over_tls_the_page_has_the_certificate_of_telnet_and_a_cookie_for_tls_alone(browser, tmp_path):
    vault = new_vault(tmp_path / "w", {"config/server.md": {"web_port": -1, "web_tls": "true"}})
    with running(vault) as server:
        guest = Visitor(browser, server.web_port, scheme="https", ignore_https_errors=True)
        guest.comes_as_guest()
        guest.types("say unread on the way")
        guest.sees('You say, "unread on the way"')
        [cookie] = guest.context.cookies()
        assert (cookie["name"].rpartition("-")[0], cookie["secure"]) == ("__Host-fallwater", True)
        assert guest.faults == []
        guest.context.close()


def test_an_agent_that_is_spoken_to_answers_on_the_page(browser, tmp_path):
    with thinking(tmp_path / "w", {**CHANGES, "config/agents.md": {"think_seconds": 2}}) as (server, _):
        robin = Visitor(browser, server.web_port)
        robin.comes_as("Robin")
        robin.page.wait_for_selector("#people summary:has-text('Eliza')")
        robin.types("say Good morning, Eliza! My name is Robin.")
        robin.page.wait_for_selector("#log .speech:has-text('Eliza says,')")
        robin.shot("agent")
        robin.context.close()
        assert server.failure == ""


def test_script_in_speech_in_poses_and_in_notes_stays_text(visit, server):
    guest = visit()
    guest.comes_as_guest()
    mallory = server.player("Mallory")
    for line in (f"say {SCRIPT}", f"emote {SCRIPT}", f"@set-description {SCRIPT}"):
        mallory.asks(line)
    guest.sees(SCRIPT, times=2)
    guest.types("look Mallory")
    guest.sees(SCRIPT, times=3)
    assert guest.page.evaluate("document.querySelectorAll('#log img, #log script').length") == 0


def test_a_screen_reader_s_player_gets_sentences_and_a_password_is_never_shown(visit):
    lena = visit()
    lena.comes_as("Lena")
    lena.page.click("#settings-button")
    lena.page.check("#set-reader")
    lena.page.keyboard.press("Escape")
    lena.types("map")
    lena.sees("You are in The Landing.")
    lena.types("@password")
    lena.page.wait_for_selector("#secret:visible")
    assert lena.violations() == []
    lena.page.fill("#secret", "a long secret")
    lena.page.press("#secret", "Enter")
    lena.page.wait_for_selector("#line-label:has-text('new')")
    lena.page.fill("#secret", "another long secret")
    lena.page.press("#secret", "Enter")
    lena.page.wait_for_selector("#line:visible")
    assert "long secret" not in lena.page.content()


def test_history_has_no_secret_and_leave_clears_it(visit):
    nora = visit()
    nora.comes_as("Nora")
    for line in ("say hello", "@password hunter2", "connect Nora hunter2", "look"):
        nora.types(line)
    nora.sees("Exits:", times=2)
    assert nora.page.evaluate("localStorage['fallwater.history']") == '["say hello","look"]'
    assert "hunter2" not in nora.log()
    nora.page.click("#leave")
    nora.page.wait_for_selector("#door:visible")
    assert nora.page.evaluate("Object.keys(localStorage)") == []


FORBIDDEN = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } });"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
SPOILT = "for (const key of ['history', 'settings']) localStorage[`fallwater.${key}`] = TEXT;"


@pytest.mark.parametrize(
    "script",
    [FORBIDDEN, FULL, *(SPOILT.replace("TEXT", text) for text in ("'{'", "'null'", "7", """'{"size":"a b"}'"""))],
)
def test_the_page_opens_whatever_is_stored(visit, script):
    guest = visit()
    guest.context.add_init_script(script)
    guest.opens()
    guest.comes_as_guest()
    guest.types("say still here")
    guest.sees('You say, "still here"')
    guest.page.click("#settings-button")
    guest.page.check("#set-contrast")


def test_an_admin_builds_by_the_page_and_a_player_walks_there_and_sees_it(visit):
    warden, pip = visit(), visit()
    warden.comes_as(ADMIN)
    pip.comes_as("Pip")
    for line in (
        *("@dig up to The Net Loft", "up", "@describe here -> Nets hang from the beams."),
        *("@exit out to The Landing", "@create brass telescope"),
        *("@describe brass telescope -> It points at the weir.", "drop brass telescope"),
    ):
        warden.types(line)
    warden.page.wait_for_selector("#things summary:has-text('brass telescope')")
    pip.page.click("#exits button:has-text('up')")  # which has come by itself
    pip.sees("Nets hang from the beams.")
    pip.page.wait_for_selector("#people summary:has-text('Warden')")
    pip.page.click("#things summary:has-text('brass telescope')")
    pip.page.click("#things button:has-text('look')")
    pip.sees("It points at the weir.")
    warden.sees("Pip arrives from The Landing")
    pip.page.click("#exits button:has-text('out')")
    pip.page.wait_for_selector("#place:text-is('The Landing')")
    warden.shot("built")
