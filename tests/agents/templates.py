"""Templates for tests: transcripts as given, and the starter vault's for models that are talked with."""

from __future__ import annotations

from agents.prompts.builder import Templates, parse_talk_template
from agents.prompts.prompt import PromptTemplate
from vault.vault import STARTER, Vault

TEMPLATES = {
    f"templates/{name}.md": Vault(STARTER).read_text("templates", f"{name}.md")
    for name in Vault(STARTER).names("templates")
}
"""The template notes of the starter vault, by their paths."""


def templates_of(transcript: PromptTemplate) -> Templates:
    """Return templates with a transcript for all base models."""
    starter = Vault(STARTER)
    talk, action = (
        parse_talk_template(starter.read("templates", f"{name}.md").body, name)
        for name in ("talk_prompt", "action_prompt")
    )
    return Templates(transcript, talk, action)
