"""What large answers take: the peak of the daemon's memory after one pass over a list that comes in a single answer.

Called by contrib/bench --large, which builds the programs. Prints a line for each answer. All of them are smaller than
the default of `max_body`.
"""
import argparse
import http.server
import tempfile
import threading

from processes import Daemon, LIST

RESOURCE = """
[resource.{table}]
path  = "{path}"
every = "366d"
"""


def rows(count, filling):
    return "[" + ",".join(f'{{"id":{number}{filling}}}' for number in range(1, count + 1)) + "]"


def answers():
    wide = ',"name":"Tomato soup","note":"' + "x" * 780 + '","price":12.5,"tags":["soup","hot"]'
    large = rows(60_000, wide)
    return {
        "bare array": (large, 60_000),
        "one page": (f'{{"count":60000,"next":null,"previous":null,"results":{large}}}', 60_000),
        "tiny rows": (rows(700_000, ""), 700_000),
        "one text of 60 MB": ('[{"id":1,"photo":"' + "p" * 60_000_000 + '"}]', 0),
    }


class Service(http.server.ThreadingHTTPServer):
    """Answers each request for the list with the same text, whatever is asked for, and tells that one token works."""
    daemon_threads = True
    body = b""

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--directory", required=True)
    options = parser.parse_args()
    service = Service()
    print(f"{'answer':<20}{'MB':>8}{'rows':>10}{'peak MiB':>10}  what became of it")
    for name, (text, expected) in answers().items():
        service.body = text.encode()
        with tempfile.TemporaryDirectory(dir=options.directory) as home:
            daemon = Daemon(options.programs, service, 200, home, ("bench",), paused=True)
            daemon.import_sets()
            daemon.stop()
            daemon.configure(RESOURCE)
            daemon.start()
            try:
                daemon.ctl("sync", "bench", "recipes")
            except Exception:  # the text is refused
                pass
            with daemon.database("bench") as database:
                count = database.execute("SELECT count(*) FROM recipes").fetchone()[0]
                why = database.execute("SELECT coalesce(why, '') FROM freshness WHERE resource = 'recipes'").fetchone()[0]
            print(f"{name:<20}{len(service.body) / 1e6:8.1f}{count:10}{daemon.memory('VmHWM'):10.1f}  {why[:200]}", flush=True)
            daemon.stop()
            if count != expected:
                raise SystemExit(f"bench: {count} rows, {expected} expected")


if __name__ == "__main__":
    main()
