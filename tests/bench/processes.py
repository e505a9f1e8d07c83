"""The programs that a benchmark runs: the service, and the daemon with one library or many."""
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from datetime import datetime

LIST = "/api/v2/library/recipes/"
SERVICE = """
[service]
base_url   = "{origin}"
rate_limit = "{rate_limit}"
page_size  = {page_size}
identity   = {{ path = "/api/v2/accounts/libraries/current/", field = "id" }}
[storage]
mirrors = "{home}/mirrors"
tokens  = "{home}/tokens"
allow_unsafe = true
[control]
socket  = "{home}/control.sock"
readers = ""
admins  = ""
[log]
level = "error"
"""
RESOURCE = """
[resource.{table}]
path     = "{path}"
ordering = "-id"
every    = "366d"
"""
RISING = RESOURCE.replace('"-id"', '"id"')
INCREMENTAL = """
incremental = { param = "modified_date__gt", field = "modified_date" }
"""
LIBRARY = """
[library.{name}]
client_id     = "{name}"
client_secret = {{ file = "{home}/secret" }}
"""


class Server:
    def __init__(self, programs):
        self.process = subprocess.Popen([programs + "/bench_list_server"], stdout=subprocess.PIPE, text=True)
        self.origin = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"

    def ask(self, path):
        request = urllib.request.Request(self.origin + path, headers={"Authorization": "Bearer bench-access"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def fill(self, rows, order="falling"):
        """Rows by falling or by rising key, whatever `ordering` asks for."""
        self.ask(f"/bench/fill?rows={rows}&order={order}")

    def url(self, page_size):
        return f"{self.origin}{LIST}?ordering=-id&page=1&page_size={page_size}"

    def stop(self):
        self.process.kill()
        self.process.wait()


def run(command):
    """Wall and CPU seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Daemon:
    """One shelfd with empty mirrors, from its start to its end."""

    def __init__(self, programs, server, page_size, home, libraries=("bench",), resource=RESOURCE,
                 paused=False, tables=("recipes",), rate_limit="none"):
        self.programs, self.home, self.server = programs, home, server
        self.page_size, self.libraries = page_size, libraries
        self.tables, self.rate_limit = tables, rate_limit
        for name in ("mirrors", "tokens"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        self.write("secret", "bench\n")
        self.configure(resource, paused)
        self.start()

    def write(self, name, text):
        with open(f"{self.home}/{name}", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(text)

    def configure(self, resource, paused=False):
        values = {"origin": self.server.origin, "home": self.home, "page_size": self.page_size,
                  "rate_limit": self.rate_limit}
        lists = "".join(resource.replace("{path}", LIST).replace("{table}", table) for table in self.tables)
        self.write("shelfd.toml", SERVICE.format(**values) + lists + "".join(
            LIBRARY.format(name=name, **values) + ("paused = true\n" if paused else "") for name in self.libraries))

    def start(self):
        self.process = subprocess.Popen([self.programs + "/shelfd", "--config", f"{self.home}/shelfd.toml"],
                                        stdout=subprocess.DEVNULL)
        while not os.path.exists(f"{self.home}/control.sock"):
            if self.process.poll() is not None:
                sys.exit("bench: shelfd did not start")
            time.sleep(0.01)

    def ctl(self, *words, text=None):
        return subprocess.run([self.programs + "/shelfctl", "--config", f"{self.home}/shelfd.toml", *words],
                              input=text, text=True, check=True, stdout=subprocess.PIPE).stdout

    def import_sets(self):
        for name in self.libraries:
            token = {"access_token": f"bench-{name}", "token_type": "Bearer", "expires_in": 604800, "scope": "library"}
            self.ctl("auth", "import", name, "--access-only", text=json.dumps(token))

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, name):
        """MiB: VmHWM (peak) or VmRSS (now)."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def fresh_tables(self, library):
        """How many there are; 0 while there is no mirror."""
        try:
            with self.database(library) as database:
                return database.execute("SELECT count(*) FROM freshness WHERE state = 'fresh'").fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    def database(self, library="bench"):
        return sqlite3.connect(f"file:{self.home}/mirrors/{library}/{library}.db?mode=ro", uri=True)

    def newest_run(self):
        with self.database() as database:
            row = database.execute("SELECT result, mode FROM _runs ORDER BY rowid DESC LIMIT 1").fetchone()
        if row is None or row[0] not in ("published", "unchanged"):
            sys.exit(f"bench: the pass was not published: {row}")
        return row

    # Both give wall and CPU seconds as a person sees them: from the command to its end, publication and proof included.
    # With `closing`, until the daemon has ended, too: as the floor's end does, it writes the rest of the WAL back.
    def first_load(self, closing=False):
        before, began = self.cpu(), time.monotonic()
        self.import_sets()
        self.ctl("wait", "--timeout", "1h")  # the pass begins by itself
        self.await_proof()
        return self.ended(before, began, closing)

    def full_pass(self, closing=False):
        before, began = self.cpu(), time.monotonic()
        self.ctl("sync", "bench", "recipes", "--full")
        return self.ended(before, began, closing)

    def await_proof(self):
        """Returns when the walk that proves the first load has ended, too: a list in another order takes a second one."""
        while True:
            with self.database() as database:
                if database.execute("SELECT count(*) FROM freshness WHERE proven_as_of IS NULL").fetchone()[0] == 0:
                    return
            time.sleep(0.02)

    def ended(self, before, began, closing):
        if not closing:
            wall, cpu = time.monotonic() - began, self.cpu()
            self.newest_run()
            return wall, cpu - before
        cpu = self.stop()
        wall = time.monotonic() - began
        self.newest_run()
        self.start()
        return wall, cpu - before

    def is_exact(self):
        """Every value of every row against the service."""
        with self.database() as database:
            database.row_factory = sqlite3.Row
            mirror = {row["id"]: row for row in database.execute("SELECT * FROM recipes")}
        number, seen = 1, 0
        while True:
            page = self.server.ask(f"{LIST}?ordering=-id&page={number}&page_size=2000")
            for item in page["results"]:
                row = mirror.get(item["id"])
                if row is None or not all(same(name, value, row) for name, value in item.items()):
                    return False
                seen += 1
            if page["next"] is None:
                return seen == len(mirror)
            number += 1

    def stop(self):
        """Returns the CPU seconds of its whole life."""
        self.process.send_signal(signal.SIGTERM)
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_utime + used.ru_stime


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def same(name, value, row):
    if name.endswith("_date"):  # instants have one form in the mirror
        return row[name] is not None and row[name].endswith("Z") and instant(row[name]) == instant(value)
    if value is None:
        return name not in row.keys() or row[name] is None
    if isinstance(value, (dict, list)):
        return json.loads(row[name]) == value
    return row[name] == value
