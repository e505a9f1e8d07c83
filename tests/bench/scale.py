"""What a machine carries: memory, descriptors, times and CPU of many libraries that are loaded first, each at its limit.

Called by contrib/bench --scale, which builds the programs. Prints a line for each size, and one for a single long list;
then what their memory must be.
"""
import argparse
import sys
import tempfile
import threading
import time

from processes import Daemon, RESOURCE, Server
from report import Report

HEAD = ("libraries", "tables", "rows each", "peak MiB", "descriptors", "first table s", "all fresh s", "CPU s")


def load(options, server, libraries, lists, rows, rate_limit):
    """The first load of so many libraries, from the start of the daemon."""
    server.fill(rows)
    names = [f"library{number}" for number in range(libraries)]
    tables = [f"list{number}" for number in range(lists)]
    with tempfile.TemporaryDirectory(dir=options.directory) as home:
        daemon = Daemon(options.programs, server, options.page_size, home, names, paused=True, tables=tables,
                        rate_limit=rate_limit)
        daemon.import_sets()
        daemon.stop()
        daemon.configure(RESOURCE)
        began = time.monotonic()
        daemon.start()
        loaded = threading.Event()
        waiter = threading.Thread(target=lambda: (daemon.ctl("wait", "--timeout", "2h"), loaded.set()))
        waiter.start()
        first, descriptors = None, 0
        while not loaded.wait(0.25):
            descriptors = max(descriptors, daemon.descriptors())
            # The first and the last library: a look into all of them would take longer than what is measured.
            if first is None and any(daemon.fresh_tables(name) for name in (names[0], names[-1])):
                first = time.monotonic() - began
        waiter.join()
        took = time.monotonic() - began
        line = (libraries, lists, rows, f"{daemon.memory('VmHWM'):.1f}", descriptors,
                f"{first if first is not None else took:.1f}", f"{took:.1f}", f"{daemon.cpu():.1f}")
        peak = daemon.memory("VmHWM")
        daemon.stop()
    print("".join(f"{value:>14}" for value in line), flush=True)
    return peak


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--directory", required=True)
    parser.add_argument("--page-size", type=int, default=200)
    parser.add_argument("--sizes", default="10x20x1000,100x20x1000,300x20x1000,100x20x5000")
    parser.add_argument("--long", type=int, default=5_000_000)
    options = parser.parse_args()
    server = Server(options.programs)
    try:
        print("".join(f"{name:>14}" for name in HEAD))
        peaks = {}
        for size in options.sizes.split(","):
            peaks[size] = load(options, server, *(int(number) for number in size.split("x")), "100/min")
        if options.long > 0:
            peaks["long"] = load(options, server, 1, 1, options.long, "none")
    finally:
        server.stop()
    print()
    table = Report()
    for size, peak in peaks.items():
        if size == "long":
            table.line(f"peak memory of one list of {options.long} rows, MiB", 48, 36, peak)
        else:
            table.line(f"peak memory of {size}, MiB", 160, 96, peak)
    sys.exit(1 if table.failed else 0)


if __name__ == "__main__":
    main()
