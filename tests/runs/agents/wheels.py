"""Builds small wheels by hand, so that an agent's whole day can be lived without the network."""

from __future__ import annotations

import zipfile
from pathlib import Path


def wheel(folder: Path, name: str, readme: str, code: str, *, command: str | None = None) -> Path:
    """Write a wheel with one module, a README and, where `command` names one, a command that calls `main()`."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nSummary: A small project.\n\n{readme}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if command:
        files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{command} = {name}:main\n"
    files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return path
