"""Telling admins when an agent forgets: its memories do not fit into the prompt, and cannot be summarised."""

from __future__ import annotations

from agents.prompts.prompt import Prompt


class CallForHelp:
    """Says so once, for the agent called `name`, until memories fit again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._overflowing = False

    def of(self, prompt: Prompt, failures_in_a_row: int, last_error: str) -> str:
        """Return what admins should know after a turn with this prompt, or an empty string.

        `failures_in_a_row` are those of summaries, `last_error` the last of them.
        """
        overflowing = bool(failures_in_a_row) and bool(prompt.unshown)
        is_new, self._overflowing = overflowing and not self._overflowing, overflowing
        if not is_new:
            return ""
        return (
            f"Not all of {self._name}'s memories fit into its prompt any more, and they cannot be summarised: "
            f"{last_error} None is lost, but the oldest are not told. See @llm-status, then type "
            f"@compact-memories {self._name}; or turn to `strategy: window` in its agent.md."
        )
