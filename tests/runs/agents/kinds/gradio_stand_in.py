"""A stand-in for Gradio: a server and its client that speak over a real socket, as the real ones do as far as is asked.

The server gives out a page and its configuration, and takes calls in two steps, as Gradio's does: a call is answered
with an id, and what it comes to is asked for by that id. Both are installed by pip, from wheels in a folder.
"""

from __future__ import annotations

from pathlib import Path

from tests.runs.agents.wheels import wheel

SERVER = """
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXT = {"parameter_name": "x", "parameter_has_default": False, "type": {"type": "string"}, "component": "Textbox"}
SLIDER = {"parameter_name": "n", "parameter_has_default": True, "parameter_default": 5,
          "type": {"type": "number"}, "component": "Slider"}


def launch(function, *, page=b"<html><title>Bird</title></html>", status=200, parameters=(TEXT,), props=({},)):
    called = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/config":
                components = [{"id": n, "type": "textbox", "props": its} for n, its in enumerate(props)]
                dependencies = [{"id": 0, "api_name": "predict", "inputs": list(range(len(props)))}]
                return self.give({"components": components, "dependencies": dependencies})
            if self.path == "/gradio_api/info":
                return self.give({"named_endpoints": {"/predict": {"parameters": list(parameters)}},
                                  "unnamed_endpoints": {}})
            if self.path.startswith("/gradio_api/call/predict/"):
                try:
                    return self.give({"complete": function(*called[self.path.rsplit("/", 1)[-1]])})
                except Exception as error:
                    return self.give({"error": str(error)})
            self.give(page, status)

        def do_POST(self):
            event = str(len(called))
            called[event] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["data"]
            self.give({"event_id": event})

        def give(self, what, status=200):
            body = what if isinstance(what, bytes) else json.dumps(what).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if isinstance(what, bytes) else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    place = (os.environ["GRADIO_SERVER_NAME"], int(os.environ["GRADIO_SERVER_PORT"]))
    print(f"* Running on local URL:  http://{place[0]}:{place[1]}", flush=True)
    ThreadingHTTPServer(place, Handler).serve_forever()
"""

CLIENT = """
import json, urllib.request

ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def handle_file(path):
    return {"path": path}


class Client:
    def __init__(self, address, verbose=True):
        self.address = address.rstrip("/")
        self.config = json.load(ask(self.address + "/config", timeout=10))

    def view_api(self, return_format, print_info):
        return json.load(ask(self.address + "/gradio_api/info", timeout=10))

    def submit(self, *values, api_name):
        call = f"{self.address}/gradio_api/call{api_name}"
        event = json.load(ask(urllib.request.Request(call, json.dumps({"data": values}).encode()), timeout=10))
        return Job(f"{call}/{event['event_id']}")


class Job:
    def __init__(self, address):
        self.address = address

    def result(self, timeout):
        said = json.load(ask(self.address, timeout=timeout))
        if "error" in said:
            raise RuntimeError(said["error"])
        return said["complete"]
"""


def wheels(folder: Path) -> Path:
    """Write the wheels into a folder, and return it."""
    folder.mkdir()
    wheel(folder, "gradio", "", SERVER)
    wheel(folder, "gradio_client", "", CLIENT)
    return folder
