"""Looking at the settings in force, and changing those of the models."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from config.settings import SETTINGS_BY_NOTE, ModelSettings
from config.validation import SettingsError, setting_names, settings_from
from server.persistence.hot_reload import APPLIED_AT_ONCE
from vault.config_notes import Settings, given_settings, write_setting
from vault.errors import NoteError
from vault.vault import Vault
from world.command import command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output
from world.matching import suggestions
from world.world import World


class ConfigCommands:
    """The commands about settings; `settings` are those in force, `take_in` as for `AdminServices`."""

    def __init__(self, vault: Vault, settings: Callable[[], Settings], take_in: Callable[[], list[str]]) -> None:
        self._vault = vault
        self._settings = settings
        self._take_in = take_in

    @command("@show-config [<text>]", category="admin", role=Role.ADMIN, for_agents=False)
    def show_config(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show the settings in force, what they mean, and where each is set: @show-config models.

        Without a note: all of them. A name instead of a note shows one setting.
        """
        return self._show(world, actor, text)

    def _show(self, world: World, actor: Character, text: str) -> list[Event]:
        wanted = text.lower().removesuffix(".md").removeprefix("config/")
        names = [name for name in SETTINGS_BY_NOTE if wanted in ("", name)]
        try:
            lines = [line for name in names for line in _note_lines(world, self._vault, self._settings(), name)]
            if not names:
                lines = [
                    line
                    for name in SETTINGS_BY_NOTE
                    for line in _note_lines(world, self._vault, self._settings(), name, wanted)
                ]
        except (NoteError, SettingsError) as error:
            raise CommandError(str(error)) from error
        if not lines:
            notes = world.wording.join_and(list(SETTINGS_BY_NOTE))
            raise CommandError(world.wording("config.no_such", wanted=text, notes=notes))
        return [Output(actor.character_id, "\n".join(lines))]

    @command("@llm-config [<property>] [<text>]", category="models", role=Role.ADMIN, for_agents=False)
    def llm_config(self, world: World, actor: Character, property: str = "", text: str = "") -> list[Event]:
        """Change a setting of config/models.md, with everything else in it as it is: @llm-config timeout_seconds 60.

        Without a value, show it; without a name, show them all.
        """
        if not text:
            return self._show(world, actor, property or "models")
        known = setting_names(ModelSettings)
        if property not in known:
            close = world.wording.join_or(suggestions(property, known) or list(known))
            raise CommandError(world.wording("config.no_setting", wanted=property, names=close))
        try:
            write_setting(self._vault, "models", property, text)
        except NoteError as error:
            raise CommandError(str(error)) from error
        key = "config.set_now" if property in APPLIED_AT_ONCE else "config.set_later"
        sentence = world.wording(key, name=property, value=text)
        return [Output(actor.character_id, "\n".join([sentence, *self._take_in()]))]


def _note_lines(world: World, vault: Vault, settings: Settings, name: str, only: str = "") -> Iterator[str]:
    say = world.wording
    given = given_settings(vault, name)
    in_force = next(one for one in vars(settings).values() if isinstance(one, SETTINGS_BY_NOTE[name]))
    fresh = settings_from(type(in_force), given, f"config/{name}.md")
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(in_force)
    for field in (field for field in fields if only in ("", field.name)):
        value = getattr(in_force, field.name)
        place = say("config.by_default")
        if field.name in given:
            key = "config.in_note" if value == getattr(fresh, field.name) else "config.in_note_later"
            place = say(key, note=f"config/{name}.md:{given[field.name].line}")
        elif value != field.default:
            place = say("config.at_the_start")
        shown, default = _shown(world, value), _shown(world, field.default)
        about = field.metadata["about"]
        yield say("config.setting", name=field.name, value=shown, about=about, default=default, place=place)


def _shown(world: World, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or world.wording("config.empty")
