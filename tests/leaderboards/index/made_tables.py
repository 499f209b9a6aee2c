"""Makes small tables of the index and files of results, as a repository has them."""

from __future__ import annotations

from pathlib import Path

from argusic.leaderboards.index.importing.raw import digest

SOURCE_HEADER = "source,title,address,snapshot,licence,redistributable,attribution,sha256"
BENCHMARK_HEADER = "benchmark,name,category,kind,unit,baseline,ceiling,source,run_by,licence,superseded_by"
MODEL_HEADER = "model,aliases,organization,open_weights,open_weights_by,released"
RESULT_HEADER = "benchmark,version,score,as_of,variant,low,high"

NO_DIGEST = "0" * 64
SOURCES = (
    f"hub-1,A hub,https://hub.example,2026-04-27,CC BY 4.0,true,A hub.,{NO_DIGEST}",
    f"site-1,A site,https://site.example,2026-07-01,none stated,false,A site.,{NO_DIGEST}",
)
BENCHMARKS = (
    "mmlu,MMLU,knowledge,accuracy,fraction,0.25,1.0,hub-1,others,as the source,",
    "code,Code,coding,accuracy,fraction,0.0,1.0,hub-1,source,as the source,code-2",
    "code-2,Code 2,coding,accuracy,normalised fraction,0.0,1.0,site-1,source,as the source,",
    "arena,Arena,preference,relative,rating,,,site-1,source,as the source,",
)
MODELS = (
    "Alpha,alpha-1|alpha-1_high,A lab,false,Epoch AI: API access,2025-02-01",
    "Beta 7B,beta-7b,B lab,true,guess from the name,2025-10-22",
    "Beta 7B Chat,beta-7b-chat,B lab,true,guess from the name,2025-10-22",
    "Gamma,gamma,,,not known,",
)
RESULTS = (
    "mmlu,alpha-1,0.5,2026-01-02,5,,",
    "mmlu,beta-7b,0.75,,0,,",
    "code,alpha-1_high,0.4,,,,",
)

#: For the copies that tests import.
LIVEBENCH_POLICIES = (
    "livebench-2026-01-08-coding,LC,coding,accuracy,fraction,0,1,hub-1,source,as the source,",
    "livebench-2026-01-08-agentic-coding,LA,agents,accuracy,fraction,0,1,hub-1,source,as the source,",
    "livebench-2024-11-25-coding,LO,coding,accuracy,fraction,0,1,hub-1,source,as the source,",
)
AIDER_POLICY = "aider-polyglot,P,coding,accuracy,fraction,0,1,hub-1,source,as the source,"
EVALPLUS_POLICIES = (
    "humaneval-plus,H,coding,accuracy,fraction,0,1,hub-1,source,as the source,",
    "mbpp-plus,M,coding,accuracy,fraction,0,1,hub-1,source,as the source,",
)
HUB_MODELS = ("Alpha,alpha-1,A lab,false,said,2025-02-01", "Beta 7B,beta-7b,,true,said,", "Gamma,gamma,,,not known,")


def write_tables(
    top: Path,
    *,
    sources: tuple[str, ...] = SOURCES,
    benchmarks: tuple[str, ...] = BENCHMARKS,
    models: tuple[str, ...] = MODELS,
    results: dict[str, tuple[str, ...]] | None = None,
) -> Path:
    """Write the tables of a repository at `top`; return the folder of the index's data."""
    data = top / "leaderboards/index/data"
    (data / "results").mkdir(parents=True)
    for name, header, rows in (
        ("sources.csv", SOURCE_HEADER, sources),
        ("benchmarks.csv", BENCHMARK_HEADER, benchmarks),
        ("models.csv", MODEL_HEADER, models),
        *((f"results/{source}.csv", RESULT_HEADER, rows) for source, rows in (results or {}).items()),
    ):
        (data / name).write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return data


def source_row(source: str, digest: str, *, snapshot: str = "2026-07-01", open_licence: bool = True) -> str:
    """Return a source's row with the SHA-256 of its copy."""
    licence = "CC BY 4.0,true" if open_licence else "none stated,false"
    return f"{source},Some,https://some.example,{snapshot},{licence},Some.,{digest}"


def folder(top: Path, files: dict[str, str]) -> Path:
    top.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (top / name).write_bytes(text.encode())
    return top


def digest_of(copy: Path) -> str:
    files = sorted(copy.iterdir()) if copy.is_dir() else [copy]
    return digest({file.name: file.read_bytes() for file in files if file.is_file()})
