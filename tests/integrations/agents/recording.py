"""Providers of OpenTelemetry whose spans and log records go to a file, and a model that needs no network.

The scripts beside this one run in an environment of their own, `.venv-agents`: `python SCRIPT FILE`.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry import _logs, trace
from opentelemetry.exporter.otlp.json.file._log_exporter import FileLogExporter
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

CITIES = ("Oslo", "Rome")
ANSWER = "Take a coat."

provider = TracerProvider()
logger_provider = LoggerProvider()


def record() -> None:
    """Write what the providers get to the files that the command line names."""
    spans, records = sys.argv[1:]
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(spans)))
    logger_provider.add_log_record_processor(SimpleLogRecordProcessor(FileLogExporter(records)))
    trace.set_tracer_provider(provider)
    _logs.set_logger_provider(logger_provider)


class _Model(BaseHTTPRequestHandler):
    """OpenAI's chat completions: a tool is called for both cities, and its results get an answer."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said, tools = body["messages"], body.get("tools", [])
        message: dict[str, Any] = {"role": "assistant", "content": ANSWER}
        if tools and said[-1]["role"] != "tool":
            wanted = [{"name": tools[0]["function"]["name"], "arguments": json.dumps({"city": one})} for one in CITIES]
            calls = [
                {"id": f"call_{len(said)}_{one['arguments']}", "type": "function", "function": one} for one in wanted
            ]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {
            "index": 0,
            "finish_reason": "tool_calls" if message["content"] is None else "stop",
            "message": message,
        }
        usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
        found = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        data = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def openai_address() -> str:
    """Start a server for the process, and return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"
