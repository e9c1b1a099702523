"""The alert to admins that memories neither fit into a prompt nor can be summarised."""

from __future__ import annotations

from agents.prompts.prompt import Prompt


class OverflowAlert:
    """Tells admins, once until it is mended, that memories neither fit into the prompt nor can be summarised."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._overflowing = False

    def message(self, prompt: Prompt, failures_in_a_row: int, last_error: str) -> str:
        """Return the message for admins after a turn with this prompt, or an empty string.

        `failures_in_a_row` counts failed summaries, and `last_error` is the newest of these errors.
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
