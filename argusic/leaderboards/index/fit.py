"""The former place of `fitting`: a package cannot export a function `fit` beside a module of that name."""

from __future__ import annotations

from argusic.leaderboards.index.fitting import ORIGIN, UNIT, Fit, Item, fit, shown

__all__ = ["ORIGIN", "UNIT", "Fit", "Item", "fit", "shown"]
