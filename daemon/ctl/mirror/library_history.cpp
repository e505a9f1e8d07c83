#include "ctl/mirror/library_history.hpp"

#include "ctl/mirror/mirror_format.hpp"
#include "storage/query.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string counted(std::int64_t count, std::string_view word)
{
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

class History {
public:
    History(storage::Database& mirror, Instant since) : mirror_(mirror), since_(since.to_text()) {}

    Result<void> passes()
    {
        SHELFD_TRY_ASSIGN(asker, column_or_null(mirror_, "_runs", "asked_by"));
        const auto sql = fmt::format(R"sql(
            SELECT r.finished_at, r.resource, r.mode, r.result, r.requests, r.rows, r.added, r.changed, r.deleted,
                r.error, r.run_id, r.candidates,
                EXISTS (SELECT 1 FROM _proofs p WHERE p.run_id = r.run_id AND p.resource = r.resource AND p.complete),
                {}
            FROM _runs r WHERE r.finished_at > ? ORDER BY r.finished_at
        )sql",
                                     asker);
        const auto add = [this](const storage::Statement& row) {
            const bool published = row.text(3) == "published";
            const bool is_act = row.text(3) == "done" || row.text(3) == "not done";
            const bool is_kept = row.text(2) == "keep";
            auto text = fmt::format("{} pass {}, {}", row.text(2), row.text(3), counted(row.integer(4), "request"));
            if (is_act) {
                text = fmt::format("shelfctl {}: {}{}", row.text(2), row.text(3),
                                   row.is_null(9) ? "" : fmt::format(": {}", row.text(9)));
            } else if (is_kept || row.text(2) == "accept") {
                text = is_kept ? "held rows were kept"
                               : fmt::format("held rows were accepted as deleted: {} deleted", row.integer(8));
            } else if (published) {
                text += fmt::format(": {} added, {} changed, {} deleted, {}{}{}", row.integer(6), row.integer(7),
                                    row.integer(8), counted(row.integer(5), "row"),
                                    row.integer(12) != 0 ? ", proven complete" : "",
                                    row.integer(11) > 0 ? fmt::format(", {} missing", row.integer(11)) : "");
            } else if (!row.is_null(9)) {
                text += fmt::format(": {}", row.text(9));
            }
            const bool quiet =
                published && !is_kept && row.integer(6) == 0 && row.integer(7) == 0 && row.integer(8) == 0;
            this->add(row.text(0), is_act ? "act" : "pass", row.text(1), std::move(text), std::string(row.text(10)),
                      quiet, row.is_null(13) ? "" : std::string(row.text(13)));
        };
        return storage::each_row(mirror_, sql, add, since_);
    }

    Result<void> held()
    {
        constexpr std::string_view sql = R"sql(
            SELECT since, resource, count(*), max(kept), max(why) FROM _held WHERE since > ? GROUP BY since, resource
        )sql";
        return storage::each_row(
            mirror_, sql,
            [this](const storage::Statement& row) {
                add(row.text(0), "held", row.text(1),
                    fmt::format("{} missing from the list and not deleted: {}", counted(row.integer(2), "row"),
                                row.text(4)));
            },
            since_);
    }

    // Without the sample, which is a value of a row.
    Result<void> drift()
    {
        constexpr std::string_view sql = R"sql(
            SELECT first_seen, resource, "column", expected, found FROM _drift WHERE first_seen > ?
        )sql";
        return storage::each_row(
            mirror_, sql,
            [this](const storage::Statement& row) {
                add(row.text(0), "drift", row.text(1),
                    fmt::format("{} is {} and received {} for the first time", row.text(2), row.text(3), row.text(4)));
            },
            since_);
    }

    Result<void> tables()
    {
        constexpr std::string_view sql = R"sql(
            SELECT declared_at, resource, 'table', 'the table was created', NULL FROM _resources WHERE declared_at > ?1
            UNION ALL
            SELECT since, resource, 'state', blocked, why FROM _resources
            WHERE since > ?1 AND blocked IS NOT NULL AND NOT retired
        )sql";
        return storage::each_row(
            mirror_, sql,
            [this](const storage::Statement& row) {
                add(row.text(0), row.text(2), row.text(1),
                    fmt::format("{}{}", row.text(3), row.is_null(4) ? "" : fmt::format(": {}", row.text(4))));
            },
            since_);
    }

    // Keys of repairs are "repair INSTANT", see mirror/file/repairs.cpp.
    Result<void> file()
    {
        constexpr std::string_view sql = R"sql(
            SELECT CASE WHEN key = 'created_at' THEN value ELSE substr(key, 8) END AS at, key, value FROM _meta
            WHERE (key = 'created_at' OR (key >= 'repair ' AND key < 'repair!')) AND at > ?
        )sql";
        return storage::each_row(
            mirror_, sql,
            [this](const storage::Statement& row) {
                row.text(1) == "created_at" ? add(row.text(0), "repair", "", "the mirror was created")
                                            : add(row.text(0), "repair", "", repair_text(std::string(row.text(2))));
            },
            since_);
    }

    std::vector<Event> take() && { return std::move(events_); }

private:
    static std::string repair_text(const std::string& value)
    {
        boost::system::error_code broken;
        const auto document = json::parse(value, broken);
        const auto* object = broken ? nullptr : document.if_object();
        const auto text = [&](const char* name) -> std::string {
            const auto* member = object != nullptr ? object->if_contains(name) : nullptr;
            const auto* found = member != nullptr ? member->if_string() : nullptr;
            return found != nullptr ? std::string(found->data(), found->size()) : "";
        };
        return fmt::format("the mirror {}; {}", text("found"), text("done"));
    }

    void add(std::string_view at, std::string_view kind, std::string_view resource, std::string text,
             std::string run_id = "", bool quiet = false, std::string asked_by = "")
    {
        if (const auto instant = Instant::from_rfc3339(at)) {
            events_.push_back({*instant, std::string(kind), std::string(resource), std::move(text), std::move(run_id),
                               quiet, std::move(asked_by)});
        }
    }

    storage::Database& mirror_;
    const std::string since_;
    std::vector<Event> events_;
};

}  // namespace

Result<std::vector<Event>> read_history(storage::Database& mirror, Instant since)
{
    History history(mirror, since);
    // One transaction, so that all parts see the same state of the mirror.
    SHELFD_TRY(mirror.execute("BEGIN"));
    for (const auto part : {&History::file, &History::tables, &History::passes, &History::held, &History::drift}) {
        if (auto read = (history.*part)(); !read) {
            (void)mirror.execute("ROLLBACK");
            return std::move(read).error();
        }
    }
    SHELFD_TRY(mirror.execute("COMMIT"));
    auto events = std::move(history).take();
    sort_by_time(events);
    return events;
}

void sort_by_time(std::vector<Event>& events)
{
    std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
}

}  // namespace shelfd::ctl
