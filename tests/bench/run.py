"""Measures shelfd against a floor and against what people use instead, in one sitting: pairs in turn, medians.

Called by contrib/bench, which builds the programs. Prints a table: row, must, wanted, measured, ok.
"""
import argparse
import json
import os
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = "/api/v2/library/recipes/"
CONFIGURATION = """
[service]
base_url   = "{origin}"
rate_limit = "none"
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
level = "warning"
[resource.recipes]
path     = "{path}"
ordering = "-id"
every    = "366d"
[library.bench]
client_id     = "bench"
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

    def fill(self, rows):
        self.ask(f"/bench/fill?rows={rows}")

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
    """One shelfd with an empty mirror, from its start to its end."""

    def __init__(self, programs, server, page_size, home):
        self.programs, self.home, self.server = programs, home, server
        self.page_size = page_size
        for name in ("mirrors", "tokens"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        for name, text in (("secret", "bench\n"), ("shelfd.toml", CONFIGURATION.format(
                origin=server.origin, home=home, path=LIST, page_size=page_size))):
            with open(f"{home}/{name}", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(text)
        self.process = subprocess.Popen([programs + "/shelfd", "--config", f"{home}/shelfd.toml"],
                                        stdout=subprocess.DEVNULL)
        while not os.path.exists(f"{home}/control.sock"):
            if self.process.poll() is not None:
                sys.exit("bench: shelfd did not start")
            time.sleep(0.01)

    def ctl(self, *words, text=None):
        return subprocess.run([self.programs + "/shelfctl", "--config", f"{self.home}/shelfd.toml", *words],
                              input=text, text=True, check=True, stdout=subprocess.PIPE).stdout

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    def database(self):
        return sqlite3.connect(f"file:{self.home}/mirrors/bench/bench.db?mode=ro", uri=True)

    def newest_run(self):
        with self.database() as database:
            row = database.execute(
                "SELECT (julianday(finished_at) - julianday(started_at)) * 86400, result, rows, changed, rowid FROM _runs"
                " ORDER BY rowid DESC LIMIT 1").fetchone()
        if row is None or row[1] != "published":
            sys.exit(f"bench: the pass was not published: {row}")
        return row

    def first_load(self):
        before = self.cpu()
        token = {"access_token": "bench-access", "token_type": "Bearer", "expires_in": 604800, "scope": "library"}
        self.ctl("auth", "import", "bench", "--access-only", text=json.dumps(token))
        while True:  # the pass begins by itself
            time.sleep(0.05)
            with self.database() as database:
                if database.execute("SELECT count(*) FROM _runs WHERE result = 'published'").fetchone()[0]:
                    break
        return self.newest_run()[0], self.cpu() - before

    def full_pass(self):
        before = self.cpu()
        self.ctl("sync", "bench", "recipes", "--full")
        return self.newest_run()[0], self.cpu() - before

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
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def same(name, value, row):
    if name.endswith("_date"):  # instants have one form in the mirror
        return row[name] is not None and row[name].endswith("Z") and row[name][14:16] == value[14:16]
    if value is None:
        return name not in row.keys() or row[name] is None
    if isinstance(value, (dict, list)):
        return json.loads(row[name]) == value
    return row[name] == value


def measure(programs, server, page_size, repeat):
    """Seconds by name: medians are taken later."""
    taken = {name: ([], []) for name in ("floor", "first", "unchanged", "changed")}
    exact = True
    for turn in range(repeat):
        server.fill(measure.rows)
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            add(taken["floor"], run([programs + "/bench_floor", server.url(page_size), home + "/floor.db"]))
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            daemon = Daemon(programs, server, page_size, home)
            add(taken["first"], daemon.first_load())
            add(taken["unchanged"], daemon.full_pass())
            server.ask(f"/bench/change?share=0.01&seed={turn + 1}")
            add(taken["changed"], daemon.full_pass())
            exact = exact and daemon.is_exact()
            daemon.stop()
    return taken, exact


def measure_rivals(programs, server, page_size, repeat, rows):
    taken = {name: ([], []) for name in ("shelfd", "utils", "tuned", "shell")}
    server.fill(rows)
    for turn in range(repeat):
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            daemon = Daemon(programs, server, page_size, home)
            add(taken["shelfd"], daemon.first_load())
            daemon.stop()
        for name in ("utils", "tuned", "shell"):
            if name == "shell" and turn > 0:
                continue  # slow, and there is no bar to clear
            with tempfile.TemporaryDirectory(dir=measure.directory) as home:
                command = [HERE + "/shell.sh"] if name == "shell" else ["/usr/bin/python3", HERE + "/rivals.py", name]
                add(taken[name], run([*command, server.url(page_size), home + "/rival.db"]))
    return taken


def measure_memory(programs, server, page_size, sizes):
    peaks = []
    for rows in sizes:
        server.fill(rows)
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            daemon = Daemon(programs, server, page_size, home)
            daemon.first_load()
            daemon.full_pass()
            peaks.append(daemon.peak())
            daemon.stop()
    return peaks


def add(pair, both):
    pair[0].append(both[0])
    pair[1].append(both[1])


def ratio(taken, name, against, which):
    return statistics.median(a / b for a, b in zip(taken[name][which], taken[against][which]))


class Report:
    def __init__(self):
        self.failed = False
        print(f"{'row':<58} {'must':>9} {'wanted':>9} {'measured':>9}  ok")

    def line(self, text, must, wanted, value, at_least=False, form="{:.2f}"):
        good = value >= must if at_least else value <= must
        best = value >= wanted if at_least else value <= wanted
        sign = ">= " if at_least else "<= "
        self.failed = self.failed or not good
        print(f"{text:<58} {sign + form.format(must):>9} {sign + form.format(wanted):>9} {form.format(value):>9}  "
              f"{'wanted' if best else 'yes' if good else 'NO'}", flush=True)

    def fact(self, text, value):
        print(f"{text:<58} {'':>9} {'':>9} {value:>9}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--page-size", type=int, default=200)
    parser.add_argument("--rival-rows", type=int, default=50_000)
    parser.add_argument("--memory", default="20000,200000,1000000")
    options = parser.parse_args()
    measure.rows, measure.directory = options.rows, options.directory
    server = Server(options.programs)
    try:
        report(options, server)
    finally:
        server.stop()


def report(options, server):
    size = options.page_size
    taken, exact = measure(options.programs, server, size, options.repeat)
    table = Report()
    rows = options.rows
    floor = statistics.median(taken["floor"][0])
    table.fact(f"the floor F, {rows} rows: rows/s, us CPU a row",
               f"{rows / floor:.0f} {statistics.median(taken['floor'][1]) / rows * 1e6:.1f}")
    table.line(f"first load of {rows} rows: rows/s against F", 0.70, 1.1, 1 / ratio(taken, "first", "floor", 0), True)
    table.line("                         CPU against F", 1.5, 0.9, ratio(taken, "first", "floor", 1))
    table.line("unchanged full pass: wall against F's first load", 0.25, 0.13, ratio(taken, "unchanged", "floor", 0))
    table.line("                     CPU", 0.22, 0.08, ratio(taken, "unchanged", "floor", 1))
    table.line("1 % changed full pass: wall against F's first load", 0.40, 0.30, ratio(taken, "changed", "floor", 0))
    table.line("                       mirror exact after it", 1, 1, int(exact), True, "{:.0f}")
    rivals = measure_rivals(options.programs, server, size, options.repeat, options.rival_rows)
    for name, text, musts in (("utils", "the sqlite-utils library", (4.5, 7, 6, 10)),
                              ("tuned", "Python tuned by hand, raw kept", (3.5, 5.5, 4.5, 8))):
        table.line(f"against {text}: wall, times faster", musts[0], musts[1], ratio(rivals, name, "shelfd", 0), True)
        table.line("    CPU, times less", musts[2], musts[3], ratio(rivals, name, "shelfd", 1), True)
    for which, text in ((0, "against curl, jq and sqlite3: wall, times faster"), (1, "    CPU, times less")):
        table.fact(text, f"{rivals['shell'][which][0] / statistics.median(rivals['shelfd'][which]):.1f}")
    sizes = [int(text) for text in options.memory.split(",")]
    peaks = measure_memory(options.programs, server, size, sizes)
    for rows, peak in zip(sizes, peaks):
        table.fact(f"peak memory of {rows} rows, MiB", f"{peak:.1f}")
    table.line("peak memory of the largest, MiB", 48, 36, peaks[-1])
    table.line("    growth from the smallest to the largest, %", 10, 2, (peaks[-1] / peaks[0] - 1) * 100)
    sys.exit(1 if table.failed else 0)


if __name__ == "__main__":
    main()
