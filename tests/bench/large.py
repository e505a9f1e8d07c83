"""What large answers take: the peak of the daemon's memory after one pass over a list that comes in a single answer, and
while many libraries get one at the same time.

Called by contrib/bench --large, which builds the programs. Prints a line for each answer, and what their memory must be.
All of them are smaller than the default of `max_body`.
"""
import argparse
import http.server
import sys
import tempfile
import threading

from processes import Daemon, LIST
from report import Report

WIDE = ',"name":"Tomato soup","note":"' + "x" * 780 + '","price":12.5,"tags":["soup","hot"]'
LIBRARIES = 20
CHUNK = 64 * 1024
RESOURCE = """
[resource.{table}]
path  = "{path}"
every = "366d"
"""


def rows(count, filling):
    return "[" + ",".join(f'{{"id":{number}{filling}}}' for number in range(1, count + 1)) + "]"


def answers():
    large = rows(60_000, WIDE)
    return {
        "bare array": (large, 60_000),
        "array, no length": (large, 60_000),
        "one page": (f'{{"count":60000,"next":null,"previous":null,"results":{large}}}', 60_000),
        "tiny rows": (rows(700_000, ""), 700_000),
        "one text of 60 MB": ('[{"id":1,"photo":"' + "p" * 60_000_000 + '"}]', 0),
    }


class Service(http.server.ThreadingHTTPServer):
    """Answers each request for the list with the same text, whatever is asked for, and tells that one token works."""
    daemon_threads = True
    body = b""
    states_length = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            works = self.headers.get("Authorization", "").startswith("Bearer bench-")
            is_list = self.path.startswith(LIST)
            is_first = not any(word in self.path for word in ("page=2", "offset="))
            body = self.server.body if is_list and is_first else b"[]" if is_list else b'{"id":1}'
            self.send_response(200 if works else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("WWW-Authenticate", "Bearer")
            if works and is_list and not self.server.states_length:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for begin in range(0, len(body), CHUNK):
                    piece = body[begin:begin + CHUNK]
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")
                return
            self.send_header("Content-Length", str(len(body) if works else 0))
            self.end_headers()
            self.wfile.write(body if works else b"")

        def log_message(self, *words):
            pass

    def handle_error(self, request, address):
        """The daemon ends a connection when it has read enough."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


def load(options, service, names, text, expected):
    """Peak MiB of a daemon that loads this answer into each of so many mirrors, and why the first one is as it is."""
    service.body = text.encode()
    with tempfile.TemporaryDirectory(dir=options.directory) as home:
        daemon = Daemon(options.programs, service, 200, home, names, paused=True)
        daemon.import_sets()
        daemon.stop()
        daemon.configure(RESOURCE)
        daemon.start()
        try:
            daemon.ctl("wait", "--timeout", "10m")
        except Exception:  # the text is refused
            pass
        for name in names:
            with daemon.database(name) as database:
                count = database.execute("SELECT count(*) FROM recipes").fetchone()[0]
                why = database.execute("SELECT coalesce(why, '') FROM freshness WHERE resource = 'recipes'").fetchone()[0]
            if count != expected:
                raise SystemExit(f"bench: {count} rows in {name}, {expected} expected: {why}")
        peak = daemon.memory("VmHWM")
        daemon.stop()
    return peak, why


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--directory", required=True)
    options = parser.parse_args()
    service = Service()
    table = Report()
    for name, (text, expected) in answers().items():
        service.states_length = name != "array, no length"
        peak, why = load(options, service, ("bench",), text, expected)
        table.line(f"{name}, {len(text) / 1e6:.1f} MB, {expected} rows: peak MiB", 128, 80, peak, form="{:.1f}")
        if why:
            print(f"    {why}")
    text = rows(24_000, WIDE)
    for service.states_length, size in ((True, ""), (False, ", no length")):
        peak, _ = load(options, service, [f"library{number}" for number in range(LIBRARIES)], text, 24_000)
        name = f"{LIBRARIES} libraries, arrays of {len(text) / 1e6:.1f} MB{size}: peak MiB"
        table.line(name, 160, 128, peak, form="{:.1f}")
    sys.exit(1 if table.failed else 0)


if __name__ == "__main__":
    main()
