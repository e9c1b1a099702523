"""The option `--model`, which wins over config/models.md."""

from __future__ import annotations

import re
from dataclasses import replace

from config.settings import MODEL_CHOICES, MODEL_FORM
from vault.config_notes import Settings
from vault.errors import NoteError


def with_model(settings: Settings, model: str | None) -> Settings:
    """Return settings with the model that was asked for, if one was. Raises: NoteError."""
    if model is None:
        return settings
    if not re.fullmatch(MODEL_FORM, model):
        raise NoteError(f"--model is {model!r}; expected {MODEL_CHOICES}.")
    return replace(settings, models=replace(settings.models, model=model), is_model_chosen=True)
