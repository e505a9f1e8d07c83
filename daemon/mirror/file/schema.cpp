#include "mirror/file/schema.hpp"

#include "base/state/mirror_schema.hpp"
#include "base/version.hpp"
#include "base/words/digits.hpp"
#include "mirror/file/freshness_view.hpp"
#include "mirror/file/schema_upgrade.hpp"

#include <fmt/format.h>

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
    retired INTEGER NOT NULL,   -- 1: no longer in the configuration
    declared_at DATETIME NOT NULL,
    blocked TEXT,               -- paused, wrong_library, needs_person, forbidden: why it is not synced
    why TEXT,                   -- reason of blocked
    cause TEXT,                 -- what causes why: limit, keys, scope, identity, service, network, host_name, ...
    since DATETIME,             -- start of blocked
    error TEXT,                 -- error of the last run, if it published nothing
    rows INTEGER NOT NULL,
    as_of DATETIME,             -- the service's time at the start of the last published pass
    proven_as_of DATETIME,      -- as_of of the last pass proven complete
    published_at DATETIME,      -- the daemon's time of that publication
    run_id TEXT,                -- run of that pass
    late_after INTEGER,         -- seconds after as_of
    proven_late_after INTEGER,  -- seconds after proven_as_of
    late_at DATETIME,           -- instead of as_of + late_after
    next_due DATETIME,
    envelope TEXT,              -- counted, offset, cursor, uncounted, array, object: form of the answers
    ordering TEXT,              -- obeyed, ignored, refused: newest key first
    filter TEXT,                -- obeyed, ignored, refused, incomplete, undated: filter of incremental passes
    looked_at DATETIME,         -- when ordering was last tested
    filter_tried_at DATETIME,   -- when filter was last tested
    suspect_key TEXT,           -- a row that filter has left out, unless it was deleted before, as JSON
    suspect_date TEXT,          -- its date
    unproven TEXT,              -- why the last walk over the whole list did not prove it; NULL: it did
    further TEXT,               -- page, page_from_0, offset, page_size, none, cut: which parameter returns further rows
    whole_rows INTEGER,         -- an answer with at most this many rows was found to be the whole list
    further_tried_at DATETIME,  -- when further was last tested
    canary TEXT,                -- fit, unfit: whether the list refuses a wrong token
    canary_tried_at DATETIME,   -- when canary was last tested
    source TEXT,                -- digest of the request; if it changes, nothing stored about the list is valid
    filter_source TEXT,         -- digest of the filter of incremental passes
    changes_from DATETIME,      -- earlier changes are here; the next incremental pass starts from it
    key_set TEXT,               -- digest of the keys of the last walk over the whole list
    compared_at DATETIME,       -- start of the last walk that compared the rows that it met with their items
    exclude TEXT,               -- members that are never stored, a JSON array
    axis TEXT,                  -- what selects a row's slice: a ledger's member and zone, or a parent
    begins_at DATETIME,         -- ledger: start of its first window
    place_form TEXT,            -- ledger: days, instants: form of the times of its rows
    round_at DATETIME,          -- lists by parent: start of the round that is not finished yet
    complete_from TEXT,
    complete_to TEXT,
    filled_from TEXT,           -- ledger: as complete_from, also where rows may have entered a window since its proof
    departed INTEGER,           -- ledger: rows that left their window and may be in another one
    detail_of TEXT,             -- the resource whose items this table has the details of
    detail_share REAL,
    detail_pending INTEGER,
    detail_oldest DATETIME,
    held INTEGER NOT NULL,      -- rows missing from the list, kept because the service may only hide them
    candidates INTEGER NOT NULL,-- rows missing from the last complete pass; deleted when the next one agrees
    integer_key INTEGER,        -- 1: the key is one whole number in every row
    next_ordinal INTEGER NOT NULL
);
CREATE TABLE _runs (
    run_id TEXT NOT NULL,
    resource TEXT NOT NULL,
    mode TEXT NOT NULL,
    result TEXT NOT NULL,       -- published, or why nothing was published
    started_at DATETIME NOT NULL,
    finished_at DATETIME NOT NULL,
    as_of DATETIME,
    requests INTEGER NOT NULL,  -- without those for the canary
    pages INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    rows INTEGER,               -- in the table after the pass
    added INTEGER,
    changed INTEGER,
    unchanged INTEGER,
    deleted INTEGER,
    candidates INTEGER,
    error TEXT,
    reasons TEXT,               -- reasons of the requests, JSON: {"page":12,"closing":1,"canary":2}
    asked_by TEXT,              -- users who asked for the run; NULL: the schedule
    PRIMARY KEY (run_id, resource)
);
CREATE TABLE _proofs (
    run_id TEXT NOT NULL,
    resource TEXT NOT NULL,
    kind TEXT NOT NULL,
    complete INTEGER NOT NULL,
    as_of DATETIME NOT NULL,
    proven_at DATETIME NOT NULL,
    count_start INTEGER,        -- count by the service
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
    "key" TEXT NOT NULL,        -- name at the service
    kind TEXT NOT NULL,         -- undecided integer real text boolean datetime date json any
    since_run TEXT NOT NULL,
    UNIQUE (resource, "column")
);
CREATE TABLE _shapes (
    resource TEXT NOT NULL,
    shape INTEGER NOT NULL,     -- number in _shape of the rows
    keys TEXT NOT NULL,         -- JSON array: the keys of such an item; others were absent, not null
    PRIMARY KEY (resource, shape)
);
CREATE TABLE _drift (
    resource TEXT NOT NULL,
    "column" TEXT NOT NULL,
    expected TEXT NOT NULL,     -- the column's kind
    found TEXT NOT NULL,
    items INTEGER NOT NULL,     -- number of such items in all passes
    item_key TEXT NOT NULL,     -- first such item in the last pass that had one
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
    kept INTEGER NOT NULL,      -- 1: a person decided that the row stays
    why TEXT NOT NULL,
    PRIMARY KEY (resource, item_key)
);
CREATE TABLE IF NOT EXISTS _slices ( -- windows of ledgers, lists by parent: each is walked and proven separately
    resource TEXT NOT NULL,
    first INTEGER NOT NULL,     -- places of its rows, up to `past`: seconds since 1970, or the number of a parent
    past INTEGER NOT NULL,
    name TEXT NOT NULL,         -- for people
    as_of DATETIME,             -- of the last walk
    proven_as_of DATETIME,      -- of the last proven walk
    proof_run TEXT,             -- run of that walk
    proof_number INTEGER,       -- window: number of proofs of windows until then, including this one
    key_set TEXT NOT NULL,      -- digest of the keys of the last walk
    rows INTEGER NOT NULL,
    asked_at DATETIME,          -- when it was last walked, or a list by parent was refused, by the daemon's clock
    whole_at DATETIME,          -- list by parent: when it was last walked completely
    changes_from DATETIME,      -- list by parent: as in _resources
    compared_at DATETIME,       -- as in _resources
    why TEXT,                   -- list: why it could not be walked; window: rows wait
    trouble TEXT,               -- window: what is wrong with it; list by parent: as unproven in _resources
    orphan_as_of DATETIME,      -- list: its parent is missing from the table of that time; its rows wait
    PRIMARY KEY (resource, first, past)
);
CREATE INDEX IF NOT EXISTS _slices_by_proof ON _slices (proof_run);
CREATE INDEX IF NOT EXISTS _slices_by_name ON _slices (resource, name);
CREATE TABLE IF NOT EXISTS _untold ( -- tables that received rows without a line in _changes: first loads, older rows
    resource TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,       -- the newest change when that last happened
    load INTEGER NOT NULL       -- from 1: number of such loads after that change
);
CREATE TABLE IF NOT EXISTS _library ( -- one row: token set and request limit, as of written_at
    library TEXT PRIMARY KEY,
    token_state TEXT NOT NULL,  -- good, refreshing, waiting, in_doubt, lost, foreign, none, ...
    token_needs_person INTEGER NOT NULL, -- 1: waiting alone does not help
    token_since DATETIME,       -- start of that state
    token_why TEXT,
    token_expires_at DATETIME,  -- of the access token
    token_next_refresh DATETIME,
    token_deadline DATETIME,    -- when syncing ends unless somebody acts
    do_this TEXT,               -- what to type
    limit_group TEXT NOT NULL,
    request_limit INTEGER,      -- requests a minute, in force; NULL: none
    requests_used INTEGER NOT NULL, -- of these, at written_at
    paused_until DATETIME,      -- the service asked for a pause
    written_at DATETIME NOT NULL
);
CREATE TABLE IF NOT EXISTS _consumers ( -- hooks that are called after rounds
    hook TEXT PRIMARY KEY,
    position TEXT,              -- of the change feed, up to which its calls were accepted
    waiting INTEGER NOT NULL,   -- calls that it has not accepted yet
    waiting_since DATETIME,     -- the oldest of them
    why TEXT,                   -- why the last call was not accepted
    written_at DATETIME NOT NULL
);
CREATE TABLE IF NOT EXISTS _feed_consumers ( -- who reads _changes under a name: shelfctl changes --consumer NAME
    consumer TEXT PRIMARY KEY,
    position TEXT NOT NULL,     -- up to which it has acknowledged the changes
    seq INTEGER NOT NULL,       -- of the last of them
    owner TEXT NOT NULL,        -- the user who used the name first
    acknowledged_at DATETIME NOT NULL,
    acknowledged_by TEXT NOT NULL
);
)sql";

constexpr int schema_minor = own_mirror_schema.minor;

// Since this minor, a chain of cursors is proven by its keys.
constexpr int sound_chains_minor = 15;

// "" if the file does not say: then `find_missing_object` finds what is wrong with it.
Result<std::string> find_min_reader(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(says, has_table(database, "_meta"));
    if (!says) {
        return std::string();
    }
    SHELFD_TRY_ASSIGN(min_reader, read_meta(database, "min_reader"));
    return min_reader.value_or("");
}

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
        SHELFD_TRY_ASSIGN(min_reader, find_min_reader(database));
        return may_read_mirror(min_reader) ? SchemaFound::ours : SchemaFound::newer;
    }
    SHELFD_TRY_ASSIGN(table, read_value(database, "SELECT name FROM sqlite_master WHERE name <> ? LIMIT 1", ""));
    return table ? SchemaFound::foreign : SchemaFound::none;
}

Result<void> create_schema(storage::Database& database, std::string_view library, std::string_view feed,
                           std::string_view now)
{
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    for (const auto& sql : {std::string(tables), std::string(additions), freshness_views()}) {
        SHELFD_TRY(database.execute(sql));
    }
    const auto minor = std::to_string(schema_minor);
    const auto min_reader = to_text(oldest_reader);
    const std::pair<const char*, std::string_view> facts[] = {
        {"library", library},       {"feed", feed},       {"created_at", now},
        {"min_reader", min_reader}, {"made_by", version}, {"schema_minor", minor},
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
    const auto found = number_in<int>(minor.value_or("")).value_or(0);
    if (found >= schema_minor) {
        return {};
    }
    for (const auto& sql :
         {additions + std::string("DROP VIEW freshness; DROP VIEW IF EXISTS _standing"), freshness_views()}) {
        SHELFD_TRY(database.execute(sql));
    }
    SHELFD_TRY(add_missing_columns(database));
    if (found < sound_chains_minor) {
        SHELFD_TRY(forget_earlier_chains(database));
    }
    SHELFD_TRY(write_meta(database, "min_reader", to_text(oldest_reader)));
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
            UNION ALL SELECT column1 FROM (VALUES ('_library'), ('_consumers'))
                WHERE (SELECT value FROM _meta WHERE key = 'schema_minor') + 0 >= 18
            UNION ALL SELECT '_feed_consumers' WHERE (SELECT value FROM _meta WHERE key = 'schema_minor') + 0 >= 20
            UNION ALL SELECT '_standing' WHERE (SELECT value FROM _meta WHERE key = 'schema_minor') + 0 >= 23
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
