"""All ways side by side: on made results that show each one's fault, on the published ones, and by the command."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.errors import InputError
from argusic.leaderboards.index.comparing.category_average import CategoryAverage
from argusic.leaderboards.index.comparing.compare import WAYS, NotComparable, compare
from argusic.leaderboards.index.comparing.comparison import Comparison
from argusic.leaderboards.index.comparing.epoch_form import EpochForm
from argusic.leaderboards.index.comparing.given_ratings import GivenRatings
from argusic.leaderboards.index.comparing.glance import at_a_glance
from argusic.leaderboards.index.comparing.repository import given_of
from argusic.leaderboards.index.comparing.setting import SHARED, Setting
from argusic.leaderboards.index.comparing.way import Given
from argusic.leaderboards.index.facts import Benchmark, Category, Facts, Model, Source
from argusic.leaderboards.index.facts import Result as Published
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.panel import PanelRule
from argusic.leaderboards.index.preparing import prepare
from argusic.leaderboards.index.reading.facts import read_facts
from argusic.leaderboards.index.reading.places import OWN
from argusic.leaderboards.index.responses import Responses
from argusic.leaderboards.index.stored import read_index
from tests.leaderboards.index.made_index import made as made_index
from tests.leaderboards.index.made_index import write_index
from tests.leaderboards.index.test_fit import made
from tests.leaderboards.index.test_ways import known

DATA = Path(__file__).parents[3] / "leaderboards/index/data"
HUB, FIT_INPUT = "epoch-hub-2026-04", "epoch-eci-2026-08"
OF: tuple[Category, ...] = ("coding", "reasoning", "math", "science", "language")


@cache
def eras() -> Given:
    """Return results of two eras: old models on ten easy benchmarks, new ones on ten hard ones, some on both."""
    random = np.random.default_rng(4)
    categories = {f"{era} {k}": OF[k % 5] for era in ("easy", "hard") for k in range(10)}
    difficulty = {f"{era} {k}": at + 0.08 * k for era, at in (("easy", -3.0), ("hard", 1.4)) for k in range(10)}
    rows = []
    for number in range(60):
        ability = -1.4 + 3.2 * number / 59
        for name, b in difficulty.items():
            old, new = number < 35, number >= 25
            if (old if name.startswith("easy") else new) and random.random() < 0.8:
                score = expit(1.5 * (ability - b)) + random.normal(0, 0.02)
                rows.append((f"model {number:02}", name, float(np.clip(score, 0, 1))))
    responses = Responses.of_rows(rows)
    active = frozenset(name for name in responses.benchmarks if name.startswith("hard"))
    return Given(responses, known(categories), active, {model: model != "model 58" for model in responses.models})


def test_each_fault_shows_where_easy_benchmarks_have_a_field_of_their_own() -> None:
    given = eras()
    compared = compare(given)
    way = compared.by_name
    assert compared.followed == "model 59" and way["index"].first(1)[0].model == "model 59"
    average, counted, standard, panel = (
        way[name] for name in ("category-average", "minimum-count", "z-scores", "active-panel")
    )
    for ranking in (average, counted):
        assert ranking.first(1)[0].model < "model 35" and ranking.followed and (ranking.followed.place or 0) > 10
        assert any("have no benchmark in common" in sentence for sentence in ranking.why)
    order = [one.model for one in standard.standings]
    assert sum(order.index("model 24") < order.index(f"model {newer}") for newer in range(35, 60)) > 10
    for ranking in (average, counted, standard):
        assert ranking.ease and ranking.ease > 0.5 and ranking.field and ranking.field < -0.5
    assert panel.first(1)[0].model > "model 50" and panel.ranked < average.ranked
    assert way["epoch-form"].first(3)[0].model > "model 56"
    assert compared.agreement("index", "epoch-form").spearman == compared.agreement("epoch-form", "index").spearman
    assert [one.first for one in compared.minimums[:6]] == [compared.minimums[0].first] * 6
    with pytest.raises(KeyError):
        compared.agreement("index", "nothing")


def test_what_is_followed_can_be_named_and_must_have_results() -> None:
    given = eras()
    assert compare(given, (), follow="model 10").rankings[0].followed is not None
    with pytest.raises(NotComparable, match=r"'Model 10' has no result; the nearest name is 'model 10'"):
        compare(given, (), follow="Model 10")
    closed = Given(given.responses, given.benchmarks, given.active, {})
    assert compare(closed, ()).followed == "model 59"
    thin = Given(Responses.of_rows([("a", "x", 0.5), ("b", "x", 0.5), ("b", "y", 0.2)]))
    compared = compare(thin)
    assert compared.followed == "b" and compared.rankings[0].why[0].startswith(
        "It ranks nobody here. Of b: It has 2 of"
    )
    with pytest.raises(ValueError, match="one name"):
        compare(thin, (CategoryAverage(), CategoryAverage()))


def test_equals_share_a_place_and_open_models_have_their_own() -> None:
    given = Given(made(5, 4, share=1.0), open_weights={"model 000": True, "model 003": True, "model 001": False})
    ratings = GivenRatings({"model 000": 5.0, "model 001": 7.0, "model 002": 7.0, "model 003": 5.0, "model 004": 1.0})
    standings = compare(given, (ratings,)).by_name["ratings"].standings
    assert [(one.model[-1], one.place, one.place_open) for one in standings] == [
        ("1", 1, None), ("2", 1, None), ("0", 3, 1), ("3", 3, 1), ("4", 5, None),
    ]  # fmt: skip


def test_pairs_are_held_against_each_other_as_a_slow_twin_holds_them() -> None:
    responses = made(14, 9, share=0.6)
    setting = Setting.of(responses)
    scores = np.round(np.random.default_rng(1).normal(size=14), 1)
    scores[3] = np.nan
    table: dict[int, dict[int, float]] = {}
    for i, j, y in zip(responses.model.tolist(), responses.benchmark.tolist(), responses.score, strict=True):
        table.setdefault(i, {})[j] = float(y)
    pairs, agreeing = 0, 0.0
    for one, other in combinations([i for i in range(14) if i != 3], 2):
        common = table[one].keys() & table[other].keys()
        lead = sum(table[one][j] - table[other][j] for j in common)
        if len(common) >= SHARED and abs(lead) > 1e-9:
            pairs += 1
            agreeing += 0.5 if scores[one] == scores[other] else (scores[one] > scores[other]) == (lead > 0)
    found, share = setting.upheld(scores)
    assert found == pairs > 20 and share == pytest.approx(agreeing / pairs)
    common = table[0].keys() & table[1].keys()
    assert setting.held_against_each_other(0, 1) == (len(common), sum(table[0][j] > table[1][j] for j in common))
    able = fit(responses).scores
    field = [np.mean([able[i] for i in table if j in table[i]]) for j in table[5]]
    assert setting.field[5] == pytest.approx(np.mean(field))


def test_of_a_repository_the_ways_are_given_what_is_outside_the_panel_too_and_not_what_is_read_wrongly() -> None:
    day = date(2026, 1, 1)
    source = Source("s", "S", "https://example.org", day, "CC0", True, "S", "0" * 64)
    benchmarks = {
        name: Benchmark(name, name, "coding", "accuracy", "fraction", 0.0, 1.0, "s", "source", "as the source", None)
        for name in ("edge", "new", "old")
    }
    models = {
        name: Model(name, (), None, openly, "said", None) for name, openly in (("m", True), ("n", False), ("o", None))
    }
    results = [
        Published(model, name, score, as_of, "s", model, "", 1)
        for name, as_of, scores in (
            ("edge", day, (0.0, 1.0, 1.0)), ("new", day, (0.2, 0.3, 0.4)), ("old", date(2020, 1, 1), (0.5, 0.6, 0.7)),
        )
        for model, score in zip(models, scores, strict=True)
    ]  # fmt: skip
    facts = Facts({"s": source}, benchmarks, models, tuple(results))
    given = given_of(facts, prepare(facts, PanelRule(day)))
    assert given.responses.benchmarks == ("new", "old") and given.active == {"new"}
    assert given.open_weights == {"m": True, "n": False} and given.index is None


def test_a_repository_is_compared_by_its_own_index_and_what_a_checkout_keeps_counts_where_asked_for(
    tmp_path: Path,
) -> None:
    small = made_index()
    base = write_index(tmp_path, small)

    def asked(*words: str) -> Result:
        return CliRunner().invoke(build(), ["--repo", str(tmp_path), "index", *words])

    assert "no ranking of the index. Open one" in str(asked("compare").exception)
    pairs = {(name, "secret"): 0.2 + 0.04 * i for i, name in enumerate(small.models)}
    wider = replace(small, benchmarks=(*small.benchmarks, "secret"), scores=pairs)
    write_index(tmp_path, wider, source="private", redistributable=False)
    (tmp_path / OWN).mkdir(parents=True)
    (tmp_path / "leaderboards/index/data/results/private.csv").rename(tmp_path / OWN / "private.csv")
    assert asked("rank", "2026-10-22", "--draws", "20").exit_code == 0
    printed, own = (json.loads(asked("compare", "--json", *words).output) for words in ((), ("--own",)))
    stands = read_index(base)
    assert stands is not None
    expected = {one.model.model: None if one.refused else round(one.score, 4) for one in stands.models}
    assert {one["model"]: one["score"] for one in printed["rankings"][0]["standings"]} == expected
    openly = [one.model.model for one in stands.models if one.model.open_weights and not one.refused]
    assert printed["followed"] == openly[0]
    assert (printed["benchmarks"], own["benchmarks"]) == (8, 9) and own["results"] == printed["results"] + len(pairs)


@cache
def published() -> Comparison:
    facts = read_facts(DATA)
    given = given_of(facts, prepare(facts, PanelRule(date(2026, 10, 22)), [HUB, FIT_INPUT]))
    return compare(given, [way for way in WAYS if way.name != "epoch-form"])


def test_on_published_results_the_averages_fail_as_described() -> None:
    """What is described: Kimi K3 far down, models with a few easy benchmarks first; the panel mends what is seen."""
    way = published().by_name
    assert published().followed == "Kimi K3"
    for name, worst in (("category-average", 15), ("minimum-count", 15), ("z-scores", 3)):
        ranking = way[name]
        mine, first = ranking.followed, ranking.first(1, open_only=True)[0]
        assert mine and mine.place_open and mine.place_open >= worst
        assert first.benchmarks <= 8 < mine.benchmarks and first.ease > 0.6 > 0.2 > mine.ease
        assert f"{first.model} and Kimi K3 have no benchmark in common." in ranking.why
        assert ranking.ease and ranking.ease > 0.5
    # Asking for more benchmarks helps nobody who was run on hard ones.
    assert all((one.followed or 0) > 3 for one in published().minimums[:11])
    panel = way["active-panel"]
    assert panel.followed and panel.followed.place_open == 1
    assert panel.ranked < 0.7 * way["category-average"].ranked
    # The panel is a patch: who has easier benchmarks still gains places.
    assert panel.ease and panel.ease > 0.4
    upheld = {name: ranking.upheld or 0.0 for name, ranking in way.items()}
    assert upheld.pop("index") > 0.95 and max(upheld.values()) < 0.9


def test_on_epochs_fit_input_the_index_ranks_as_epochs_form_does() -> None:
    facts = read_facts(DATA)
    prepared = prepare(facts, PanelRule.everything(date(2026, 10, 22)), [FIT_INPUT])
    # Epoch fits every row, also of a benchmark that the index would leave out.
    rows = [(one.result.model, one.result.benchmark, one.normalised) for one in prepared.chosen]
    given = Given(Responses.of_rows(rows))
    assert len(given.responses) == 2249
    compared = compare(given, (EpochForm(),))
    agreed = compared.agreement("index", "epoch-form")
    assert agreed.models > 200 and agreed.spearman and agreed.spearman > 0.9995
    assert agreed.top == 20 and agreed.spearman_top and agreed.spearman_top > 0.99
    scale = {one.model: one.score for one in compared.by_name["epoch-form"].standings}
    assert scale["Claude 3.5 Sonnet"] == pytest.approx(130) and scale["GPT-5"] == pytest.approx(150)


def test_the_table_at_a_glance_says_when_it_was_checked() -> None:
    glance = at_a_glance()
    assert glance.checked == date(2026, 10, 22)
    assert len({one.name for one in glance.indices}) == len(glance.indices) >= 4
    assert all(one.address.startswith("https://") and not one.method.endswith(".") for one in glance.indices)


RESULTS = "model,benchmark,score\n" + "".join(
    f"m{i},b{j},{0.2 + 0.1 * i + 0.05 * j:.2f}\n" for i in range(5) for j in range(4)
)
BENCHMARKS = "name,benchmark,category\n,b0,coding\n,b1,math\n,b2,reasoning\n,b3,science\n"


def told(path: Path, *options: str, **tables: str) -> Result:
    args = ["index", "compare"]
    for name, text in {"input": RESULTS, **tables}.items():
        file = path / f"{name}.csv"
        file.write_text(text, encoding="utf-8")
        args += [f"--{name}", str(file)]
    return CliRunner().invoke(build(), [*args, *options])


def test_a_table_is_compared_and_printed(tmp_path: Path) -> None:
    done = told(
        tmp_path,
        "--json",
        "--model",
        "m2",
        benchmarks=BENCHMARKS,
        models="model,open_weights\nm2,true\nm4,false\nm3,\n",
        ratings="model,rating\nm0,3\nm1,2\nm2,1\nnobody,9\n",
        weights="benchmark,weight\nb0,1\nb3,3\n",
    )
    printed = json.loads(done.output)
    assert (printed["results"], printed["models"], printed["active"], printed["followed"]) == (20, 5, 4, "m2")
    names = [ranking["name"] for ranking in printed["rankings"]]
    assert names == ["index", *(way.name for way in WAYS), "ratings"]
    by_name = {ranking["name"]: ranking for ranking in printed["rankings"]}
    assert by_name["weighted-average"]["standings"][0]["score"] == pytest.approx(0.25 * 0.6 + 0.75 * 0.75)
    assert by_name["index"]["followed"]["place"] == 3 and by_name["index"]["followed"]["place_open"] == 1
    assert len(printed["agreements"]) == len(names) * (len(names) - 1) // 2
    against = [one for one in printed["agreements"] if (one["one"], one["other"]) == ("index", "ratings")]
    assert against[0]["spearman"] == -1.0 and against[0]["models"] == 3
    said = told(tmp_path).output
    # Ways that rank nobody say nothing of how many of the first are compared, and nobody is first by a minimum.
    assert "rho top 5" in " ".join(said.split()) and "minimum number of benchmarks: who" not in said
    assert "20 results of 5 models on 4 benchmarks" in said and "m4 is number 1 of 5" in said
    assert "It ranks nobody here. Of m4: It has results in 0 of the 3 categories" in said


@pytest.mark.parametrize(
    ("options", "tables", "where", "says"),
    [
        (("--model", "m9"), {}, "", "the model 'm9' has no result; the nearest"),
        ((), {"input": "model,benchmark,score\n" + "".join(f"m{i},b,0\n" for i in range(3001))}, "", "3001 models"),
        (("--own",), {}, "", "go without --input"),
        (("--date", "2026-10-22"), {}, "", "go without --input"),
        ((), {"input": "model,benchmark,score\na,x,2\n"}, "input.csv:2: score", "not between"),
        ((), {"benchmarks": "benchmark,category\nb0,coding\n"}, "benchmarks.csv", "says nothing of the benchmark 'b1'"),
        ((), {"benchmarks": "benchmark,category\nb0,cooking\n"}, "benchmarks.csv:2: category", "'cooking' is none of"),
        ((), {"benchmarks": BENCHMARKS + ",b0,math\n"}, "benchmarks.csv:6: benchmark", "stands in line 2 already"),
        ((), {"benchmarks": "benchmark,category,active\nb0,math,maybe\n"}, "benchmarks.csv:2: active", "neither true"),
        ((), {"models": "model,open_weights\nm0,yes\n"}, "models.csv:2: open_weights", "neither true nor false"),
        ((), {"models": "model,open_weights\nm0,true\nm0,false\n"}, "models.csv:3: model", "line 2 already"),
        ((), {"ratings": "model,rating\nm0,high\n"}, "ratings.csv:2: rating", "no number"),
        ((), {"ratings": "model,rating\nm0,1e300\n"}, "ratings.csv:2: rating", "further from 0"),
        ((), {"ratings": "model,rating\n"}, "ratings.csv", "has no row"),
        ((), {"ratings": "model,rating\nM0,3\nM1,2\n"}, "ratings.csv", "names no model that has a result"),
        ((), {"ratings": "name,rating\nm0,3\n"}, "ratings.csv:1", "lacks the column 'model'"),
        ((), {"weights": "category,weight\nmath,0\n"}, "weights.csv:2: weight", "no weight above 0"),
        ((), {"weights": "category,weight\ncooking,1\n"}, "weights.csv:2: category", "none of"),
        ((), {"weights": "benchmark,weight\nb9,1\n"}, "weights.csv:2: benchmark", "'b9' has no result"),
        ((), {"weights": "weight\n1\n"}, "weights.csv:1", "needs one of the columns"),
        ((), {"weights": "category,benchmark,weight\nmath,b0,1\n"}, "weights.csv:1", "and not both"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    tmp_path: Path, options: tuple[str, ...], tables: dict[str, str], where: str, says: str
) -> None:
    error = told(tmp_path, *options, **tables).exception
    said = str(error)
    assert isinstance(error, InputError) and where in said and says in said and "\n" not in said


def test_tables_that_only_a_table_needs_are_refused_without_one(tmp_path: Path) -> None:
    file = tmp_path / "benchmarks.csv"
    file.write_text(BENCHMARKS, encoding="utf-8")
    error = CliRunner().invoke(build(), ["index", "compare", "--benchmarks", str(file)]).exception
    assert isinstance(error, InputError) and "go with --input" in str(error)
