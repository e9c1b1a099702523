"""A connection to Ollama, and what all the models are that it has."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

import httpx
import ollama

from agents.models.addresses import shown
from agents.models.bounded import connection
from agents.models.model import ModelError
from agents.models.ollama_errors import CHECK_ADDRESS, TROUBLE
from agents.models.ollama_show import OllamaFacts, facts_from

CHECK_SECONDS = 10.0
MAX_MODELS = 64
REMOTE = "cloud"
"""The end of the names of models that Ollama has elsewhere: nothing leaves this machine unless somebody says so."""


def client_of(host: str, model: str, transport: httpx.AsyncBaseTransport | None = None) -> ollama.AsyncClient:
    """Return a client of an Ollama host; `model` is for the error. Raises: ModelError if the host is no address."""
    try:
        return ollama.AsyncClient(host, **connection(host, transport))
    except (ValueError, httpx.InvalidURL) as error:
        message = f"{shown(host)!r} is not the address of an Ollama host for the model {model!r}: {error}."
        raise ModelError(message, remedy=CHECK_ADDRESS, retryable=False) from error


async def facts_of_all(host: str, transport: httpx.AsyncBaseTransport | None = None) -> Mapping[str, OllamaFacts]:
    """Return what Ollama tells of the models that it has on this machine; nothing if it cannot be asked in time."""
    client, found = client_of(host, "", transport), dict[str, OllamaFacts]()
    try:
        with suppress(*TROUBLE):
            async with asyncio.timeout(CHECK_SECONDS):
                names = [entry.model for entry in (await client.list()).models if entry.model]
                for name in [one for one in names if not one.endswith(REMOTE)][:MAX_MODELS]:
                    found[name] = facts_from(await client.show(name))
    finally:
        await cast("Any", client).close()  # the library forgot its type
    return found
