"""Decoding is told from mere probing, whatever wraps it and whatever reads what it prints."""

from __future__ import annotations

import pytest

from argusic.evidence.audit.decoding import comes_to
from argusic.evidence.audit.session import Ran, steps_of
from argusic.evidence.audit.tables import tables
from tests.evidence.audit.sessions import recorded

DECODES = [
    "ffmpeg -v error -i out.mkv -f null -",
    "ffmpeg -hide_banner -nostats -loglevel error -i a.mp3 -map 0:a -f framemd5 -",
    "ffprobe -v error -count_frames -show_entries stream=nb_read_frames out.mp4",
    "cd x && python3 -c 'from PIL import Image; print(Image.open(\"a.png\").getpixel((0, 0)))'",
    "python3 - <<'E'\nimport wave\nprint(wave.open('a.wav').readframes(9)[:4])\nE",
    "curl -s localhost:8000/items | jq length",
    "curl -sf http://localhost/ > page.html && grep -c '<li>' page.html",
    "wget -qO- localhost:8000 | head -3",
    "sqlite3 -json x.db 'select * from t limit 3'",
    "docker compose exec -T db psql -U me -c 'select count(*) from t'",
    "redis-cli get greeting",
    "cat out.txt",
    "diff -u expected.txt actual.txt",
    "cmp a.bin b.bin",
    "tar -xOf out.tar.gz inner.json | python3 -m json.tool",
    "unzip -p book.epub OEBPS/toc.ncx | xmllint --format -",
    "gzip -t out.gz",
    "pdftotext -layout out.pdf - | grep -i total",
    "tesseract shot.png - | grep Welcome",
    "go test ./... -count=1",
    "cargo test --workspace",
    "npm test -- --ci",
    "npm run test:unit",
    "npx vitest run",
    "bundle exec rspec",
    "./gradlew test",
    "make -j2 check",
    "uv run pytest -x",
    "python manage.py test",
    "ctest --test-dir build",
    "test \"$(./greet World)\" = 'Hello, World!'",
    '[ "$(curl -s localhost/ping)" = pong ] && echo pong',
    'out=$(curl -s localhost/api); echo "$out" | grep -q ok && echo "$out"',
    "ls *.json | xargs jq -e .ok",
    'for f in *.flac; do flac -t "$f"; done',
    "node -e 'console.log(require(\"./lib\").add(2, 3))'",
    "openssl x509 -in cert.pem -noout -text",
    "sha256sum -c SHA256SUMS",
    "timeout 20 bash -c 'curl -s localhost:1/x | jq .a'",
    "ssh-keygen -Y check-novalidate -n file -s x.sig < x",
]
PROBES = [
    "ls -la out/",
    "file out.mp4 && ls -lh out.mp4",
    "ffprobe -v error -show_format -show_streams out.mp4",
    "ffprobe out.mp4 2>&1 | grep Duration",
    "stat out.png | grep Size",
    "wc -l < out.csv",
    "cat out.csv | wc -l",
    "curl -s localhost:8000 | wc -c",
    "curl -I http://localhost:8000",
    "curl -sS -o /dev/null -w '%{http_code}\\n' http://localhost:8000/",
    "curl -sf http://localhost:8000/ > /dev/null && echo up",
    "wget --spider http://localhost/",
    "test -s out.pdf",
    "[ -f a ] && [ -f b ] && echo both",
    "if [[ -d dist ]]; then echo built; fi",
    "./tool --version",
    "tool --help | head -5",
    "python3 -c 'import tool'",
    "python3 -c 'import tool; print(tool.__version__)'",
    "python3 -c \"import os; print(os.path.exists('out.txt'))\"",
    "python3 -c 'print(\"verified\")'",
    "echo 'everything works'",
    "printf 'ok\\n'",
    "pip list | grep tool",
    "npm ls --depth=0",
    "which tool",
    "command -v tool",
    "docker ps | grep app",
    "docker images",
    "pgrep -f server",
    "ss -ltn | grep 8000",
    "nc -zv localhost 8000",
    "du -sh out",
    "md5sum out.bin",
    "xxd out.png | head -2",
    "head -c 8 out.png | xxd",
    "strings out.mp4 | head",
    "identify out.png",
    "exiftool out.jpg",
    "unzip -l out.zip",
    "tar tzf out.tar.gz",
    "pytest --collect-only",
    "find out -type f | head",
    "tree out",
    "systemctl status app",
    "./build.sh > /dev/null 2>&1",
    "true",
    "cat > proof.txt <<'E'\n42 of 42 decoded\nE",
    "bash -c 'test -f x && echo ok'",
    "timeout 5 ls out",
    "ls out | grep -c mp4",
    "cat movie.mp4 | head -c 100",
    "node --check server.js",
    "[ \"$(wc -c < out.bin)\" -gt 100 ] && echo 'large enough'",
]


@pytest.mark.parametrize("command", DECODES)
def test_a_decoder_decodes(command: str) -> None:
    assert verdict(command) == "decodes"


@pytest.mark.parametrize("command", PROBES)
def test_a_probe_decodes_nothing(command: str) -> None:
    assert verdict(command) == "probes"


@pytest.mark.parametrize("command", ["./run-demo", "python3 demo.py", "cowsay hi", "make demo", "tool convert a b"])
def test_of_a_program_that_no_table_lists_nothing_is_said(command: str) -> None:
    assert verdict(command) == "runs"


def verdict(command: str) -> str:
    ran: tuple[Ran, ...] = recorded([(command, 0, "something\n")])
    return comes_to(steps_of(ran, tables()), tables())[0]
