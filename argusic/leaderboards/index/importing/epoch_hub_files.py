"""What each file of Epoch's Benchmarking Hub holds: which benchmark, in which column, and what tells runs apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class HubFile:
    """How one file is read.

    Attributes:
        benchmark: The id of the benchmark.
        score: The column of its score.
        scale: What that is multiplied by to be in the benchmark's unit.
        variant: The columns that tell variants apart.
        day: The column with the day of the run, or that of the entry; empty where there is none.
        only: A column and the one value of it that is read; others belong to another version of the benchmark.
        bounds: The columns of a range of 95 %, lower end first.
    """

    benchmark: str
    score: str
    scale: float = 1.0
    variant: tuple[str, ...] = ()
    day: str = ""
    only: tuple[str, str] | None = None
    bounds: tuple[str, str] | None = None


_SHOTS: Final = ("Shots",)
_STARTED: Final = "Started at"

#: By the name of the file.
FILES: Final[dict[str, HubFile]] = {
    "adversarial_nli_external.csv": HubFile("anli", "Score", variant=_SHOTS),
    "aider_polyglot_external.csv": HubFile("aider-polyglot", "Percent correct", 0.01, day="Date of evaluation"),
    "apex_agents_external.csv": HubFile("apex-agents", "Pass@1 score"),
    "arc_agi_2_external.csv": HubFile("arc-agi-2", "Score"),
    "arc_agi_external.csv": HubFile("arc-agi-1", "Score"),
    "arc_ai2_external.csv": HubFile("arc-challenge", "Challenge score", variant=_SHOTS),
    "balrog_external.csv": HubFile("balrog", "Average progress", day="Date added"),
    "bbh_external.csv": HubFile("bbh", "Average", variant=_SHOTS),
    "bool_q_external.csv": HubFile("boolq", "Score", variant=_SHOTS),
    "cad_eval_external.csv": HubFile("cadeval", "Overall pass (%)"),
    "chess_puzzles.csv": HubFile("chess-puzzles", "mean_score", day=_STARTED),
    "common_sense_qa_2_external.csv": HubFile("csqa2", "Score", variant=_SHOTS),
    "cybench_external.csv": HubFile("cybench", "Unguided % Solved"),
    "deepresearchbench_external.csv": HubFile("deepresearch-bench", "Average score", variant=("Agent",)),
    "fictionlivebench_external.csv": HubFile("fiction-livebench", "16k token score"),
    "frontiermath.csv": HubFile("frontiermath-v1", "mean_score", day=_STARTED),
    "frontiermath_tier_4.csv": HubFile("frontiermath-t4-v1", "mean_score", day=_STARTED),
    "gdpval_external.csv": HubFile("gdpval", "Win Rate (%)"),
    "geobench_external.csv": HubFile("geobench", "ACW Country %", variant=("Tools",)),
    "gpqa_diamond.csv": HubFile("gpqa-diamond", "Best score (across scorers)", day=_STARTED),
    "gsm8k_external.csv": HubFile("gsm8k", "EM", variant=_SHOTS),
    "gso_external.csv": HubFile("gso", "Score OPT@1", variant=("Scaffold",), day="Evaluation date"),
    "hella_swag_external.csv": HubFile("hellaswag", "Overall accuracy", variant=_SHOTS),
    "hle_external.csv": HubFile("hle", "Accuracy"),
    "lambada_external.csv": HubFile("lambada", "Score", variant=_SHOTS),
    "lech_mazur_writing_external.csv": HubFile("lech-mazur-writing", "Mean score", 0.1),
    "live_bench_external.csv": HubFile(
        "livebench-epoch-2024-11-25", "Global average", 0.01, only=("LiveBench Version", "LiveBench-2024-11-25")
    ),
    "math_level_5.csv": HubFile("math-level-5", "Best score (across scorers)", day=_STARTED),
    "metr_time_horizons_external.csv": HubFile("metr-average", "average_score", variant=("METR version",)),
    "mmlu_external.csv": HubFile("mmlu", "EM", variant=_SHOTS),
    "open_book_qa_external.csv": HubFile("openbookqa", "Accuracy", variant=_SHOTS),
    "os_world_external.csv": HubFile("osworld", "Score", 0.01, variant=("Agent",), day="Date added"),
    "otis_mock_aime_2024_2025.csv": HubFile("otis-mock-aime", "Best score (across scorers)", day=_STARTED),
    "piqa_external.csv": HubFile("piqa", "Score", variant=_SHOTS),
    "posttrainbench_external.csv": HubFile("posttrainbench", "Average (%)", variant=("Scaffold",)),
    "science_qa_external.csv": HubFile("scienceqa", "Score", variant=_SHOTS),
    "simplebench_external.csv": HubFile("simplebench", "Score (AVG@5)"),
    "simpleqa_verified.csv": HubFile("simpleqa-verified", "mean_score", day=_STARTED),
    "superglue_external.csv": HubFile("superglue", "Score"),
    "swe_bench_bash.csv": HubFile("swe-bench-bash", "% Resolved", day="Date run"),
    "swe_bench_verified.csv": HubFile("swe-bench-verified", "mean_score", day=_STARTED),
    "terminalbench_external.csv": HubFile("terminal-bench-2", "Accuracy mean", variant=("Agent",), day="Run date"),
    "the_agent_company_external.csv": HubFile("the-agent-company", "% Resolved", day="Date"),
    "trivia_qa_external.csv": HubFile("triviaqa", "EM", variant=_SHOTS),
    "video_mme_external.csv": HubFile("video-mme", "Overall (no subtitles)"),
    "vpct_external.csv": HubFile("vpct", "Correct"),
    "webdev_arena_external.csv": HubFile(
        "webdev-arena", "Arena Score", day="Last updated", bounds=("95% CI Low", "95% CI High")
    ),
    "weirdml_external.csv": HubFile("weirdml", "Accuracy"),
    "wino_grande_external.csv": HubFile("winogrande", "Accuracy", variant=_SHOTS),
}
