"""The newcomer's way with a shell script: it is made runnable, run, and asked whom it greeted."""

from __future__ import annotations

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.session import Mission


def work(bench: Bench, mission: Mission) -> None:
    """Do the mission."""
    if bench.do(Step("installing it", f"mkdir -p ~/bin && cp {mission.subject_folder}/*.sh ~/bin/greet", 30)) is None:
        return
    bench.journal.installed = "The script was copied."
    ran = bench.do(Step("running it", 'sh ~/bin/greet "$GREETED" | grep -F -- albatross', 30))
    if ran is not None:
        bench.journal.launch("The script ran to its end.")
        bench.journal.proof = Proof(ran, "It greets whom it was told to greet.")
