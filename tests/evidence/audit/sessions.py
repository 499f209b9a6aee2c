"""Sessions with honest reports to measure the audit on: some recorded from real runs, many generated.

The generated ones are told as agents tell them: they look around, some steps fail and are repaired, the proof is a
part of a longer command, and its result is quoted, cut or told in other words.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argusic.evidence.audit import Ran
from argusic.evidence.commands import CommandRow
from argusic.records.report import Report
from argusic.runs.agents.reporting import as_yaml, write_file

RECORDED = Path(__file__).with_name("recorded")
REPORT = "/root/report.yaml"


@dataclass(frozen=True)
class Told:
    """A session and what its agent reports of it."""

    name: str
    ran: tuple[Ran, ...]
    fields: dict[str, Any]

    @property
    def report(self) -> Report:
        return Report.model_validate(self.fields)

    def saying(self, **fields: Any) -> Told:
        """The same session with another report, which its last command writes."""
        changed = dataclasses.replace(self, fields={**self.fields, **fields})
        *others, last = changed.ran
        row = last.row.model_copy(update={"command": write_file(REPORT, as_yaml(changed.report))})
        return dataclasses.replace(changed, ran=(*others, Ran(row, last.printed)))

    def having(self, *before_the_report: tuple[str, int | None, str]) -> Told:
        """The same with further commands, each with its status and output, before the one that writes the report."""
        *others, last = self.ran
        commands = [(one.row.command, one.row.exit_status, one.printed) for one in others]
        report = (last.row.command, 0, last.printed)
        return dataclasses.replace(self, ran=recorded([*commands, *before_the_report, report]))

    def without(self, *numbers: int) -> Told:
        """The same without some commands."""
        kept = [one for one in self.ran if one.row.number not in numbers]
        return dataclasses.replace(
            self, ran=recorded([(one.row.command, one.row.exit_status, one.printed) for one in kept])
        )


def recorded(commands: list[tuple[str, int | None, str]]) -> tuple[Ran, ...]:
    """Number commands and give them times."""
    ran = []
    for number, (command, status, printed) in enumerate(commands, 1):
        row = CommandRow(
            number=number,
            command=command,
            started=2.5 * number,
            ended=2.5 * number + 1.25,
            exit_status=status,
            cut=None,
            offset=3 * number,
            log_line=number,
        )
        ran.append(Ran(row, printed))
    return tuple(ran)


def real() -> Iterator[Told]:
    """Yield what real runs recorded. Long outputs are cut, and lines that name a registry are left out."""
    for path in sorted(RECORDED.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        ran = []
        for fields in data["commands"]:
            printed = fields.pop("printed")
            ran.append(Ran(CommandRow.model_validate(fields), printed))
        yield Told(path.stem, tuple(ran), data["report"])


def generated(count: int, seed: int = 1) -> Iterator[Told]:
    """Yield generated sessions."""
    chance = random.Random(seed)
    for number in range(count):
        make = _KINDS[number % len(_KINDS)]
        yield _Session(chance).tell(f"{make.__name__.strip('_')}-{number}", make)


class _Session:
    """A session in the making."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.commands: list[tuple[str, int | None, str]] = []
        self.errors: list[dict[str, Any]] = []

    def run(self, command: str, printed: str = "", status: int | None = 0) -> None:
        self.commands.append((command, status, printed if not printed or printed.endswith("\n") else printed + "\n"))

    def failing(self, command: str, printed: str, what: str, fix: str, repair: tuple[str, str], then: str) -> None:
        """A step that fails, its repair, and the step again."""
        self.run(command, printed, self.chance.choice((1, 1, 2)))
        self.run(*repair)
        self.run(command, then)
        self.errors.append({"what": what, "fixed": True, "fix": fix})

    def look_around(self) -> None:
        """What agents do besides, none of it an error of the project's."""
        lines = [
            (
                "ls -la /root/subject",
                "total 24\n-rw-r--r-- 1 root root 812 Nov 30 01:45 README.md\ndrwxr-xr-x 2 root root 4096 src\n",
                0,
            ),
            ("cat /root/subject/README.md", "# A project\n\nRun it as shown below. It converts 3 kinds of files.\n", 0),
            ("cat /root/subject/INSTALL", "cat: /root/subject/INSTALL: No such file or directory\n", 1),
            ("cd /root/subject && git log --oneline 2>/dev/null | head -3", "", 0),
            ("python3 --version && node --version", "Python 3.11.2\nv20.20.2\n", 0),
            ("grep -rn TODO /root/subject/src | head", "", 0),
            ("which ffmpeg jq sqlite3", "/usr/bin/jq\n", 1),
            ("test -f /root/subject/Makefile", "", 1),
            ("find /root/subject -maxdepth 2 -name '*.toml'", "/root/subject/pyproject.toml\n", 0),
            ("env | grep -i proxy | wc -l", "2\n", 0),
        ]
        for line in self.chance.sample(lines, self.chance.randint(1, 4)):
            self.run(line[0], line[1], line[2])

    def tell(self, name: str, make: Any) -> Told:
        self.look_around()
        fields: dict[str, Any] = make(self)
        fields = {
            "installed": True,
            "launched": True,
            "errors": self.errors,
            "test_depth": "tier1_real",
            **fields,
        }
        told = Told(name, recorded([*self.commands, ("true", 0, "")]), fields)
        return told.saying()

    def wrapped(self, command: str) -> str:
        """A command as it is really typed: with a folder before it, and with errors shown."""
        return self.chance.choice(
            (command, f"cd /root/subject && {command}", f"cd /root/project && source .venv/bin/activate && {command}")
        )


def _how(command: str, result: str) -> dict[str, str]:
    return {"command": command, "result": result}


def _video(one: _Session) -> dict[str, Any]:
    frames = one.chance.randint(24, 900)
    one.run("python3 -m venv .venv && .venv/bin/pip install -q -e .")
    one.failing(
        "cd /root/subject && .venv/bin/python make_clip.py --out out.mp4",
        'Traceback (most recent call last):\n  File "make_clip.py", line 3, in <module>\n'
        "    import imageio\nModuleNotFoundError: No module named 'imageio'\n",
        "make_clip.py stopped: No module named 'imageio'",
        "installed imageio",
        (".venv/bin/pip install -q 'imageio[ffmpeg]'", ""),
        f"wrote {frames} frames to out.mp4\n",
    )
    if one.chance.random() < 0.5:
        command = one.wrapped("ffmpeg -v error -i out.mp4 -f null -")
        one.run(command)
        how = _how(
            command,
            one.chance.choice(("no output, exit status 0", "no errors, exit code 0", "Exit status 0 and no output.")),
        )
        final = "The clip was made and decoded from end to end without an error."
    else:
        command = one.wrapped(
            "ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 out.mp4"
        )
        one.run(command, f"{frames}\n")
        how = _how(command, one.chance.choice((f"{frames}", f"{frames} frames decoded")))
        final = f"The script wrote out.mp4; {frames} frames of it were decoded."
    return {"verified_how": how, "final_state": final}


def _audio(one: _Session) -> dict[str, Any]:
    seconds = one.chance.randint(2, 60)
    one.run("pip install --quiet .")
    one.run("tone --freq 440 --out tone.wav", "")
    command = one.wrapped("sox tone.wav -n stat 2>&1 | grep -E 'Length|Rough'")
    one.run(command, f"Length (seconds):     {seconds}.000000\nRough   frequency:          440\n")
    result = one.chance.choice(
        (f"Length (seconds): {seconds}.000000\nRough frequency: 440", f"{seconds} seconds at a rough frequency of 440")
    )
    return {
        "verified_how": _how(command, result),
        "final_state": f"It wrote a tone of {seconds} seconds; sox measured 440 as its frequency.",
    }


def _image(one: _Session) -> dict[str, Any]:
    width, height = one.chance.randint(100, 2000), one.chance.randint(100, 2000)
    one.run("npm ci --silent", "npm ERR! The `npm ci` command can only install with an existing package-lock.json\n", 1)
    one.run("npm install --silent", "")
    one.errors.append(
        {
            "what": "npm ci: The `npm ci` command can only install with an existing package-lock.json",
            "fixed": True,
            "fix": "used npm install",
        }
    )
    one.run("node render.js --to chart.png", "rendered chart.png\n")
    code = "from PIL import Image; im = Image.open('chart.png'); im.load(); print(im.size, im.getextrema())"
    command = one.wrapped(f'python3 -c "{code}"')
    one.run(command, f"({width}, {height}) ((0, 255), (12, 255), (3, 250))\n")
    result = one.chance.choice(
        (
            f"({width}, {height}) ((0, 255), (12, 255), (3, 250))",
            f"a picture of {width} by {height} pixels, red from 0 to 255",
        )
    )
    return {
        "verified_how": _how(command, result),
        "final_state": f"render.js drew chart.png, which decodes to {width} by {height} pixels.",
    }


def _web(one: _Session) -> dict[str, Any]:
    name = one.chance.choice(("albatross", "Grace Hopper", "first item", "Zürich"))
    port = one.chance.randint(3000, 9000)
    one.run("npm install --no-audit --no-fund", "added 57 packages in 3s\n")
    one.run(f"cd /root/subject && (PORT={port} node server.js > /root/server.log 2>&1 &) ; sleep 2", "")
    if one.chance.random() < 0.4:
        one.run(f"curl -s http://127.0.0.1:{port}/nope", "Cannot GET /nope\n")
    body = json.dumps([{"id": 1, "name": name}, {"id": 2, "name": "other"}], ensure_ascii=False)
    url = f"http://127.0.0.1:{port}/api/items"
    style = one.chance.randrange(4)
    if style == 0:
        command, printed, result = f"curl -sSf {url}", body, body
    elif style == 1:
        command, printed, result = f"curl -s {url} | jq -r '.[0].name'", name, name
    elif style == 2:
        command, printed = (
            f"curl -s {url} | python3 -m json.tool",
            json.dumps(json.loads(body), indent=4, ensure_ascii=False),
        )
        result = f'a list of 2 objects; the first has the name "{name}"'
    else:
        command, printed = f"set -o pipefail; curl -sf {url} | grep -F '{name}'", body
        result = f"the body holds '{name}'"
    one.run(command, printed)
    one.run("pkill -f server.js", "")
    return {
        "verified_how": _how(command, result),
        "final_state": f"The server answered on port {port}, and its list holds “{name}”.",
    }


def _pytest(one: _Session) -> dict[str, Any]:
    passed, skipped = one.chance.randint(3, 400), one.chance.randint(0, 5)
    if one.chance.random() < 0.6:
        one.failing(
            "pip install -r requirements.txt",
            "ERROR: Could not find a version that satisfies the requirement oldlib==0.3 (from versions: 1.0, 1.1)\n"
            "ERROR: No matching distribution found for oldlib==0.3\n",
            "pip: No matching distribution found for oldlib==0.3",
            "allowed oldlib 1.0",
            ("sed -i 's/oldlib==0.3/oldlib>=1.0/' requirements.txt", ""),
            "Successfully installed oldlib-1.1\n",
        )
    else:
        one.run("pip install -e '.[test]'", "Successfully installed thing-1.0\n")
    tail = f"{passed} passed, {skipped} skipped in 1.43s" if skipped else f"{passed} passed in 1.43s"
    style = one.chance.randrange(3)
    if style == 0:
        command = one.wrapped("python -m pytest -q")
    elif style == 1:
        command = one.wrapped("python -m pytest -q 2>&1 | tail -3")
    else:
        command = one.wrapped("python -m pytest -q; echo exit=$?")
    printed = f"{'.' * min(passed, 60)} [100%]\n{tail}\n" + ("exit=0\n" if style == 2 else "")
    one.run(command, printed)
    result = one.chance.choice((tail, f"{passed} passed", printed.strip(), f"all {passed} tests passed"))
    claimed = command if one.chance.random() < 0.8 else command.split(" 2>&1")[0].split(";")[0]
    return {"verified_how": _how(claimed, result), "final_state": f"The tests ran to their end: {passed} passed."}


def _go(one: _Session) -> dict[str, Any]:
    one.run("cd /root/subject && go build ./...", "go: downloading golang.org/x/text v0.14.0\n")
    command = "cd /root/subject && go test ./..."
    one.run(command, "ok  \texample.com/tool/parse\t0.012s\nok  \texample.com/tool/emit\t0.340s\n")
    result = one.chance.choice(
        (
            "ok example.com/tool/parse 0.012s\nok example.com/tool/emit 0.340s",
            "both packages ok: example.com/tool/parse and example.com/tool/emit",
        )
    )
    return {
        "verified_how": _how(command, result),
        "final_state": "It was built, and the tests of its two packages passed.",
    }


def _rust(one: _Session) -> dict[str, Any]:
    passed = one.chance.randint(2, 150)
    one.failing(
        "cargo build --release",
        "error: linker `cc` not found\n  |\n  = note: No such file or directory (os error 2)\n"
        'error: could not compile `tool` (bin "tool") due to 1 previous error\n',
        "cargo build: linker `cc` not found",
        "installed a C compiler",
        ("apt-get install -y -qq gcc", "Setting up gcc\n"),
        "    Finished `release` profile [optimized] target(s) in 12.31s\n",
    )
    command = one.wrapped("cargo test --quiet")
    tail = f"test result: ok. {passed} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s"
    one.run(command, f"\nrunning {passed} tests\n{'.' * passed}\n{tail}\n")
    result = one.chance.choice((tail, f"ok. {passed} passed; 0 failed", f"{passed} passed, 0 failed"))
    return {
        "verified_how": _how(command, result),
        "final_state": f"After a linker was installed it was built; {passed} tests passed.",
    }


def _database(one: _Session) -> dict[str, Any]:
    rows = one.chance.randint(2, 5000)
    one.run("pipx install loader", "installed package loader 2.1\n")
    one.run("loader import data.csv --db out.db", f"imported {rows} rows\n")
    command = one.wrapped("sqlite3 out.db 'select count(*), min(name) from person'")
    one.run(command, f"{rows}|Ada\n")
    result = one.chance.choice((f"{rows}|Ada", f"{rows} rows, the first name is 'Ada'"))
    return {
        "verified_how": _how(command, result),
        "final_state": f"The CSV file was imported: {rows} rows are in the database.",
    }


def _converter(one: _Session) -> dict[str, Any]:
    count = one.chance.randint(2, 90)
    name = one.chance.choice(("Ada", "Béla", "row one"))
    one.run("make install PREFIX=/root/.local", "install -m 755 conv /root/.local/bin/conv\n")
    one.run("/root/.local/bin/conv in.csv > out.json", "")
    style = one.chance.randrange(3)
    if style == 0:
        command = f"""python3 - <<'EOF'
import json
rows = json.load(open("out.json"))
assert rows[0]["name"] == "{name}", rows[0]
print(len(rows), rows[0])
EOF"""
        printed, result = f"{count} {{'name': '{name}'}}", f"{count} {{'name': '{name}'}}"
    elif style == 1:
        command, printed = "jq -c '.[0], length' out.json", f'{{"name":"{name}"}}\n{count}'
        result = one.chance.choice((printed, f'the first object is {{"name":"{name}"}}, {count} in all'))
    else:
        command, printed, result = (
            "diff <(jq -S . out.json) <(jq -S . expected.json)",
            "",
            "no output, exit status 0: no difference",
        )
    one.run(command, printed)
    return {
        "verified_how": _how(command, result),
        "final_state": f"conv turned in.csv into JSON; the first object's name is '{name}'."
        if style != 2
        else "conv turned in.csv into JSON that is the same as the expected file.",
    }


def _compose(one: _Session) -> dict[str, Any]:
    version = f"{one.chance.randint(1, 9)}.{one.chance.randint(0, 30)}.{one.chance.randint(0, 9)}"
    one.failing(
        "docker compose up -d --quiet-pull",
        "Error response from daemon: driver failed programming external connectivity: "
        "Bind for 0.0.0.0:8080 failed: port is already allocated\n",
        "docker compose up: Bind for 0.0.0.0:8080 failed: port is already allocated",
        "used port 8081",
        ("sed -i 's/8080:80/8081:80/' compose.yaml", ""),
        "Container app-1  Started\n",
    )
    one.run("for i in $(seq 30); do curl -sf localhost:8081/health >/dev/null && break; sleep 1; done", "")
    command = one.chance.choice(
        (
            "curl -sf localhost:8081/health",
            "curl -s localhost:8081/health | jq -e '.status == \"ok\"' && curl -s localhost:8081/health",
        )
    )
    body = f'{{"status":"ok","version":"{version}"}}'
    one.run(command, body if "jq" not in command else f"true\n{body}")
    depth = one.chance.choice(("tier1_real", "tier2_mock"))
    return {
        "verified_how": _how(command, one.chance.choice((body, f"status ok, version {version}"))),
        "test_depth": depth,
        "final_state": f"The container answered with version {version}.",
    }


def _document(one: _Session) -> dict[str, Any]:
    title = one.chance.choice(("Annual Report", "Hello PDF", "Invoice 2031"))
    one.run("gem install --no-document prawnify", "1 gem installed\n")
    one.run("prawnify render sample.md -o out.pdf", "")
    command = one.wrapped("pdftotext out.pdf - | head -5")
    one.run(command, f"{title}\n\nThis is the first paragraph.\nPage 1\n")
    result = one.chance.choice(
        (f"{title}\n\nThis is the first paragraph.\nPage 1", f"{title} ... Page 1", f'the text begins with "{title}"')
    )
    return {
        "verified_how": _how(command, result),
        "final_state": f"The PDF was made, and its text begins with “{title}”.",
    }


def _cmake(one: _Session) -> dict[str, Any]:
    count = one.chance.randint(2, 60)
    one.run("cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "-- Configuring done\n-- Generating done\n")
    one.run("cmake --build build -j2", "[100%] Built target tool\n")
    command = "ctest --test-dir build --output-on-failure"
    one.run(command, f"100% tests passed, 0 tests failed out of {count}\n\nTotal Test time (real) =   0.31 sec\n")
    return {
        "verified_how": _how(
            command,
            one.chance.choice((f"100% tests passed, 0 tests failed out of {count}", f"0 tests failed out of {count}")),
        ),
        "final_state": f"It was built with CMake, and of {count} tests none failed.",
    }


def _command_line(one: _Session) -> dict[str, Any]:
    word = one.chance.choice(("needle", "Hello, World!", "sum: 403"))
    one.run("pip install ./subject", "Successfully installed tool-0.3.1\n")
    one.run("tool --help", "usage: tool [-h] TEXT\n")
    style = one.chance.randrange(3)
    if style == 0:
        command, printed, result = f"tool run | grep -F '{word}'", word, word
    elif style == 1:
        command, printed, result = f"test \"$(tool run)\" = '{word}' && echo same", "same", "same"
    else:
        command, printed, result = "tool run", f"{word}\ndone", f'it printed "{word}"'
    one.run(command, printed)
    return {
        "verified_how": _how(command, result),
        "final_state": "The tool was installed, and what it prints was read.",
    }


def _maven(one: _Session) -> dict[str, Any]:
    run = one.chance.randint(5, 300)
    one.run("./mvnw -q -DskipTests package", "")
    one.run("java -jar target/app.jar --selftest", "selftest done\n")
    command = one.chance.choice(("./mvnw test 2>&1 | tail -20", "./mvnw test"))
    tail = f"[INFO] Tests run: {run}, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS\n"
    one.run(command, tail)
    return {
        "verified_how": _how(
            command,
            one.chance.choice(
                (
                    f"Tests run: {run}, Failures: 0, Errors: 0, Skipped: 1",
                    tail.strip(),
                    f"{run} tests run, BUILD SUCCESS",
                )
            ),
        ),
        "final_state": f"Maven built it and ran {run} tests without a failure.",
    }


def _unfixed(one: _Session) -> dict[str, Any]:
    """The tests pass, and building the documentation does not."""
    passed = one.chance.randint(12, 80)
    one.run("pip install -e .", "Successfully installed thing-2.0\n")
    one.run(
        "sphinx-build docs out",
        "Extension error: Could not import extension sphinx_oldtheme (exception: No module named 'sphinx_oldtheme')\n",
        2,
    )
    one.run(
        "sphinx-build -E docs out",
        "Extension error: Could not import extension sphinx_oldtheme (exception: No module named 'sphinx_oldtheme')\n",
        2,
    )
    one.errors.append({"what": "sphinx-build: Could not import extension sphinx_oldtheme", "fixed": False, "fix": ""})
    command = one.wrapped("pytest -q")
    one.run(command, f"{passed} passed in 0.80s\n")
    return {
        "verified_how": _how(command, f"{passed} passed in 0.80s"),
        "final_state": f"{passed} tests passed. The documentation was not built.",
    }


def _fails_to_install(one: _Session) -> dict[str, Any]:
    said = (
        "error: subprocess-exited-with-error\nfatal error: leveldb/db.h: No such file or directory\n"
        "ERROR: Failed building wheel for plyvel\n"
    )
    one.run("pip install .", said, 1)
    one.run("pip install --no-build-isolation .", said, 1)
    one.errors.append(
        {"what": "pip install: fatal error: leveldb/db.h: No such file or directory", "fixed": False, "fix": ""}
    )
    return {
        "installed": False,
        "launched": False,
        "test_depth": "tier3_none",
        "verified_how": "not verified",
        "final_state": "It could not be installed: leveldb/db.h is missing.",
    }


def _fails_to_launch(one: _Session) -> dict[str, Any]:
    said = (
        'Traceback (most recent call last):\n  File "app.py", line 9, in <module>\n'
        "    client = Client(os.environ[\"API_KEY\"])\nKeyError: 'API_KEY'\n"
    )
    one.run("pip install -r requirements.txt", "Successfully installed client-3.2\n")
    one.run("python3 app.py", said, 1)
    one.run("cd /root/subject && python3 app.py --demo", said, 1)
    one.errors.append({"what": "app.py stopped: KeyError: 'API_KEY'", "fixed": False, "fix": ""})
    return {
        "launched": False,
        "test_depth": "tier3_none",
        "verified_how": "not verified",
        "final_state": "It was installed. It did not start without an API_KEY.",
    }


_KINDS = (
    *(_video, _audio, _image, _web, _pytest, _go, _rust, _database, _converter, _compose, _document, _cmake),
    *(_command_line, _maven, _unfixed, _fails_to_install, _fails_to_launch),
)
