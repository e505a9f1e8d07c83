"""Measures shelfd against a floor and against what people use instead, in one sitting: pairs in turn, medians.

Called by contrib/bench, which builds the programs. Prints a table: row, must, wanted, measured, ok.
"""
import argparse
import math
import os
import sqlite3
import statistics
import sys
import tempfile
import threading
import time

from processes import INCREMENTAL, RESOURCE, RISING, Daemon, Server, run
from report import Report

HERE = os.path.dirname(os.path.abspath(__file__))


def measure(programs, server, page_size, repeat, order, resource):
    """Seconds by name, of a list in rising or falling order of its keys: medians are taken later.

    `resource` asks for the one or the other.
    """
    taken = {name: ([], []) for name in ("floor", "first", "restarted", "unchanged", "changed")}
    exact = True
    for turn in range(repeat):
        server.fill(measure.rows, order)
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            add(taken["floor"], run([programs + "/bench_floor", server.url(page_size), home + "/floor.db"]))
            check_floor(home + "/floor.db")
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            daemon = Daemon(programs, server, page_size, home, resource=resource)
            add(taken["first"], daemon.first_load(closing=True))
            add(taken["restarted"], daemon.full_pass())  # which pages it knows is in memory only
            add(taken["unchanged"], daemon.full_pass())
            server.ask(f"/bench/change?share=0.01&seed={turn + 1}")
            add(taken["changed"], daemon.full_pass(closing=True))
            exact = exact and daemon.is_exact()
            daemon.stop()
    return taken, exact


def check_floor(path):
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT count(*) FROM recipes").fetchone()[0]
    if rows != measure.rows:
        sys.exit(f"bench: the floor wrote {rows} rows, {measure.rows} expected")


def measure_rivals(programs, server, page_size, repeat, rows):
    taken = {name: ([], []) for name in ("shelfd", "utils", "tuned", "shell")}
    server.fill(rows)
    for turn in range(repeat):
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            daemon = Daemon(programs, server, page_size, home)
            add(taken["shelfd"], daemon.first_load(closing=True))
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
            peaks.append(daemon.memory("VmHWM"))
            daemon.stop()
    return peaks


def measure_changed(programs, server, page_size, rows, share):
    """A pass that finds another value in so many rows: peak MiB of a daemon that does only that, largest WAL against the data."""
    server.fill(rows)
    with tempfile.TemporaryDirectory(dir=measure.directory) as home:
        daemon = Daemon(programs, server, page_size, home)
        daemon.first_load()
        daemon.stop()
        mirror = f"{home}/mirrors/bench/bench.db"
        data = os.path.getsize(mirror)
        server.ask(f"/bench/change?share={share}&seed=1")
        daemon.start()
        daemon.ctl("wait", "--timeout", "1h")
        largest, ended = 0, threading.Event()

        def watch():
            nonlocal largest
            while not ended.wait(0.02):
                if os.path.exists(mirror + "-wal"):
                    largest = max(largest, os.path.getsize(mirror + "-wal"))

        watcher = threading.Thread(target=watch)
        watcher.start()
        daemon.full_pass()
        ended.set()
        watcher.join()
        with daemon.database() as database:
            changed = database.execute("SELECT changed FROM _runs ORDER BY rowid DESC LIMIT 1").fetchone()[0]
        peak = daemon.memory("VmHWM")
        daemon.stop()
    if abs(changed - share * rows) > 0.001 * rows or (share < 1) == (changed == rows):
        sys.exit(f"bench: {changed} rows changed, {share * rows:.0f} expected")
    return peak, largest / data


def measure_many(programs, server, page_size, libraries, rows, repeat):
    """The wall of many first loads at once, from the start of the daemon, against the floor with as many rows in one."""
    ratios = []
    for _ in range(repeat):
        server.fill(libraries * rows)
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            floor = run([programs + "/bench_floor", server.url(page_size), home + "/floor.db"])[0]
        server.fill(rows)
        ratios.append(first_loads(programs, server, page_size, libraries) / floor)
    return statistics.median(ratios)


def measure_many_slow(programs, server, page_size, libraries, repeat, pages=10, in_flight=32, delay=0.05):
    """The wall of many first loads over a slow line, from the start of the daemon, against ideal pipelining of all pages."""
    server.fill(pages * page_size)
    server.ask(f"/bench/delay?ms={delay * 1000:.0f}")
    walls = [first_loads(programs, server, page_size, libraries) for _ in range(repeat)]
    server.ask("/bench/delay?ms=0")
    return statistics.median(walls) / ((1 + math.ceil((libraries * pages - 1) / in_flight)) * delay)


def first_loads(programs, server, page_size, libraries):
    """Seconds from the start of a daemon that has a token set for each library to the moment when all tables are fresh."""
    names = [f"library{number}" for number in range(libraries)]
    with tempfile.TemporaryDirectory(dir=measure.directory) as home:
        daemon = Daemon(programs, server, page_size, home, names, paused=True)
        daemon.import_sets()
        daemon.stop()
        daemon.configure(RESOURCE)
        began = time.monotonic()
        daemon.start()
        daemon.ctl("wait", "--timeout", "1h")
        taken = time.monotonic() - began
        daemon.stop()
    return taken


def measure_latency(programs, server, page_size, repeat, pages=100, in_flight=8, delay=0.05):
    """The wall of a first load over a slow line, canaries and closing look included, against ideal pipelining."""
    server.fill(pages * page_size)
    server.ask(f"/bench/delay?ms={delay * 1000:.0f}")
    walls = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(dir=measure.directory) as home:
            daemon = Daemon(programs, server, page_size, home)
            walls.append(daemon.first_load()[0])
            daemon.stop()
    server.ask("/bench/delay?ms=0")
    return statistics.median(walls) / ((1 + math.ceil((pages - 1) / in_flight)) * delay)


def measure_idle(programs, server, page_size, libraries, seconds):
    """MiB resident, share of a core, and peak of a daemon that has synced many libraries, and has nothing to do.

    Within two minutes after the first passes each mirror gets its records of the token set and the limit, and each library
    gives back what its passes have used; that is no idling.
    """
    server.fill(10)
    with tempfile.TemporaryDirectory(dir=measure.directory) as home:
        daemon = Daemon(programs, server, page_size, home, [f"library{number}" for number in range(libraries)])
        daemon.import_sets()
        daemon.ctl("wait", "--timeout", "1h")
        time.sleep(120)
        before = daemon.cpu()
        time.sleep(seconds)
        taken = (daemon.cpu() - before) / seconds
        resident, peak = daemon.memory("VmRSS"), daemon.memory("VmHWM")
        daemon.stop()
    return resident, taken * 100, peak


def measure_poll(programs, server, page_size, polls):
    """Milliseconds of CPU of an incremental pass that finds nothing, the request for it on the socket included."""
    server.fill(2000)
    with tempfile.TemporaryDirectory(dir=measure.directory) as home:
        daemon = Daemon(programs, server, page_size, home, resource=RESOURCE + INCREMENTAL)
        daemon.first_load()
        daemon.ctl("sync", "bench")  # the filter is tried out
        before = daemon.cpu()
        for _ in range(polls):
            daemon.ctl("sync", "bench")
        taken = (daemon.cpu() - before) / polls
        if daemon.newest_run()[1] != "incremental":
            sys.exit(f"bench: no incremental pass: {daemon.newest_run()}")
        daemon.stop()
    return taken * 1000


def add(pair, both):
    pair[0].append(both[0])
    pair[1].append(both[1])


def ratio(taken, name, against, which):
    return statistics.median(a / b for a, b in zip(taken[name][which], taken[against][which]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--page-size", type=int, default=200)
    parser.add_argument("--rival-rows", type=int, default=50_000)
    parser.add_argument("--memory", default="20000,200000,1000000")
    parser.add_argument("--libraries", type=int, default=100)
    parser.add_argument("--idle", type=int, default=1000)
    parser.add_argument("--idle-seconds", type=int, default=120)
    parser.add_argument("--polls", type=int, default=400)
    parser.add_argument("--look", action="store_true", help="whatever was measured, exit with 0")
    options = parser.parse_args()
    measure.rows, measure.directory = options.rows, options.directory
    server = Server(options.programs)
    try:
        report(options, server)
    finally:
        server.stop()


def report(options, server):
    size = options.page_size
    table = Report()
    rows = options.rows
    floor_row = None  # us of CPU
    lists = (("falling", RESOURCE, "newest first"), ("rising", RESOURCE, "oldest first, whatever is asked for"),
             ("rising", RISING, "oldest first"), ("falling", RISING, "newest first, whatever is asked for"))
    for order, resource, text in lists:
        taken, exact = measure(options.programs, server, size, options.repeat, order, resource)
        floor = statistics.median(taken["floor"][0])
        row = statistics.median(taken["floor"][1]) / rows * 1e6
        floor_row = min(floor_row or row, row)
        print(f"a list of {rows} rows, {text}")
        table.fact("the floor F: rows/s, us CPU a row",
                   f"{rows / floor:.0f} {statistics.median(taken['floor'][1]) / rows * 1e6:.1f}")
        table.line("first load: rows/s against F", 0.70, 1.1, 1 / ratio(taken, "first", "floor", 0), True)
        table.line("            CPU against F", 1.5, 0.9, ratio(taken, "first", "floor", 1))
        table.line("unchanged full pass: wall against F's first load", 0.25, 0.13, ratio(taken, "unchanged", "floor", 0))
        table.line("                     CPU", 0.22, 0.08, ratio(taken, "unchanged", "floor", 1))
        table.fact("                     CPU after a restart", f"{ratio(taken, 'restarted', 'floor', 1):.2f}")
        table.line("1 % changed full pass: wall against F's first load", 0.40, 0.30, ratio(taken, "changed", "floor", 0))
        table.line("                       mirror exact after it", 1, 1, int(exact), True, "{:.0f}")
    rivals = measure_rivals(options.programs, server, size, options.repeat, options.rival_rows)
    for name, text, musts in (("utils", "the sqlite-utils library", (4.5, 7, 6, 10)),
                              ("tuned", "Python tuned by hand, raw kept", (3.5, 5.5, 4.5, 8))):
        table.line(f"against {text}: wall, times faster", musts[0], musts[1], ratio(rivals, name, "shelfd", 0), True)
        table.line("    CPU, times less", musts[2], musts[3], ratio(rivals, name, "shelfd", 1), True)
    for which, text in ((0, "against curl, jq and sqlite3: wall, times faster"), (1, "    CPU, times less")):
        table.fact(text, f"{rivals['shell'][which][0] / statistics.median(rivals['shelfd'][which]):.1f}")
    table.line(f"{options.libraries} libraries of 2000 rows: wall against F with as many rows", 1.4, 0.7,
               measure_many(options.programs, server, size, options.libraries, 2000, options.repeat))
    table.line("50 ms a request, 100 pages, 8 in flight: wall against ideal", 1.4, 1.1,
               measure_latency(options.programs, server, size, options.repeat))
    table.line(f"50 ms a request, {options.libraries} libraries of 10 pages: wall against ideal at 32", 1.5, 1.1,
               measure_many_slow(options.programs, server, size, options.libraries, options.repeat))
    # The figures in milliseconds are for a machine whose floor takes 5.1 us of CPU a row.
    poll = measure_poll(options.programs, server, size, options.polls)
    table.fact("CPU of a poll that finds nothing, ms", f"{poll:.2f}")
    table.line("    in rows of the floor", 1500 / 5.1, 800 / 5.1, poll * 1000 / floor_row, form="{:.0f}")
    resident, share, peak = measure_idle(options.programs, server, size, options.idle, options.idle_seconds)
    table.line(f"{options.idle} idle libraries: resident, MiB", 40, 24, resident)
    table.line("    CPU, % of a core", 0.1, 0.02, share, form="{:.3f}")
    table.fact("    peak while their tables of 10 rows were loaded, MiB", f"{peak:.1f}")
    sizes = [int(text) for text in options.memory.split(",")]
    peaks = measure_memory(options.programs, server, size, sizes)
    for rows, peak in zip(sizes, peaks):
        table.fact(f"peak memory of {rows} rows, MiB", f"{peak:.1f}")
    table.line("peak memory of the largest, MiB", 48, 36, peaks[-1])
    table.line("    growth from the smallest to the largest, %", 10, 2, (peaks[-1] / peaks[0] - 1) * 100)
    # Where one row stays, the new rows are merged into the old ones instead of taking their place.
    for share, text in ((1, f"all of {sizes[-1]} rows changed"), (0.999, "99.9 % of them changed")):
        peak, wal = measure_changed(options.programs, server, size, sizes[-1], share)
        if share == 1:
            table.line(f"{text}: peak memory, MiB", 96, 64, peak)
            table.line("    largest WAL against the data", 1, 0.7, wal)
        else:
            table.fact(f"{text}: peak memory, MiB; WAL against the data", f"{peak:.1f} {wal:.2f}")
    sys.exit(1 if table.failed and not options.look else 0)


if __name__ == "__main__":
    main()
