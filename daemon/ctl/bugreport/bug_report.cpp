#include "ctl/bugreport/bug_report.hpp"

#include "base/version.hpp"
#include "config/show.hpp"
#include "ctl/bugreport/redacted_configuration.hpp"
#include "ctl/doctor/access.hpp"
#include "ctl/doctor/checks.hpp"
#include "ctl/mirror/schema.hpp"
#include "ctl/status/status_view.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

constexpr const char* opening = "This report is for the developers of shelfd. It contains versions, the configuration, "
                                "the state of tables, errors,\n"
                                "log lines and the names of tables and columns. It contains no secrets, tokens, client "
                                "ids, rows, notes, contacts or\n"
                                "user names: an ellipsis stands for what was left out. Names of libraries and tables "
                                "are in it; read it before you\n"
                                "send it.\n";

std::string heading(const std::string& text)
{
    return fmt::format("\n== {}\n", text);
}

std::string time_or_dash(const std::optional<Instant>& at)
{
    return at ? at->to_short_text() : "-";
}

std::string versions(const Facts& facts)
{
    const auto& daemon = facts.daemon;
    const auto& system = facts.system;
    return heading("versions") + fmt::format("shelfctl {}\ndaemon {}\ninstalled {}\nkernel {}\nSQLite {}\nsystemd {}\n",
                                             version, daemon.answers ? daemon.version : "does not answer",
                                             system.program_version.empty() ? "not known" : system.program_version,
                                             system.kernel, system.sqlite, system.systemd ? "yes" : "no");
}

// Names of users are in the findings about groups and readers.
std::string doctor(const Facts& facts, const Redactor& redactor)
{
    auto text = heading("doctor");
    for (const auto& finding : check_all(facts)) {
        const bool names_users =
            (finding.verdict == Verdict::ok && finding.name == "groups") || finding.name == "readers";
        text += fmt::format("{} {}: {}\n", to_string(finding.verdict), finding.name,
                            names_users ? "" : redactor.sentence(finding.text));
    }
    for (const auto& one : find_readers(facts)) {
        text += fmt::format("readers of {}: {}\n", redactor.identifier(one.library),
                            one.everybody ? "every user" : fmt::format("{} users", one.users.size()));
    }
    return text;
}

std::string configuration(const Facts& facts, const Redactor& redactor)
{
    auto text = heading("configuration");
    for (const auto& fault : facts.config.faults) {
        text += fmt::format("fault: {}\n", redactor.sentence(fault));
    }
    for (const auto& warning : facts.config.warnings) {
        text += fmt::format("warning: {}\n", redactor.sentence(warning));
    }
    const auto* model = facts.configuration();
    return model != nullptr ? text + config::show(redact(*model, redactor), config::ShowOrigin::no)
                            : text + "it cannot be loaded\n";
}

std::string table_status(const control::ResourceStatus& table, const Redactor& redactor)
{
    auto text = fmt::format("  {}: {}, {} rows, {} held, as of {}, proven {}, due {}, {} passes, {} failed\n",
                            redactor.identifier(table.name), to_string(table.state), table.rows, table.held,
                            time_or_dash(table.as_of), time_or_dash(table.proven_as_of), time_or_dash(table.next_due),
                            table.passes, table.passes_failed);
    if (!table.why.empty()) {
        text += fmt::format("    why: {}\n", redactor.sentence(table.why));
    }
    if (table.last_run) {
        const auto& run = *table.last_run;
        text += fmt::format("    last run: {} {} {}, {} requests, {} pages{}{}\n", run.finished.to_short_text(),
                            redactor.sentence(run.mode), control::to_string(run.result), run.requests, run.pages,
                            run.error.empty() ? "" : ": ", redactor.sentence(run.error));
    }
    return text;
}

std::string library_status(const control::LibraryStatus& library, const Redactor& redactor)
{
    const auto& token = library.token;
    const auto& budget = library.budget;
    auto text = fmt::format("{}: {}, WAL {} bytes, identity {}\n", redactor.identifier(library.name),
                            control::state_word(library), library.wal_bytes,
                            library.identity_verified ? "verified" : "not verified");
    text += fmt::format("  token: {}, generation {}, expires {}, refreshed {}, next {}, {} copies{}{}\n",
                        to_string(token.state), token.generation, time_or_dash(token.expires_at),
                        time_or_dash(token.last_refresh), time_or_dash(token.next_refresh), token.journal_copies,
                        token.reason.empty() ? "" : ": ", redactor.sentence(token.reason));
    for (const auto& fact : token.facts) {
        text += fmt::format("  {}: {}\n", redactor.sentence(fact.name), redactor.sentence(fact.value));
    }
    text += fmt::format("  limit: {}, {} used, {} in flight, {} by others, {} requests, paused until {}\n",
                        budget.limit ? std::to_string(*budget.limit) : "none", budget.used, budget.in_flight,
                        budget.foreign, budget.requests, time_or_dash(budget.paused_until));
    if (library.bug) {
        text += fmt::format("  bug since {}: {}\n", library.bug->since.to_short_text(),
                            redactor.sentence(library.bug->what));
    }
    for (const auto& repair : library.repairs) {
        text += fmt::format("  repair {}: {}\n", repair.at.to_short_text(), redactor.sentence(repair.text()));
    }
    for (const auto& table : library.resources) {
        text += table_status(table, redactor);
    }
    return text;
}

std::string status_part(const std::string& body, const Redactor& redactor)
{
    auto text = heading("status");
    if (body.empty()) {
        return text + "no daemon answers\n";
    }
    const auto status = read_status(body);
    if (!status) {
        return text + redactor.sentence(status.error().text()) + "\n";
    }
    text += fmt::format("{}, started {}, configuration loaded {}\n", status->now.to_short_text(),
                        status->started.to_short_text(), status->config_loaded.to_short_text());
    for (const auto& notice : status->notices) {
        text += fmt::format("notice: {}\n", redactor.sentence(notice.text));
    }
    for (const auto& library : status->libraries) {
        text += library_status(library, redactor);
    }
    return text;
}

Result<std::string> failed_runs(storage::Database& mirror, const Redactor& redactor)
{
    constexpr std::string_view sql = R"sql(
        SELECT finished_at, resource, mode, requests, pages, error FROM _runs WHERE result = 'failed'
        ORDER BY finished_at DESC LIMIT 20
    )sql";
    std::string text;
    SHELFD_TRY(storage::each_row(mirror, sql, [&](const storage::Statement& row) {
        const auto at = Instant::from_rfc3339(row.text(0));
        text += fmt::format("  {} {} {}, {} requests, {} pages: {}\n", time_or_dash(at),
                            redactor.identifier(std::string(row.text(1))), redactor.sentence(row.text(2)),
                            row.integer(3), row.integer(4), redactor.sentence(row.text(5)));
    }));
    return text.empty() ? std::string("  none\n") : text;
}

std::string schema_text(const MirrorSchema& schema, const Redactor& redactor)
{
    std::string text;
    for (const auto& table : schema.tables) {
        text += fmt::format("  {} ({} rows):", redactor.identifier(table.name), table.rows);
        for (const auto& column : table.columns) {
            text += " " + redactor.identifier(column.name);
            text += column.kind.empty() ? "" : "/" + redactor.identifier(column.kind);
            for (const auto& drift : column.drift) {
                text += fmt::format("[{} items {}]", drift.items, redactor.identifier(drift.found));
            }
        }
        text += "\n";
    }
    return text;
}

Result<std::string> mirror_part(const std::string& path, const Redactor& redactor)
{
    SHELFD_TRY_ASSIGN(mirror, storage::Database::open(path, storage::OpenMode::read_only));
    SHELFD_TRY_ASSIGN(runs, failed_runs(mirror, redactor));
    SHELFD_TRY_ASSIGN(schema, read_mirror_schema(mirror, ""));
    return " last failed passes:\n" + runs + " tables:\n" + schema_text(schema, redactor);
}

std::string mirrors(const Facts& facts, const Redactor& redactor)
{
    auto text = heading("mirrors");
    for (const auto& mirror : facts.mirrors) {
        if (!facts.is_configured(mirror.library) || mirror.file.kind != PathFacts::Kind::file) {
            continue;
        }
        text += fmt::format("{}: {} bytes, WAL {} bytes\n", redactor.identifier(mirror.library), mirror.file.bytes,
                            mirror.wal_bytes());
        const auto part = mirror_part(mirror.file.path, redactor);
        text += part ? *part : fmt::format(" {}\n", redactor.sentence(part.error().text()));
    }
    return text;
}

std::string log_part(const LogQuery& query, const Redactor& redactor)
{
    auto text = heading("log");
    const auto lines = read_daemon_log(query);
    if (!lines) {
        return text + redactor.sentence(lines.error().text()) + "\n";
    }
    for (const auto& line : *lines) {
        text +=
            fmt::format("{} {} {} {}: {}\n", line.at.to_short_text(), line.priority,
                        redactor.identifier(line.library.empty() ? "shelfd" : line.library),
                        line.resource.empty() ? "-" : redactor.identifier(line.resource), redactor.sentence(line.text));
    }
    return lines->empty() ? text + "no lines, or this user may not read the journal\n" : text;
}

}  // namespace

std::string bug_report(const Facts& facts, const ReportSources& sources, const Redactor& redactor)
{
    auto text = fmt::format("shelfd bug report, {}\n{}", facts.now.to_short_text(), opening);
    text += versions(facts);
    text += doctor(facts, redactor);
    text += configuration(facts, redactor);
    text += status_part(sources.status, redactor);
    text += mirrors(facts, redactor);
    text += log_part(sources.log, redactor);
    return redactor.without_removed(std::move(text));
}

}  // namespace shelfd::ctl
