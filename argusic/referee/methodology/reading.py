"""How a configured value reads on the methodology page."""

from __future__ import annotations

#: A value as a file or the program states it.
Value = int | float | bool | str | None

#: The unit behind a figure, by the last step of its address, or by the one before it.
_UNITS = {
    "budgets_minutes": "minute",
    "timeout-minutes": "minute",
    "trending_days": "day",
    "runs_per_set": "run",
    "complete_attempts": "attempt",
    "MAX_REPORT_BYTES": "byte",
}
_SYMBOLS = {
    "heavy_above_mb": "MB",
    "memory_mb": "MB",
    "disk_mb": "MB",
    "secret_percent": "%",
    "unstable_above_percent": "%",
    "cap_usd": "USD",
}
#: Values that are names, printed as they are.
_NAMES = ("instructions", "instructions_sha256")


def reads(figure: str, value: Value, *, bare: bool = False) -> str:
    """Return a value as the page has to say it.

    Args:
        figure: The steps of its address, with slashes between.
        value: The value.
        bare: Whether the unit is left out.
    """
    steps = figure.split("/")
    if value is None:
        return "\u2013"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value if steps[-1] in _NAMES else value.replace("_", " ")
    number = f"{value:,}" if isinstance(value, int) or not value.is_integer() else f"{int(value):,}"
    if bare:
        return number
    for step in reversed(steps[-2:]):
        if step in _SYMBOLS:
            return f"{number} {_SYMBOLS[step]}"
        if step in _UNITS:
            return f"{number} {_UNITS[step]}{'' if value == 1 else 's'}"
    return number
