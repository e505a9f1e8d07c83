"""What people use instead, as they would write it: each loads a list once. rivals.py utils|tuned URL FILE"""
import http.client
import json
import sqlite3
import sys
import urllib.parse
import urllib.request

HEADERS = {"Authorization": "Bearer bench-access"}


def with_sqlite_utils(url, path):
    import sqlite_utils

    table = sqlite_utils.Database(path)["recipes"]
    while url:
        with urllib.request.urlopen(urllib.request.Request(url, headers=HEADERS)) as answer:
            page = json.load(answer)
        table.upsert_all(page["results"], pk="id", alter=True)
        url = page["next"]


def tuned(url, path):
    """One kept connection, one statement, large transactions; the raw text of each row is kept."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    columns, insert, rows = None, None, 0
    database.execute("BEGIN")
    while url:
        parts = urllib.parse.urlsplit(url)
        connection.request("GET", parts.path + "?" + parts.query, headers=HEADERS)
        page = json.loads(connection.getresponse().read())
        if insert is None:
            columns = list(page["results"][0])
            names = ", ".join(f'"{name}"' for name in columns if name != "id")
            database.execute(f"CREATE TABLE recipes (id INTEGER PRIMARY KEY, {names}, raw)")
            marks = ", ".join("?" * (len(columns) + 1))
            insert = f"INSERT OR REPLACE INTO recipes (id, {names}, raw) VALUES ({marks})"
            columns.remove("id")
            columns.insert(0, "id")
        batch = []
        for item in page["results"]:
            row = [item[name] for name in columns]
            for i, value in enumerate(row):
                if isinstance(value, (dict, list)):
                    row[i] = json.dumps(value)
            row.append(json.dumps(item))
            batch.append(row)
        database.executemany(insert, batch)
        rows += len(batch)
        if rows % 10000 == 0:
            database.execute("COMMIT")
            database.execute("BEGIN")
        url = page["next"]
    database.execute("COMMIT")


if __name__ == "__main__":
    {"utils": with_sqlite_utils, "tuned": tuned}[sys.argv[1]](sys.argv[2], sys.argv[3])
