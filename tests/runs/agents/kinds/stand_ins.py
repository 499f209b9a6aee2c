"""Stand-ins for what a newcomer deploys templates with: a cloud and its client, cookiecutter, a worker's runtime.

The cloud is a process of its own, and its client speaks to it over a real socket; both are installed by pip, from
wheels in a folder. They answer as the real ones do where the newcomer asks, and know two types of resources.
"""

from __future__ import annotations

from pathlib import Path

from tests.runs.agents.wheels import wheel

CLOUD = """
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KNOWN = {"AWS::S3::Bucket", "AWS::KMS::Key"}
held, made, stacks = {}, {}, {}


def act(service, operation, given):
    if operation == "create_stack":
        resources = json.loads(given["TemplateBody"])["Resources"]
        for kind in {one["Type"] for one in resources.values()} - KNOWN:
            print("No Moto CloudFormation support for", kind, file=sys.stderr, flush=True)
        made.update({n: f"{n}-1".lower() for n, one in resources.items() if one["Type"] in KNOWN})
        stacks.update({given["StackName"]: given, "rows": list(resources)})
        return {}
    if operation == "describe_stacks":
        names = [n for n in stacks if n != "rows"]
        return {"Stacks": [{"StackName": n, "StackStatus": os.environ.get("STACK", "CREATE_COMPLETE")} for n in names]}
    if operation == "list_stack_resources":
        rows = [{"LogicalResourceId": n, "PhysicalResourceId": made.get(n)} for n in stacks["rows"]]
        return {"StackResourceSummaries": rows}
    if operation == "delete_stack":
        stacks.pop(given["StackName"])
        return {}
    if operation == "put_object":
        held[given["Bucket"]] = given["Body"]
        return {}
    if operation == "get_object":
        return {"Body": os.environ.get("GIVES") or held[given["Bucket"]]}
    if operation == "encrypt":
        return {"CiphertextBlob": given["Plaintext"][::-1]}
    if operation == "decrypt":
        return {"Plaintext": given["CiphertextBlob"][::-1]}
    return {}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(act(*asked)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


def main():
    if os.environ.get("LC_CLOUD") == "never":
        time.sleep(600)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("-p") + 1])), Handler).serve_forever()
"""

CLIENT = """
import io, json, urllib.request

BYTES = {"Body", "Plaintext", "CiphertextBlob"}


class Client:
    def __init__(self, service, endpoint):
        self.service, self.endpoint = service, endpoint

    def __getattr__(self, operation):
        def call(**given):
            given = {k: v.decode() if isinstance(v, bytes) else v for k, v in given.items()}
            asked = json.dumps([self.service, operation, given]).encode()
            with urllib.request.urlopen(urllib.request.Request(self.endpoint, asked), timeout=20) as answer:
                said = json.load(answer)
            return {k: self.read(k, v) for k, v in said.items()}
        return call

    def read(self, key, value):
        return value if key not in BYTES else io.BytesIO(value.encode()) if key == "Body" else value.encode()


def client(service, endpoint_url, **others):
    return Client(service, endpoint_url)
"""

COOKIECUTTER = """
import json, pathlib, subprocess, sys


def main():
    top = pathlib.Path(sys.argv[-1])
    given = json.loads((top / "cookiecutter.json").read_text())

    def filled(text):
        for name, value in given.items():
            text = text.replace("{{cookiecutter.%s}}" % name, value)
        return text

    (inside,) = top.glob("{{cookiecutter.*}}")
    for path in sorted(inside.rglob("*")):
        if path.is_file():
            to = pathlib.Path(filled(str(path.relative_to(top))))
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(filled(path.read_text()))
    hook = top / "hooks" / "post_gen_project.py"
    if hook.exists():
        sys.exit(subprocess.run([sys.executable, str(hook)], cwd=filled(inside.name)).returncode)
"""

#: A runtime that serves what a worker answers, started by a template's own script.
RUNTIME = """
import { createServer } from "node:http";
import worker from "./src/index.js";
const told = name => process.argv[process.argv.indexOf(name) + 1];
createServer(async (request, response) => {
  response.end(await (await worker.fetch(request)).text());
}).listen(Number(told("--port")), told("--ip"));
"""

#: A program that fills in the blanks of the template that it comes with.
GENERATOR = """
import { cpSync, readFileSync, writeFileSync } from "node:fs";
const [name, ...options] = process.argv.slice(2);
const type = options.find(one => one.startsWith("--type=")).slice(7);
const lang = options.find(one => one.startsWith("--lang=")).slice(7);
cpSync(new URL(`../templates/${type}/${lang}`, import.meta.url), name, { recursive: true });
for (const file of ["wrangler.jsonc", "package.json"])
  writeFileSync(`${name}/${file}`, readFileSync(`${name}/${file}`, "utf8").replace(/<[A-Z_]+>/g, name));
if (process.env.PATCHES) writeFileSync(`${name}/src/index.js`, "export default { fetch: () => new Response('Bye') };");
"""


def wheels(folder: Path) -> Path:
    """Write the wheels of the cloud, of what speaks to it, and of cookiecutter; return their folder."""
    folder.mkdir()
    wheel(folder, "moto", "", CLOUD, command="moto_server")
    wheel(folder, "cookiecutter", "", COOKIECUTTER, command="cookiecutter")
    for name in ("boto3", "aws_sam_translator"):
        wheel(folder, name, "", CLIENT)
    return folder
