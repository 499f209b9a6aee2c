"""From votes to published ratings: who can be rated at all, each rating with its range, and what style was worth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri

from argusic.leaderboards.index.comparing.votes.ballot import Ballot
from argusic.leaderboards.index.comparing.votes.bradley_terry import Solved, solve_votes
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.responses import Floats, Places

#: The scale: the mean of all that are rated, and points for each factor of e in the odds. It is that of chess (Elo):
#: 400 points are odds of ten to one.
MEAN, POINTS = 1000.0, 400.0 / float(np.log(10.0))


@dataclass(frozen=True)
class Rated:
    """One model.

    Attributes:
        model: Who.
        rating: Its rating; None where the votes give it none.
        low: The low end of the rating's range.
        high: The high end.
        votes: In how many votes it was shown.
        wins: How many it won.
        losses: How many it lost.
        ties: How many ended level.
        why_not: Why it has no rating, in a sentence.
    """

    model: str
    rating: float | None
    low: float | None
    high: float | None
    votes: int
    wins: int
    losses: int
    ties: int
    why_not: str | None


@dataclass(frozen=True)
class StyleEffect:
    """What a style is worth: points for an answer that has more of it, by one root mean square of the differences.

    Attributes:
        feature: The style.
        points: The effect.
        low: The low end of its range.
        high: The high end.
    """

    feature: str
    points: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """What comes of a ballot.

    Attributes:
        models: Those with a rating, the highest first, equals by name; then those without, by name.
        styles: What was held constant, and what it was worth.
        votes: How many votes there are.
        used: How many of them are between two models that are rated.
        ties: How many of those are ties.
        level: The probability that the ranges are made for.
        interval: What they are from: `sandwich`, or `information` where no vote was decided.
        gradient: The largest slope of the likelihood at the end.
        steps: How many steps the fit took.
    """

    models: tuple[Rated, ...]
    styles: tuple[StyleEffect, ...]
    votes: int
    used: int
    ties: int
    level: float
    interval: str
    gradient: float
    steps: int


@one_thread()
def rate(ballot: Ballot, *, level: float = 0.95) -> Ratings:
    """Rate models by votes.

    Only models of which each has, over a chain of others, both beaten and been beaten by every other have ratings
    that the votes bound. The largest such piece is rated; whoever is outside has none, with the reason.

    Args:
        ballot: The votes.
        level: The probability that the ranges are made for.

    Raises:
        NoFiniteAnswer: The votes put no bound to the effect of a style, or cannot tell it from the models.
        ValueError: The level does not lie between 0 and 1, or there is no vote.
    """
    if not 0 < level < 1:
        raise ValueError(f"the level {level:g} does not lie between 0 and 1")
    if not len(ballot):
        raise ValueError("there is no vote")
    ballot = ballot.ordered()
    piece = strongest_piece(ballot)
    inside = piece[ballot.first] & piece[ballot.second]
    places = np.flatnonzero(piece)
    if len(places) < 2:
        return Ratings(tuple(_unrated(ballot, piece)), (), len(ballot), 0, 0, level, "none", 0.0, 0)
    used = _scaled(_among(ballot.where(inside), places))
    solved = solve_votes(used)
    width = POINTS * float(ndtri(0.5 + level / 2)) * np.sqrt(np.maximum(np.diag(solved.covariance), 0.0))
    rated = _rated(ballot, places, solved, width)
    return Ratings(
        (*rated, *_unrated(ballot, piece)),
        _styles(used, solved, width[len(places) :]),
        len(ballot),
        len(used),
        int(np.sum(used.won == 0.5)),
        level,
        solved.interval,
        solved.gradient,
        solved.steps,
    )


def strongest_piece(ballot: Ballot) -> NDArray[np.bool_]:
    """Return which models lie in the largest piece whose ratings the votes bound; shape (M,).

    Of equally large ones, the first by name. An arrow leads from whoever did not win to the other, both ways for a
    tie; in a piece every model can be reached from every other.
    """
    models = len(ballot.models)
    beaten = np.concatenate([ballot.first[ballot.won < 1], ballot.second[ballot.won > 0]])
    beat = np.concatenate([ballot.second[ballot.won < 1], ballot.first[ballot.won > 0]])
    graph = coo_array((np.ones(len(beat)), (beaten, beat)), shape=(models, models))
    _, label = connected_components(graph, directed=True, connection="strong")
    size = np.bincount(label)[label]
    return np.asarray(label == label[int(np.argmax(size))], dtype=np.bool_)


def _among(ballot: Ballot, places: Places) -> Ballot:
    """Return a ballot of these models alone."""
    new = np.full(len(ballot.models), -1, dtype=np.intp)
    new[places] = np.arange(len(places))
    names = tuple(ballot.models[place] for place in places)
    return replace(ballot, models=names, first=new[ballot.first], second=new[ballot.second])


def _scaled(ballot: Ballot) -> Ballot:
    """Return the ballot with each style in its root mean square, so that effects can be compared.

    Nothing is taken off: which side an answer was shown on must not matter.
    """
    size = np.sqrt(np.mean(ballot.style**2, axis=0))
    return replace(ballot, style=ballot.style / np.where(size > 0, size, 1.0))


def _rated(ballot: Ballot, places: Places, solved: Solved, width: Floats) -> list[Rated]:
    rating, tallies = MEAN + POINTS * solved.ratings, _tallies(ballot)
    order = sorted(range(len(places)), key=lambda k: (-round(float(rating[k]), 6), ballot.models[places[k]]))
    return [
        replace(
            tallies[places[k]],
            rating=float(rating[k]),
            low=float(rating[k] - width[k]),
            high=float(rating[k] + width[k]),
        )
        for k in order
    ]


def _unrated(ballot: Ballot, piece: NDArray[np.bool_]) -> list[Rated]:
    """Return the models outside the piece with the reason, by name. A piece of one is none."""
    tallies = _tallies(ballot)
    outside = ~piece if np.sum(piece) > 1 else np.ones_like(piece)
    met = set(ballot.second[piece[ballot.first]].tolist()) | set(ballot.first[piece[ballot.second]].tolist())
    return [
        replace(tallies[place], why_not=_why_not(tallies[place], place in met))
        for place in np.flatnonzero(outside).tolist()
    ]


def _why_not(tally: Rated, met: bool) -> str:
    if tally.losses == tally.ties == 0:
        return "It has only wins, which put no upper bound to its rating."
    if tally.wins == tally.ties == 0:
        return "It has only losses, which put no lower bound to its rating."
    if not met:
        return "It never met one of those that are rated."
    return "No chain of wins and losses leads both ways between it and those that are rated."


def _tallies(ballot: Ballot) -> list[Rated]:
    """Return each model's votes, without a rating."""
    models = len(ballot.models)
    sides = ((ballot.first, ballot.won), (ballot.second, 1 - ballot.won))
    wins, losses, ties = (
        np.sum([np.bincount(place[won == what], minlength=models) for place, won in sides], axis=0).tolist()
        for what in (1.0, 0.0, 0.5)
    )
    return [
        Rated(model, None, None, None, wins[k] + losses[k] + ties[k], wins[k], losses[k], ties[k], None)
        for k, model in enumerate(ballot.models)
    ]


def _styles(ballot: Ballot, solved: Solved, width: Floats) -> tuple[StyleEffect, ...]:
    points = POINTS * solved.effects
    return tuple(
        StyleEffect(name, float(points[k]), float(points[k] - width[k]), float(points[k] + width[k]))
        for k, name in enumerate(ballot.features)
    )
