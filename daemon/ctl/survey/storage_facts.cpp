#include "ctl/survey/storage_facts.hpp"

#include "config/check/values.hpp"
#include "ctl/mirror/pinning_readers.hpp"
#include "ctl/survey/path_facts.hpp"
#include "storage/query.hpp"
#include "storage/sqlite.hpp"

#include <algorithm>
#include <map>

namespace shelfd::ctl {
namespace {

// Without the first load, which is no growth.
constexpr std::string_view growth_sql = R"sql(
    SELECT total(added) - total(deleted), julianday('now') - julianday(min(started_at)) FROM _runs
    WHERE result = 'published' AND started_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-14 days')
        AND added <> coalesce(rows, -1)
)sql";

// By how much this machine's clock was wrong when the pass was made: the service's time lies between the beginning and
// the end of the pass, unless the walk continued an earlier one.
constexpr std::string_view clock_sql = R"sql(
    SELECT started_at, as_of, finished_at FROM _runs WHERE result = 'published' AND as_of IS NOT NULL
    ORDER BY finished_at DESC LIMIT 5
)sql";

// If a service sends no `Date`, the daemon takes its own time less this (`oauth::clock_tolerance`).
constexpr Duration without_date = std::chrono::minutes(5);

Duration length_of(Duration duration)
{
    return duration < Duration(0) ? -duration : duration;
}

Result<void> read_growth(storage::Database& mirror, MirrorFacts& facts)
{
    SHELFD_TRY_ASSIGN(pages, storage::read_number(mirror, "PRAGMA page_count"));
    SHELFD_TRY_ASSIGN(unused, storage::read_number(mirror, "PRAGMA freelist_count"));
    SHELFD_TRY_ASSIGN(page_size, storage::read_number(mirror, "PRAGMA page_size"));
    facts.used_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(pages - unused, 0) * page_size);
    SHELFD_TRY_ASSIGN(rows, storage::read_number(mirror, "SELECT sum(rows) FROM _resources WHERE NOT retired"));
    return storage::each_row(mirror, growth_sql, [&](const storage::Statement& row) {
        constexpr double enough_days = 2;  // one busy afternoon is no trend
        if (rows > 0 && !row.is_null(1) && row.real(1) >= enough_days) {
            facts.bytes_a_day =
                static_cast<double>(facts.used_bytes) / static_cast<double>(rows) * row.real(0) / row.real(1);
        }
    });
}

Result<void> read_clock(storage::Database& mirror, MirrorFacts& facts)
{
    return storage::each_row(mirror, clock_sql, [&](const storage::Statement& row) {
        const auto started = Instant::from_rfc3339(row.text(0));
        const auto as_of = Instant::from_rfc3339(row.text(1));
        const auto finished = Instant::from_rfc3339(row.text(2));
        if (!started || !as_of || !finished) {
            return;
        }
        if (!facts.newest_run) {
            facts.newest_run = finished;
        }
        const auto ahead = *started - *as_of;
        const bool has_date = ahead < without_date || ahead > without_date + std::chrono::minutes(1);
        const auto error = *as_of > *finished ? *finished - *as_of : ahead > Duration(0) ? ahead : Duration(0);
        if (has_date && (!facts.clock_error || length_of(error) < length_of(*facts.clock_error))) {
            facts.clock_error = error;
        }
    });
}

Result<void> read_mirror(MirrorFacts& facts)
{
    SHELFD_TRY_ASSIGN(mirror, storage::Database::open(facts.file.path, storage::OpenMode::read_only));
    SHELFD_TRY(read_growth(mirror, facts));
    return read_clock(mirror, facts);
}

MirrorFacts look_at_mirror(const std::string& directory, const std::string& library, std::int64_t daemon_pid)
{
    MirrorFacts facts;
    facts.library = library;
    facts.directory = look_at(directory);
    facts.others = look_into(facts.directory);
    const auto path = directory + "/" + library + ".db";
    facts.file = look_at(path);
    std::erase_if(facts.others, [&](const auto& one) { return one.path == path; });
    if (facts.file.kind == PathFacts::Kind::file) {
        if (const auto read = read_mirror(facts); !read) {
            facts.trouble = read.error().text();
        }
    }
    if (facts.wal_bytes() >= large_wal) {
        for (const auto& reader : find_pinning_readers(path, static_cast<pid_t>(daemon_pid))) {
            facts.pinning_readers.emplace_back(reader.pid, reader.command);
        }
    }
    return facts;
}

// "lost+found" and hidden directories have no name of a library.
std::vector<std::string> with_found(const std::vector<std::string>& configured, const std::vector<PathFacts>& found)
{
    auto names = configured;
    for (const auto& one : found) {
        const auto name = base_name(one);
        const bool is_new = std::find(names.begin(), names.end(), name) == names.end();
        if (one.kind == PathFacts::Kind::directory && config::is_name(name) && is_new) {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace

std::vector<MirrorFacts> look_at_mirrors(PathFacts& mirrors, const std::vector<std::string>& configured,
                                         std::int64_t daemon_pid)
{
    std::vector<MirrorFacts> all;
    for (const auto& library : with_found(configured, look_into(mirrors))) {
        all.push_back(look_at_mirror(mirrors.path + "/" + library, library, daemon_pid));
    }
    return all;
}

std::vector<TokenFacts> look_at_tokens(PathFacts& tokens, PathFacts* copy, const std::vector<std::string>& configured)
{
    std::vector<TokenFacts> all;
    auto names = with_found(configured, look_into(tokens));
    if (copy != nullptr) {
        names = with_found(names, look_into(*copy));
    }
    for (const auto& library : names) {
        TokenFacts facts;
        facts.library = library;
        facts.directory = look_at(tokens.path + "/" + library);
        facts.files = look_into(facts.directory);
        if (copy != nullptr) {
            facts.copy_directory = look_at(copy->path + "/" + library);
            const auto second = look_into(facts.copy_directory);
            facts.files.insert(facts.files.end(), second.begin(), second.end());
        }
        all.push_back(std::move(facts));
    }
    return all;
}

}  // namespace shelfd::ctl
