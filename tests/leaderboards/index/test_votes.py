"""Ratings from votes: known answers, another optimiser's, ranges against resampling, and what votes cannot say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.errors import InputError
from argusic.leaderboards.index.comparing.votes.ballot import Ballot, more_of
from argusic.leaderboards.index.comparing.votes.bradley_terry import NoFiniteAnswer
from argusic.leaderboards.index.comparing.votes.rating import POINTS, Ratings, rate
from argusic.leaderboards.index.comparing.votes.reading import read_votes
from argusic.leaderboards.index.responses import Floats

Vote = tuple[str, str, float]


def votes(**times: int) -> list[Vote]:
    """Return votes: `a_b=3` for three that a won against b."""
    return [(*pair.split("_"), 1.0) for pair, number in times.items() for _ in range(number)]  # type: ignore[misc]


def by_name(ratings: Ratings) -> dict[str, float]:
    return {one.model: one.rating for one in ratings.models if one.rating is not None}


def drawn(count: int, *, effects: Sequence[float] = (), seed: int = 3, ties: float = 0.2) -> tuple[Ballot, Floats]:
    """Return votes on eight models of known ratings (in log-odds), the worse of which have more style; and those."""
    random = np.random.default_rng(seed)
    truth = np.linspace(1, -1, 8)
    first = random.integers(0, 8, count)
    second = (first + random.integers(1, 8, count)) % 8
    style = random.normal(0.5 * (truth[second] - truth[first])[:, None], 0.3, size=(count, len(effects)))
    z = truth[first] - truth[second] + style @ np.array(effects)
    won = np.where(random.random(count) < ties, 0.5, (random.random(count) < 1 / (1 + np.exp(-z))).astype(float))
    names = [f"model {place}" for place in range(8)]
    rows = [(names[i], names[j], float(w)) for i, j, w in zip(first, second, won, strict=True)]
    return Ballot.of_rows(rows, [f"style {k}" for k in range(len(effects))], style), truth


def test_four_teams_get_the_strengths_that_are_printed_elsewhere() -> None:
    """The worked example of the article on the Bradley-Terry model in the English Wikipedia."""
    ratings = rate(Ballot.of_rows(votes(A_B=2, A_D=1, B_A=3, B_C=5, C_B=3, C_D=1, D_A=4, D_C=3)))
    strength = {name: float(np.exp((rating - 1000) / POINTS)) for name, rating in by_name(ratings).items()}
    assert [round(strength[name], 3) for name in "ABCD"] == [0.640, 1.043, 0.660, 2.270]
    assert [one.model for one in ratings.models] == ["D", "B", "C", "A"]


@pytest.mark.parametrize(("wins", "losses", "ties"), [(7, 3, 0), (5, 1, 4), (1, 1, 9)])
def test_two_models_have_a_rating_and_a_range_in_closed_form(wins: int, losses: int, ties: int) -> None:
    rows = [*votes(a_b=wins, b_a=losses), *[("a", "b", 0.5)] * ties]
    ratings = rate(Ballot.of_rows(rows), level=0.9)
    n, p = len(rows), (wins + ties / 2) / len(rows)
    apart = np.log(p / (1 - p))
    scatter = (wins * (1 - p) ** 2 + losses * p**2 + ties * (0.5 - p) ** 2) / (n * p * (1 - p)) ** 2
    best = ratings.models[0]
    assert best.rating is not None and best.low is not None and best.high is not None
    assert best.rating == pytest.approx(1000 + POINTS * apart / 2)
    assert best.high - best.low == pytest.approx(2 * norm.ppf(0.95) * POINTS * np.sqrt(scatter) / 2)
    assert (best.votes, best.wins, best.losses, best.ties) == (n, wins, losses, ties)


@pytest.mark.parametrize("effects", [(), (0.8, -0.4)])
def test_it_ends_where_another_optimiser_ends(effects: Sequence[float]) -> None:
    ballot, _ = drawn(600, effects=effects)
    size = np.sqrt(np.mean(ballot.style**2, axis=0)) if effects else np.ones(0)

    def value(x: Floats) -> float:
        z = x[ballot.first] - x[ballot.second] + (ballot.style / size) @ x[8:]
        return float(np.sum(np.logaddexp(0, z) - ballot.won * z) + np.sum(x[:8]) ** 2)

    other = minimize(value, np.zeros(8 + len(effects)), method="BFGS", options={"gtol": 1e-6})
    ratings = rate(ballot)
    found = by_name(ratings)
    assert np.allclose([found[name] for name in ballot.models], 1000 + POINTS * other.x[:8], atol=0.01)
    assert np.allclose([effect.points for effect in ratings.styles], POINTS * other.x[8:], atol=0.01)


def test_ranges_are_as_wide_as_resampled_votes_say() -> None:
    ballot, _ = drawn(1000, effects=(0.8,), ties=0.4)
    ratings = rate(ballot)
    random = np.random.default_rng(0)
    again = []
    for _ in range(100):
        chosen = random.integers(0, len(ballot), len(ballot))
        drawn_anew = Ballot(
            ballot.models, ballot.first[chosen], ballot.second[chosen], ballot.won[chosen], ("s",), ballot.style[chosen]
        )
        made = rate(drawn_anew)
        again.append([*(by_name(made)[name] for name in ballot.models), made.styles[0].points])
    spread = np.std(again, axis=0)
    half = {
        one.model: (one.high - one.low) / 2 for one in ratings.models if one.high is not None and one.low is not None
    }
    widths = [*(half[name] for name in ballot.models), (ratings.styles[0].high - ratings.styles[0].low) / 2]
    assert ratings.interval == "sandwich"
    assert np.allclose(np.array(widths) / norm.ppf(0.975) / spread, 1.0, atol=0.25)


def test_style_control_takes_out_what_style_bought() -> None:
    ballot, truth = drawn(6000, effects=(2.5,), ties=0.0)
    plain = Ballot(ballot.models, ballot.first, ballot.second, ballot.won, (), np.zeros((len(ballot), 0)))
    flattered, controlled = by_name(rate(plain)), rate(ballot)
    fair = by_name(controlled)
    off_plain, off = (
        max(abs(found[name] - 1000 - POINTS * value) for name, value in zip(ballot.models, truth, strict=True))
        for found in (flattered, fair)
    )
    assert off < 40 < 100 < off_plain
    effect = controlled.styles[0]
    assert effect.low < POINTS * 2.5 * np.sqrt(np.mean(ballot.style**2)) < effect.high


@settings(max_examples=12, deadline=None)
@given(st.randoms(use_true_random=False))
def test_neither_the_order_of_votes_nor_their_sides_change_a_bit(random: Any) -> None:
    ballot, _ = drawn(120, effects=(0.5,))
    rows = [
        (ballot.models[i], ballot.models[j], float(w), float(s))
        for i, j, w, s in zip(ballot.first, ballot.second, ballot.won, ballot.style[:, 0], strict=True)
    ]
    random.shuffle(rows)
    turned = [(j, i, 1 - w, -s) if random.random() < 0.5 else (i, j, w, s) for i, j, w, s in rows]
    again = Ballot.of_rows([row[:3] for row in turned], ballot.features, [[row[3]] for row in turned])
    assert rate(again) == rate(ballot)


def test_twice_the_votes_give_the_same_ratings_with_narrower_ranges() -> None:
    rows = votes(a_b=3, b_a=2, b_c=4, c_b=1, c_a=2, a_c=2)
    once, twice = rate(Ballot.of_rows(rows)), rate(Ballot.of_rows(rows * 4))
    for one, other in zip(once.models, twice.models, strict=True):
        assert one.rating == pytest.approx(other.rating) and one.high is not None and other.high is not None
        assert one.rating is not None and other.rating is not None
        assert one.high - one.rating == pytest.approx(2 * (other.high - other.rating))


def test_ties_alone_make_all_equal_and_leave_that_uncertain() -> None:
    ratings = rate(Ballot.of_rows([("a", "b", 0.5), ("b", "c", 0.5)] * 5))
    assert [one.rating for one in ratings.models] == pytest.approx([1000, 1000, 1000])
    assert ratings.interval == "information" and ratings.ties == ratings.used == 10
    assert all(one.low is not None and one.low < 900 for one in ratings.models)


def test_who_only_wins_only_loses_or_never_meets_the_others_has_no_rating_and_the_reason() -> None:
    rows = votes(a_b=2, b_a=1, best_a=4, best_b=2, b_worst=3, x_y=1, y_x=1, once_a=1, b_twice=1, twice_once=1)
    ratings = rate(Ballot.of_rows([*rows, *votes(c_a=1, b_c=1)]))
    assert set(by_name(ratings)) == {"a", "b", "c", "once", "twice"}
    reasons = {one.model: one.why_not for one in ratings.models if one.why_not}
    assert "only wins" in reasons["best"] and "only losses" in reasons["worst"]
    assert "never met" in reasons["x"] and "never met" in reasons["y"]
    assert ratings.votes == len(rows) + 2 and ratings.used == ratings.votes - 4 - 2 - 3 - 2


def test_who_beats_some_and_ties_with_none_of_a_piece_hangs_by_one_side() -> None:
    ratings = rate(Ballot.of_rows(votes(a_b=1, b_a=1, b_c=1, c_b=1, d_a=1, d_e=1, e_d=1)))
    reasons = {one.model: one.why_not for one in ratings.models if one.why_not}
    assert "both ways" in (reasons["d"] or "") and set(by_name(ratings)) == {"a", "b", "c"}


def test_one_win_alone_rates_nobody() -> None:
    ratings = rate(Ballot.of_rows(votes(a_b=1)))
    assert by_name(ratings) == {} and ratings.used == 0
    assert [one.why_not is not None for one in ratings.models] == [True, True]


def test_a_style_that_decides_every_vote_has_no_finite_effect() -> None:
    rows = [("a", "b", 1.0), ("b", "a", 1.0), ("a", "c", 0.0), ("c", "a", 0.0), ("b", "c", 1.0), ("c", "b", 1.0)] * 4
    style = [[0.3 if won == 1.0 else -0.3] for _, _, won in rows]
    with pytest.raises(NoFiniteAnswer, match="no bound to the effect of length"):
        rate(Ballot.of_rows(rows, ["length"], style))


def test_a_style_that_is_who_is_who_cannot_be_told_from_it() -> None:
    rows = votes(a_b=3, b_a=2, b_c=2, c_b=2, a_c=1, c_a=1)
    words = {"a": 3.0, "b": 2.0, "c": 1.0}
    with pytest.raises(NoFiniteAnswer, match="cannot tell length"):
        rate(Ballot.of_rows(rows, ["length"], [[words[i] - words[j]] for i, j, _ in rows]))
    twice = [[float(k % 3), 2.0 * (k % 3)] for k in range(len(rows))]
    with pytest.raises(NoFiniteAnswer, match="cannot tell"):
        rate(Ballot.of_rows(rows, ["length", "words"], twice))


def test_counts_are_compared_as_a_share_of_both() -> None:
    assert more_of(np.array([3.0, 0.0, 0.0]), np.array([1.0, 2.0, 0.0])).tolist() == [0.5, -1.0, 0.0]


@pytest.mark.parametrize(
    ("rows", "says"), [([("a", "a", 1.0)], "meets itself"), ([("a", "b", 0.7)], "neither 0, 0.5 nor 1")]
)
def test_what_is_no_vote_is_refused(rows: list[Vote], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Ballot.of_rows(rows)
    with pytest.raises(ValueError, match="no vote"):
        rate(Ballot.of_rows([]))
    with pytest.raises(ValueError, match="between 0 and 1"):
        rate(Ballot.of_rows(votes(a_b=1)), level=1.0)


HEADER = "model_a,model_b,winner,tokens_a,tokens_b\n"
CROWD = "model_a,model_b,winner\n" + "".join(f"m{i},x,a\n" for i in range(3001))
GOOD = HEADER + "x,y,model_a,10,20\ny,x,tie (bothbad),30,10\nx,y,model_b,25,20\ny,x,B,5,50\n"


def told(path: Path, content: bytes, *options: str) -> Result:
    file = path / "votes.csv"
    file.write_bytes(content)
    return CliRunner().invoke(build(), ["index", "votes", str(file), *options])


def test_votes_are_read_from_a_file_and_printed(tmp_path: Path) -> None:
    printed = json.loads(told(tmp_path, GOOD.encode(), "--style", "tokens", "--json").output)
    assert printed["votes"] == 4 and printed["ties"] == 1
    ballot = read_votes(tmp_path / "votes.csv", ["tokens"])
    assert ballot.style[:, 0] == pytest.approx([-1 / 3, 0.5, 1 / 9, -9 / 11])
    expected = rate(ballot)
    assert [one["rating"] for one in printed["models"]] == pytest.approx(
        [one.rating for one in expected.models], abs=1e-4
    )
    assert "4 of 4 votes are between models that are rated, 1 of them ties" in told(tmp_path, GOOD.encode()).output


@pytest.mark.parametrize(
    ("content", "options", "where", "says"),
    [
        (b"", (), "votes.csv:1", "is empty"),
        (b"model_a,model_b\nx,y\n", (), "votes.csv:1", "lacks the column 'winner'"),
        (HEADER.encode(), (), "votes.csv", "has no row"),
        (b"model_a,model_b,winner\nx,y\n", (), "votes.csv:2", "2 cells"),
        (b"model_a,model_b,winner\nx,x,tie\n", (), "votes.csv:2: model_b", "meets itself"),
        (b"model_a,model_b,winner\nx,y,tie\nx,y,nobody\n", (), "votes.csv:3: winner", "'nobody' is none of"),
        (b"model_a,model_b,winner\nx,,tie\n", (), "votes.csv:2: model_b", "is missing"),
        (b"model_a,model_b,winner\nx,y,\n", (), "votes.csv:2: winner", "is missing"),
        (b"model_a,model_b,winner,winner\nx,y,tie,tie\n", (), "votes.csv:1", "twice"),
        (b"model_a,model_b,winner\nx,y\xff,tie\n", (), "votes.csv:2", "UTF-8"),
        (b'model_a,model_b,winner\nx,"y,tie\n', (), "votes.csv", "no CSV"),
        (b"model_a,model_b,winner\nx,y\x1b,tie\n", (), "votes.csv:2: model_b", "cannot be shown"),
        (
            ("model_a,model_b,winner\n" + "".join(f"m{i},x,a\n" for i in range(3001))).encode(),
            (),
            ":3001",
            "than 3000 models",
        ),
        (GOOD.encode(), ("--style", "words"), "votes.csv:1", "lacks the column 'words_a'"),
        (GOOD.replace("30", "-3").encode(), ("--style", "tokens"), "votes.csv:3: tokens_a", "no count"),
        (GOOD.replace("30", "many").encode(), ("--style", "tokens"), "votes.csv:3: tokens_a", "no number"),
        (f"{HEADER}x,y,a,1,1\ny,x,a,2,2\n".encode(), ("--style", "tokens"), "tokens_a", "same on both sides"),
        (f"{HEADER}x,y,a,9,1\ny,x,a,8,2\n".encode(), ("--style", "tokens"), "votes.csv", "no bound"),
        (GOOD.encode(), ("--style", "tokens", "--style", "tokens"), "", "named twice"),
        (GOOD.encode(), ("--style", "model"), "", "no style"),
        (GOOD.encode(), ("--level", "1"), "", "--level"),
    ],
)
def test_what_is_no_file_of_votes_is_one_sentence(
    tmp_path: Path, content: bytes, options: tuple[str, ...], where: str, says: str
) -> None:
    error = told(tmp_path, content, *options).exception
    said = str(error)
    assert isinstance(error, InputError) and where in said and says in said and "\n" not in said
