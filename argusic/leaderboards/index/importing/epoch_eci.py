"""Reads what Epoch fits its Capabilities Index to: one normalised score to a group of versions and a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from argusic.errors import InputError
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.importing.raw import Gathered, Raw, digest
from argusic.leaderboards.index.importing.tabled import Line, read_lines
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.rows import read_bytes

_COLUMNS: Final = ("performance", "benchmark", "model_version", "source")

#: The ids of the benchmarks by their names there.
NAMES: Final[dict[str, str]] = {
    "ANLI": "anli",
    "APEX-Agents": "apex-agents",
    "ARC AI2": "arc-challenge",
    "ARC-AGI": "arc-agi-1",
    "ARC-AGI-2": "arc-agi-2",
    "Aider polyglot": "aider-polyglot",
    "BBH": "bbh",
    "Balrog": "balrog",
    "CL-bench": "cl-bench",
    "CL-bench Life": "cl-bench-life",
    "CadEval": "cadeval",
    "Chess Puzzles": "chess-puzzles",
    "CritPt": "critpt",
    "CursorBench": "cursorbench",
    "Cybench": "cybench",
    "DeepResearch Bench": "deepresearch-bench",
    "DeepSWE": "deepswe",
    "EBR-bench": "ebr-bench",
    "ExploitBench": "exploitbench",
    "Fiction.LiveBench": "fiction-livebench",
    "FrontierCode": "frontiercode",
    "FrontierMath-2025-02-28-Private": "frontiermath-v1",
    "FrontierMath-Tier-4-2025-07-01-Private": "frontiermath-t4-v1",
    "FrontierMath-Tier-4-v2-Private": "frontiermath-t4-v2",
    "FrontierMath-Tiers-1-3-v2-Private": "frontiermath-t1-3-v2",
    "GDPval": "gdpval",
    "GPQA diamond": "gpqa-diamond",
    "GSM8K": "gsm8k",
    "GSO-Bench": "gso",
    "GeoBench": "geobench",
    "HLE": "hle",
    "HellaSwag": "hellaswag",
    "LAMBADA": "lambada",
    "Lech Mazur Writing": "lech-mazur-writing",
    "MATH level 5": "math-level-5",
    "METR Time Horizons": "metr-average",
    "MMLU": "mmlu",
    "Mystery Game Puzzles": "mystery-game-puzzles",
    "OSWorld": "osworld",
    "OSWorld 2.0": "osworld-2",
    "OTIS Mock AIME 2024-2025": "otis-mock-aime",
    "OpenBookQA": "openbookqa",
    "PIQA": "piqa",
    "PostTrainBench": "posttrainbench",
    "ProofBench": "proofbench",
    "Remote Labor Index": "remote-labor-index",
    "SWE-Bench verified": "swe-bench-verified",
    "ScienceQA": "scienceqa",
    "SimpleBench": "simplebench",
    "SimpleQA Verified": "simpleqa-verified",
    "Surface Evolver Bench": "surface-evolver",
    "Terminal Bench": "terminal-bench-2",
    "The Agent Company": "the-agent-company",
    "TriviaQA": "triviaqa",
    "VPCT": "vpct",
    "WeirdML": "weirdml",
    "Winogrande": "winogrande",
}

#: A version and a report whose results under it are those of its base model, as the hub says of them.
_OF_BASE: Final = {("DeepSeek-V3", "DeepSeek-V3 Technical Report")}


def read_epoch_eci(path: Path, benchmarks: dict[str, Benchmark]) -> Gathered:
    """Return what the file holds, with each score back in its benchmark's unit.

    Raises:
        InputError: It cannot be read, or a row of it cannot be used.
    """
    content = read_bytes(path)
    found = Gathered(sha256=digest({path.name: content}))
    for line in read_lines(path, content, _COLUMNS):
        found.raws.append(_raw(line, benchmarks))
    return found


def _raw(line: Line, benchmarks: dict[str, Benchmark]) -> Raw:
    named = line.cells["benchmark"]
    policy = benchmarks.get(NAMES.get(named, ""))
    if policy is None or policy.baseline is None or policy.ceiling is None:
        raise InputError(cells.unknown("benchmark", named, sorted(NAMES)), place=line.place("benchmark"))
    score = line.number("performance")
    if score is None or not 0 <= score <= 1:
        said = "is missing." if score is None else f"{score:g} is not between 0 and 1."
        raise InputError(said, place=line.place("performance"))
    version, source = line.cells["model_version"], line.cells["source"]
    return Raw(
        version=f"{version}-Base" if (version, source) in _OF_BASE else version,
        benchmark=policy.benchmark,
        score=policy.baseline + score * (policy.ceiling - policy.baseline),
        as_of=None,
        variant="",
        place=line.place("performance"),
        otherwise=(source,),
    )
