"""What answers say of abilities, and of the score on all questions, by sums over a grid of abilities.

An ability is one number, so nothing needs to be approximated by a bell: its posterior is computed on a grid, exactly
but for the grid's step. (Bock and Mislevy, Adaptive EAP estimation of ability, 1982.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from argusic.leaderboards.index.items.bank import Bank
from argusic.leaderboards.index.ranges import LEVEL, WIDTH
from argusic.leaderboards.index.responses import Floats, Places

#: The grid of abilities, in standard deviations of the prior: 6 to either side.
GRID = np.linspace(-6.0, 6.0, 301)
#: How many questions' curves are held at a time.
_AT_ONCE = 2048


@dataclass(frozen=True, eq=False)
class Abilities:
    """What is known of the abilities of some models. M models, G points of the grid.

    Attributes:
        grid: The abilities of the grid; shape (G,).
        weight: How likely each is, with sum 1 a model; shape (M, G).
    """

    grid: Floats
    weight: Floats

    @property
    def mean(self) -> Floats:
        """The mean of each; shape (M,)."""
        return np.asarray(self.weight @ self.grid)

    @property
    def sd(self) -> Floats:
        """The standard deviation of each, which is never finer than the grid; shape (M,)."""
        spread = self.weight @ self.grid**2 - self.mean**2
        finest = float(self.grid[1] - self.grid[0]) ** 2 / 12
        return np.asarray(np.sqrt(np.maximum(spread, finest)))

    def range(self) -> tuple[Floats, Floats]:
        """Return the low and the high end of the middle 90 % of each; each of shape (M,)."""
        rest = (1 - LEVEL) / 2
        step = float(self.grid[1] - self.grid[0])
        # Each point stands for the step around it, over which its weight is spread evenly.
        edges = np.append(self.grid - step / 2, self.grid[-1] + step / 2)
        below = np.concatenate([np.zeros((len(self.weight), 1)), np.cumsum(self.weight, axis=1)], axis=1)
        ends = [[np.interp(share * line[-1], line, edges) for line in below] for share in (rest, 1 - rest)]
        return np.array(ends[0]), np.array(ends[1])


@dataclass(frozen=True, eq=False)
class Scores:
    """The share of right answers to all questions, estimated. M models.

    Attributes:
        mean: What is expected; shape (M,).
        sd: Its standard deviation; shape (M,).
        least: What it is when all open questions are answered wrong; shape (M,).
        most: What it is when they are all answered right; shape (M,).
    """

    mean: Floats
    sd: Floats
    least: Floats
    most: Floats

    @property
    def low(self) -> Floats:
        """The low end of the range of 90 %; shape (M,)."""
        return np.clip(self.mean - WIDTH * self.sd, self.least, self.most)

    @property
    def high(self) -> Floats:
        """The high end; shape (M,)."""
        return np.clip(self.mean + WIDTH * self.sd, self.least, self.most)

    def widened(self, times: float) -> Scores:
        """Return the same with ranges that many times as wide."""
        return Scores(self.mean, self.sd * times, self.least, self.most)


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the asking of some models stands. M models, G points of the grid.

    Attributes:
        bank: The questions.
        log: The logarithm of how likely each ability is, up to a constant; shape (M, G).
        right: The sum of the answers to questions that count; shape (M,).
        open: How many questions that count have no answer yet; shape (M,).
        count: How many count; shape (M,).
        expected: What is expected of the open ones together, at each ability; shape (M, G).
        scatter: The variance of that; shape (M, G).
    """

    bank: Bank
    log: Floats
    right: Floats
    open: Floats
    count: Floats
    expected: Floats
    scatter: Floats

    @classmethod
    def before(cls, bank: Bank, counted: Floats) -> Standing:
        """Return where asking stands before anything was asked.

        Args:
            bank: The questions.
            counted: 1 for each question that counts for a model's score, else 0; shape (M, J).
        """
        models, points = len(counted), len(GRID)
        expected, scatter = np.zeros((models, points)), np.zeros((models, points))
        for part in _portions(np.arange(len(bank))):
            p = expit(bank.logits(GRID * bank.ability_sd, part))
            expected += counted[:, part] @ p
            scatter += counted[:, part] @ (p * (1 - p))
        log, count = np.tile(-0.5 * GRID**2, (models, 1)), np.sum(counted, axis=1)
        return cls(bank, log, np.zeros(models), count, count, expected, scatter)

    @classmethod
    def of(cls, bank: Bank, answers: Floats) -> Standing:
        """Return where asking stands after some answers, where all questions of the bank count.

        Args:
            bank: The questions.
            answers: The answers to all of them, NaN where there is none; shape (M, J).
        """
        asked = np.flatnonzero(np.any(~np.isnan(answers), axis=0))
        return cls.before(bank, np.ones(answers.shape)).given(asked, answers[:, asked])

    def given(self, places: Places, answers: Floats) -> Standing:
        """Return where asking stands after answers to open questions that count.

        Args:
            places: The questions, each once; shape (K,).
            answers: What came back, NaN where a model was not asked; shape (M, K).
        """
        there = (~np.isnan(answers)).astype(np.float64)
        right = np.where(there > 0, answers, 0.0)
        log, expected, scatter = self.log.copy(), self.expected.copy(), self.scatter.copy()
        for part in _portions(np.arange(len(places))):
            z = self.bank.logits(GRID * self.bank.ability_sd, places[part])
            p = expit(z)
            log += right[:, part] @ z - there[:, part] @ np.logaddexp(0.0, z)
            expected -= there[:, part] @ p
            scatter -= there[:, part] @ (p * (1 - p))
        got, left = np.sum(right, axis=1), np.sum(there, axis=1)
        return Standing(self.bank, log, self.right + got, self.open - left, self.count, expected, scatter)

    def after(self, places: Places, answers: Floats) -> Standing:
        """Return where asking stands after one more answer of each model, to an open question that counts.

        Args:
            places: Which question each was asked; shape (M,).
            answers: What came back, NaN where a model was asked nothing; shape (M,).
        """
        there = ~np.isnan(answers)
        right = np.where(there, answers, 0.0)
        z = self.bank.logits(GRID * self.bank.ability_sd, places)
        p, one = expit(z), there[:, None].astype(np.float64)
        return Standing(
            self.bank,
            self.log + right[:, None] * z - one * np.logaddexp(0.0, z),
            self.right + right,
            self.open - there,
            self.count,
            self.expected - one * p,
            self.scatter - one * p * (1 - p),
        )

    @property
    def abilities(self) -> Abilities:
        """What the answers say of the abilities."""
        weight = np.exp(self.log - np.max(self.log, axis=1, keepdims=True))
        return Abilities(GRID * self.bank.ability_sd, weight / np.sum(weight, axis=1, keepdims=True))

    @property
    def scores(self) -> Scores:
        """The share of right answers to all questions: what was answered, and what is expected of the rest.

        Its error has two parts: what is not known of the ability, and how single answers scatter around what is
        expected of them.
        """
        weight, count = self.abilities.weight, np.maximum(self.count, 1.0)
        expected = np.sum(weight * self.expected, axis=1)
        of_ability = np.sum(weight * (self.expected - expected[:, None]) ** 2, axis=1)
        # What is left of a long sum may be a little below nothing.
        of_answers = np.maximum(np.sum(weight * self.scatter, axis=1), 0.0)
        sd = np.sqrt(of_ability + of_answers) / count
        least, most = self.right / count, (self.right + self.open) / count
        mean = np.clip((self.right + expected) / count, least, most)
        return Scores(mean, sd, least, most)


def _portions(places: Places) -> Iterator[Places]:
    for start in range(0, len(places), _AT_ONCE):
        yield places[start : start + _AT_ONCE]
