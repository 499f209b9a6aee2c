"""Holds the key of a run until it is killed: what a test kills.

python -m tests.runs.keys.holding ROOT RUN KEY_URL MODEL_URL
"""

from __future__ import annotations

import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from argusic.database.database import Database
from argusic.records.configuration import KeyUsed, ModelUsed, OpenConfiguration
from argusic.runs.keys.opening import key_of_run
from argusic.runs.work import begin


def main() -> None:
    # Whoever is started in the background of a shell is deaf to this signal, and hands that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    root, run, provider, key_url, model_url = sys.argv[1:]
    database = Database(Path(root))
    configuration = OpenConfiguration(
        model=ModelUsed(name="scripted-1", url=model_url),
        key=KeyUsed(provider=provider, variable="MASTER_KEY", url=key_url),  # type: ignore[arg-type]
    )
    with (
        begin(database.work, run) as work,
        key_of_run(
            database,
            run,
            configuration,
            cap_usd=Decimal(3),
            expires=datetime.now(UTC) + timedelta(hours=2),
            folder=work.folder,
            evidence=work.evidence,
            environment=os.environ,
        ),
    ):
        print("held", flush=True)
        time.sleep(600)


if __name__ == "__main__":
    main()
