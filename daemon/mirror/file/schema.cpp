#include "mirror/file/schema.hpp"

#include "base/version.hpp"
#include "mirror/file/freshness_view.hpp"
#include "mirror/file/schema_upgrade.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace shelfd::mirror {

namespace {

// Must be readable by SQLite 3.34: one STRICT table, generated column or `->>` in a view would make the whole file
// unreadable to it, and a view with HAVING but no GROUP BY (3.39) is unusable there. Comments are inside the SQL, where
// `.schema` shows them.
constexpr const char* tables = R"sql(
CREATE TABLE _meta (
    key TEXT PRIMARY KEY,
    value TEXT
);
CREATE TABLE _resources (
    resource TEXT PRIMARY KEY,
    "key" TEXT NOT NULL,        -- names of the key columns, a JSON array
    retired INTEGER NOT NULL,   -- 1: not in the configuration any more
    declared_at DATETIME NOT NULL,
    blocked TEXT,               -- paused, wrong_library, needs_person, forbidden: what keeps it from being synced
    why TEXT,                   -- of blocked
    since DATETIME,             -- of blocked
    error TEXT,                 -- of the last run, if it published nothing
    rows INTEGER NOT NULL,
    as_of DATETIME,             -- the service's time at the start of the last published pass
    proven_as_of DATETIME,      -- the same of the last one known to be complete
    published_at DATETIME,      -- our time when it was published
    run_id TEXT,                -- of that pass
    late_after INTEGER,         -- seconds past as_of
    proven_late_after INTEGER,  -- seconds past proven_as_of
    late_at DATETIME,           -- instead of as_of + late_after
    next_due DATETIME,
    envelope TEXT,              -- counted, offset, cursor, uncounted, array, object: how the service answers
    ordering TEXT,              -- obeyed, ignored, refused: newest key first
    filter TEXT,                -- obeyed, ignored, refused: the one of incremental passes
    looked_at DATETIME,         -- when ordering was last tried
    filter_tried_at DATETIME,   -- the same of filter
    further TEXT,               -- page, page_from_0, offset, page_size, none, cut: what brings more than one answer
    whole_rows INTEGER,         -- an answer of so many rows, or fewer, was seen to be the whole list
    further_tried_at DATETIME,  -- when that was tried
    canary TEXT,                -- fit, unfit: to tell a token that works from one that nobody issued
    canary_tried_at DATETIME,   -- when that was tried
    source TEXT,                -- digest of what is asked for: of another list, nothing is known nor proven
    filter_source TEXT,         -- the same of what changes are asked for with
    changes_from DATETIME,      -- what changed before it is here; the next incremental pass asks from it
    key_set TEXT,               -- digest of the keys the last whole walk met
    exclude TEXT,               -- members that are never kept, a JSON array
    axis TEXT,                  -- what tells a row's slice: a ledger's member and zone, or a parent
    begins_at DATETIME,         -- of a ledger: where its first window begins
    place_form TEXT,            -- of a ledger: days, instants: how its rows write when they happened
    round_at DATETIME,          -- of lists by parent: when the round began that did not reach all of them yet
    complete_from TEXT,
    complete_to TEXT,
    departed INTEGER,           -- of a ledger: rows that left their window, and may be in another one
    detail_of TEXT,             -- the resource whose rows' own addresses this table is about
    detail_share REAL,
    detail_pending INTEGER,
    detail_oldest DATETIME,
    held INTEGER NOT NULL,      -- rows the service does not list, kept because it may only hide them
    candidates INTEGER NOT NULL,-- rows the last complete pass did not meet; they go when the next one agrees
    integer_key INTEGER,        -- 1: the key is one whole number in every row
    next_ordinal INTEGER NOT NULL
);
CREATE TABLE _runs (
    run_id TEXT NOT NULL,
    resource TEXT NOT NULL,
    mode TEXT NOT NULL,
    result TEXT NOT NULL,       -- published, or why nothing was
    started_at DATETIME NOT NULL,
    finished_at DATETIME NOT NULL,
    as_of DATETIME,
    requests INTEGER NOT NULL,  -- for it, the canary not counted
    pages INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    rows INTEGER,               -- in the table afterwards
    added INTEGER,
    changed INTEGER,
    unchanged INTEGER,
    deleted INTEGER,
    candidates INTEGER,
    error TEXT,
    reasons TEXT,               -- of the requests, JSON: {"page":12,"closing":1,"canary":2}
    PRIMARY KEY (run_id, resource)
);
CREATE TABLE _proofs (
    run_id TEXT NOT NULL,
    resource TEXT NOT NULL,
    kind TEXT NOT NULL,
    complete INTEGER NOT NULL,
    as_of DATETIME NOT NULL,
    proven_at DATETIME NOT NULL,
    count_start INTEGER,        -- by the service
    count_end INTEGER,
    distinct_keys INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    text TEXT,
    PRIMARY KEY (run_id, resource)
);
CREATE TABLE _columns (
    position INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    "column" TEXT NOT NULL,
    "key" TEXT NOT NULL,        -- as the service names it
    kind TEXT NOT NULL,         -- undecided integer real text boolean datetime date json any
    since_run TEXT NOT NULL,
    UNIQUE (resource, "column")
);
CREATE TABLE _shapes (
    resource TEXT NOT NULL,
    shape INTEGER NOT NULL,     -- as in the rows' _shape
    keys TEXT NOT NULL,         -- JSON array: the keys such an item has; others were absent, not null
    PRIMARY KEY (resource, shape)
);
CREATE TABLE _drift (
    resource TEXT NOT NULL,
    "column" TEXT NOT NULL,
    expected TEXT NOT NULL,     -- the column's kind
    found TEXT NOT NULL,
    items INTEGER NOT NULL,     -- how often, over all passes
    item_key TEXT NOT NULL,     -- of the first in the last pass that had one
    sample TEXT NOT NULL,
    first_run TEXT NOT NULL,
    first_seen DATETIME NOT NULL,
    last_run TEXT NOT NULL,
    last_seen DATETIME NOT NULL,
    PRIMARY KEY (resource, "column", found)
);
CREATE TABLE _changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    seen_at DATETIME NOT NULL,
    run_id TEXT NOT NULL,
    resource TEXT NOT NULL,
    item_key TEXT NOT NULL,     -- JSON: 42, "abc", [1,"a"]
    op TEXT NOT NULL,           -- insert, update, delete
    before TEXT,                -- JSON of the changed members; of a deletion, the whole item
    after TEXT
);
)sql";

// Additions of later versions; no effect if they are there already.
constexpr const char* additions = R"sql(
CREATE TABLE IF NOT EXISTS _held (
    resource TEXT NOT NULL,
    item_key TEXT NOT NULL,     -- JSON: 42, "abc", [1,"a"]
    since DATETIME NOT NULL,
    run_id TEXT NOT NULL,
    kept INTEGER NOT NULL,      -- 1: a person said that it stays
    why TEXT NOT NULL,
    PRIMARY KEY (resource, item_key)
);
CREATE TABLE IF NOT EXISTS _slices ( -- windows of ledgers, lists by parent: each is walked and proven by itself
    resource TEXT NOT NULL,
    first INTEGER NOT NULL,     -- places of its rows, up to `past`: seconds since 1970, or the number of a parent
    past INTEGER NOT NULL,
    name TEXT NOT NULL,         -- for people
    as_of DATETIME,             -- of the last walk
    proven_as_of DATETIME,      -- of the last one that was proven
    proof_run TEXT,             -- that one
    proof_number INTEGER,       -- of a window: how many proofs of windows there were, this one included
    key_set TEXT NOT NULL,      -- digest of the keys the last walk met
    rows INTEGER NOT NULL,
    asked_at DATETIME,          -- when it was last walked, or a list by parent refused, by our clock
    whole_at DATETIME,          -- the same of the last walk over all of a list by parent
    changes_from DATETIME,      -- the same as in _resources, of this list
    why TEXT,                   -- of a list: it could not be walked when last tried; of a window: rows wait
    trouble TEXT,               -- of a window: why it is not as it should be
    orphan_as_of DATETIME,      -- of a list: the table of that time lacks its parent; its rows wait for a later one
    PRIMARY KEY (resource, first, past)
);
CREATE INDEX IF NOT EXISTS _slices_by_proof ON _slices (proof_run);
CREATE INDEX IF NOT EXISTS _slices_by_name ON _slices (resource, name);
CREATE TABLE IF NOT EXISTS _untold ( -- tables that got rows which no line of _changes tells of: first loads, older rows
    resource TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,       -- the newest change when that happened last
    load INTEGER NOT NULL       -- from 1: which one of those that happened behind that change
);
)sql";

// Raised with each addition and each change of the view. Readers of earlier minors are not affected.
constexpr int schema_minor = 16;

}  // namespace

Result<SchemaFound> find_schema(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(version, database.prepare("PRAGMA user_version"));
    SHELFD_TRY(version.step());
    const std::int64_t found = version.integer(0);
    if (found > schema_version) {
        return SchemaFound::newer;
    }
    if (found > 0) {
        return SchemaFound::ours;
    }
    SHELFD_TRY_ASSIGN(table, read_value(database, "SELECT name FROM sqlite_master WHERE name <> ? LIMIT 1", ""));
    return table ? SchemaFound::foreign : SchemaFound::none;
}

Result<void> create_schema(storage::Database& database, std::string_view library, std::string_view feed,
                           std::string_view now)
{
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    for (const char* sql : {tables, additions, freshness_view}) {
        SHELFD_TRY(database.execute(sql));
    }
    const auto minor = std::to_string(schema_minor);
    const std::pair<const char*, std::string_view> facts[] = {
        {"library", library}, {"feed", feed},       {"created_at", now},
        {"min_reader", "1"},  {"made_by", version}, {"schema_minor", minor},
    };
    for (const auto& [key, value] : facts) {
        SHELFD_TRY(write_meta(database, key, value));
    }
    SHELFD_TRY(database.execute(fmt::format("PRAGMA user_version = {}", schema_version)));
    return transaction.commit();
}

Result<void> update_schema(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(minor, read_meta(database, "schema_minor"));
    if (std::atoi(minor.value_or("0").c_str()) >= schema_minor) {
        return {};
    }
    for (const char* sql : {additions, "DROP VIEW freshness", freshness_view}) {
        SHELFD_TRY(database.execute(sql));
    }
    SHELFD_TRY(add_missing_columns(database));
    SHELFD_TRY(forget_earlier_chains(database));
    return write_meta(database, "schema_minor", std::to_string(schema_minor));
}

Result<std::string> find_missing_object(storage::Database& database)
{
    constexpr std::string_view ours = R"sql(
        SELECT column1 FROM (VALUES ('_meta'), ('_resources'), ('_runs'), ('_proofs'), ('_columns'), ('_shapes'),
            ('_drift'), ('_changes'), ('freshness'))
        WHERE column1 <> ? AND column1 NOT IN (SELECT name FROM sqlite_master) LIMIT 1
    )sql";
    SHELFD_TRY_ASSIGN(of_first_version, read_value(database, ours, ""));
    if (of_first_version) {
        return *of_first_version;
    }
    // Objects of later versions exist once the file was upgraded to them.
    constexpr std::string_view later = R"sql(
        SELECT wanted FROM (
            SELECT column1 AS wanted FROM (VALUES ('_held'), ('_slices'), ('_slices_by_proof'), ('_slices_by_name'))
                WHERE (SELECT value FROM _meta WHERE key = 'schema_minor') + 0 >= CAST(?1 AS INTEGER)
            UNION ALL SELECT '_untold' WHERE (SELECT value FROM _meta WHERE key = 'schema_minor') + 0 >= 15
            UNION ALL SELECT '_queue_' || detail_of FROM _resources WHERE NOT retired AND detail_of IS NOT NULL
            UNION ALL SELECT detail_of || '_full' FROM _resources WHERE NOT retired AND detail_of IS NOT NULL
            UNION ALL SELECT substr(key, 17) || '_deleted' FROM _meta WHERE key LIKE 'deleted\_rows\_of %' ESCAPE '\'
            UNION ALL SELECT resource FROM _resources WHERE NOT retired
            UNION ALL SELECT '_state_' || resource FROM _resources WHERE NOT retired AND rows > 0)
        WHERE wanted NOT IN (SELECT name FROM sqlite_master) LIMIT 1
    )sql";
    SHELFD_TRY_ASSIGN(missing, read_value(database, later, std::to_string(full_schema_minor)));
    return missing.value_or("");
}

}  // namespace shelfd::mirror
