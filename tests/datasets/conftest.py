"""A server on the loopback interface, so that downloads are tested without a network."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Server(ThreadingHTTPServer):
    """Answers from `answers`: for each path the replies in turn, the last one for ever.

    A reply is (status, headers, content); a negative status closes the connection half-way.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {}
        self.asked = []
        self.find = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def serve(self, path, content, status=200, headers=None):
        self.answers.setdefault(path, []).append((status, headers or {}, content))


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        replies = self.server.answers.get(self.path)
        if replies is None and self.server.find is not None:
            replies = [self.server.find(self.path)]
        replies = replies or [(404, {}, b"no such file")]
        status, headers, content = replies.pop(0) if len(replies) > 1 else replies[0]
        self.send_response(abs(status))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if status > 0 else content[: len(content) // 2])

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_data_of_the_user(monkeypatch, tmp_path):
    """Tests read and write nothing outside their own folder."""
    monkeypatch.delenv("GRAMIAN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
