"""The exported day in a real browser, opened from disk: read, replayed, with and without scripts, light and dark."""

from __future__ import annotations

import http.client
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents.simulation.simulation import Span
from server.runs.command import HOST
from server.simulation import RunSpec
from tests.integration.browser import SHOTS, Visitor, violations
from tests.integration.running import ADMIN, new_vault, running
from tests.scripted_model import ScriptedModel
from tests.server.chronicle.lived_day import DAY, REASON, SCRIPT, SECRET, lived_vault
from tests.server.test_simulation import files_in, run
from vault.vault import STARTER

pytestmark = [pytest.mark.integration, pytest.mark.client]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chronicle")
    vault, pages = lived_vault(folder / "w"), {}
    for name, options in (("public", []), ("private", ["--private"])):
        pages[name] = folder / f"{name}.html"
        command = [sys.executable, "-m", "server", "chronicle", str(vault), "--day", DAY, "--out", str(pages[name])]
        subprocess.run([*command, *options], check=True, capture_output=True)
    return pages


@pytest.fixture
def opened(browser, exported):
    contexts, faults = [], []

    def note(url: str) -> None:
        if not url.startswith(("file:", f"http://{HOST}:")):
            faults.append(url)

    def opens(name: str, width: int = 1100, **options):
        address = exported[name].as_uri() if name in exported else name
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.on("request", lambda asked: note(asked.url))
        page.goto(address)
        return page

    yield opens
    for context in contexts:
        context.close()
    assert faults == []


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1100), ("dark", 1100), ("light", 320), ("dark", 320)], ids=lambda one: str(one)
)
def test_a_day_is_read_by_everybody_light_and_dark_wide_and_narrow(opened, browser, exported, scheme, width):
    page = opened("private", width, color_scheme=scheme, bypass_csp=True)  # axe is a script that the policy forbids
    assert "Robin passes on to Moss" in page.inner_text("#moments")
    assert SCRIPT in page.inner_text("#events")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / f"chronicle-{scheme}-{width}.png"), full_page=True)
    assert violations(page) == []


def test_private_words_are_in_the_file_only_if_asked_for(opened, exported):
    for private in (SECRET, REASON):
        assert private not in exported["public"].read_text()
        assert private in exported["private"].read_text()
    assert "Eliza whispers something to Robin." in opened("public").inner_text("#events")


def test_the_replay_plays_by_itself_and_moves_people_on_the_map(opened):
    page = opened("public")
    page.select_option("#speed", "100")
    page.click("#play")
    page.locator("#play", has_text="Pause").wait_for()
    page.locator("#play", has_text="Play").wait_for(timeout=90_000)
    feed = page.inner_text("#feed")
    assert feed.index("Robin wakes up here.") < feed.index("As I promised, here is the ledger.")
    assert "Robin" in page.text_content("#map [data-room='Pump Yard'] .people")
    assert page.text_content("#map [data-room='The Landing'] .people") == "Eliza, Moss"


def test_a_moment_is_watched_from_its_beginning_and_a_quote_leads_to_its_line(opened):
    page = opened("public")
    quarrel = page.locator("#moments li", has_text="quarrel")
    quarrel.get_by_role("button", name="Watch").click()
    assert page.inner_text("#clock") == "12:05:59"
    assert "Coward" not in page.inner_text("#feed")
    quarrel.get_by_role("link", name="Coward").click()
    assert "Coward" in page.inner_text("li:target")


def test_without_scripts_the_page_is_a_list_to_read(opened):
    page = opened("public", java_script_enabled=False)
    assert page.locator("#replay").is_hidden()
    assert page.locator("#moments button").first.is_hidden()
    assert "As I promised, here is the ledger." in page.inner_text("#events")


def answering(words: str) -> ScriptedModel:
    lines = iter([f"say {words}", "say I will bring you the ledger."] * 50)
    return ScriptedModel(lambda request: next(lines))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    lines = iter(["say tea first", "say I will bring you the ledger."] * 50)
    spec = RunSpec(STARTER, tmp_path_factory.mktemp("runs") / "calm", Span(turns=24), seed=5)
    with ThreadPoolExecutor(1) as elsewhere:  # Playwright has an event loop in this thread
        elsewhere.submit(run, spec, ScriptedModel(lambda request: next(lines))).result()
    return spec.out


@pytest.fixture(scope="module")
def run_address(folder):
    before = files_in(folder)
    command = [sys.executable, "-m", "server", "observe", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout
        yield serving.stdout.readline().split(" ")[1]
        serving.terminate()  # SIGINT is ignored by what a shell runs in the background
        assert serving.wait(60) == 0
    assert files_in(folder) == before


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 320)])
def test_run_is_read_from_its_days_to_a_mind(opened, run_address, scheme, width):
    page = opened(run_address, width, color_scheme=scheme, bypass_csp=True)
    page.wait_for_selector("#seen section")
    assert page.inner_text("#observatory h1") == "calm"
    page.screenshot(path=str(SHOTS / f"observe-start-{scheme}-{width}.png"), full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for view in "town mind/Eliza mind/Eliza@2026-01-01T08:01 why/Eliza memory/Eliza bonds chronicle".split():
        page.goto(f"{run_address}#/{view}")
        page.wait_for_selector("#seen section")
        assert violations(page) == []


def test_what_is_read_by_head_alone_ends_without_a_word(folder, tmp_path):
    vault = shutil.copytree(folder / "world", tmp_path / "w")
    for arguments in (["observe", str(folder), "--view", "chronicle"], ["chronicle", str(vault), "--text"]):
        line = shlex.join([sys.executable, "-m", "server", *arguments])
        done = subprocess.run(f"{line} | head -1", shell=True, capture_output=True, text=True, check=True)
        assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


def test_another_name_and_another_method_are_refused(run_address):
    address = run_address.removeprefix("http://").strip("/")
    for method, host, status in (("GET", "evil.example", 403), ("DELETE", address, 405)):
        connection = http.client.HTTPConnection(address)
        connection.request(method, "/", headers={"Host": host})
        assert connection.getresponse().status == status
        connection.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("observed")
    vault = new_vault(folder / "w", {"config/server.md": {"web_port": -1}})
    shutil.copytree(lived_vault(folder / "lived") / "chronicle", vault / "chronicle")
    with running(vault) as server:
        yield server
        assert server.failure == ""


def goes_to(visitor: Visitor, address: str, wanted: str = "section[data-part=events] li") -> None:
    visitor.page.evaluate(f"location.hash = '#/{address}'")
    visitor.page.wait_for_selector(wanted)


def test_an_admin_goes_from_a_day_to_a_moment_its_line_and_its_replay(visit):
    warden = visit(ADMIN)
    goes_to(warden, f"chronicle/{DAY}")
    assert SECRET in warden.page.inner_text("section[data-part=moments]")
    assert warden.violations() == []
    warden.shot("observatory-chronicle")
    warden.page.get_by_role("link", name="Coward").click()
    warden.page.wait_for_selector("li.wanted")
    assert "Coward" in warden.page.inner_text("li.wanted")
    assert warden.page.evaluate("location.hash").startswith(f"#/chronicle/{DAY}T12?line=")
    goes_to(warden, f"chronicle/{DAY}T20", "section[data-part=replay] button")
    warden.page.select_option("#replay-speed", "100")
    warden.page.get_by_role("button", name="Play").click()
    warden.page.locator("section[data-part=replay] button.main", has_text="Pause").wait_for()
    warden.page.locator("section[data-part=replay] button.main", has_text="Play").wait_for(timeout=90_000)
    assert "As I promised" in warden.page.inner_text(".replayed")
    drawn = warden.page.locator("section[data-part=replay] g", has_text="Pump Yard")
    assert "Robin" in (drawn.text_content() or "")
    warden.page.get_by_role("button", name="As text").click()
    warden.page.wait_for_selector("#seen pre")
    assert "Eliza thinks: Moss is a good soul." in warden.page.inner_text("#seen pre")


def test_player_sees_nothing_from_before_they_came(visit):
    robin = visit("Passerby", width=320, color_scheme="dark")
    goes_to(robin, "chronicle")
    text = robin.page.inner_text("#seen")
    assert "Passerby" in text
    for before in ("Eliza whispers something to Robin.", SECRET, REASON, "a good soul", "agents/"):
        assert before not in text
    assert robin.violations() == []
    assert robin.page.evaluate("document.documentElement.scrollWidth") <= 320
    robin.shot("observatory-chronicle-narrow")
    robin.page.evaluate("location.hash = ''")
    robin.types("@chronicle")
    robin.sees("What Passerby could perceive.")
