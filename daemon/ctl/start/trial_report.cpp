#include "ctl/start/trial_report.hpp"

#include "base/words/shell_word.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/mirror/schema.hpp"
#include "ctl/start/example_queries.hpp"
#include "ctl/verb/verbs.hpp"
#include "storage/query.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

struct Mirrored {
    std::uint64_t rows = 0;
    std::string state;
    std::string as_of;    // "" = no pass was published
    std::string since;    // of a ledger whose older windows are missing, the day of its oldest one; "" = of no other
    bool proven = false;  // all rows of the list are there
    std::uint64_t requests = 0;  // of passes
    std::vector<std::string> queries;
};

Result<Mirrored> read_mirrored(const Context& context, const std::string& table)
{
    SHELFD_TRY_ASSIGN(database, open_mirror(context));
    SHELFD_TRY_ASSIGN(schema, read_mirror_schema(database, table));
    Mirrored mirrored;
    mirrored.rows = schema.tables.front().rows;
    mirrored.state = schema.tables.front().state;
    mirrored.as_of = schema.tables.front().as_of;
    // A ledger is filled window by window: each may be proven while older ones are missing.
    SHELFD_TRY(storage::each_row(
        database,
        "SELECT proven_as_of IS NOT NULL AND state <> 'filling', CASE state WHEN 'filling' THEN complete_from END "
        "FROM freshness WHERE resource = ?",
        [&mirrored](const storage::Statement& row) {
            mirrored.proven = row.integer(0) != 0;
            mirrored.since = std::string(row.text(1)).substr(0, std::string_view("2026-11-09").size());
        },
        table));
    SHELFD_TRY_ASSIGN(requests,
                      storage::read_number(database, "SELECT sum(requests) FROM _runs WHERE resource = ?", table));
    mirrored.requests = static_cast<std::uint64_t>(requests);
    if (mirrored.rows > 0) {
        SHELFD_TRY_ASSIGN(queries, example_queries(database, schema.tables.front()));
        mirrored.queries = std::move(queries);
    }
    return mirrored;
}

// Runs the query as `shelfctl sql` does.
ExitCode ask(const Context& context, const Command& command, const std::string& sql, Output output, Terminal& terminal)
{
    Command query = command;
    query.verb = Verb::sql;
    query.read.sql = sql;
    query.output = output;
    const Context inner{query, context.environment, terminal, context.clock, context.read_input};
    return run_sql(inner);
}

// As typed in a shell.
std::string command_line(const TrialResult& result, const std::string& sql)
{
    return fmt::format("shelfctl --config {} sql try {}", shell_word(result.directory + "/shelfd.toml"),
                       shell_word(sql));
}

// "80 of 20000 rows of /sales/lines/, since 2026-11-09"
std::string extent(const TrialResult& result, const Mirrored& mirrored)
{
    const auto many = mirrored.proven || result.listed <= mirrored.rows
                          ? std::to_string(mirrored.rows)
                          : fmt::format("{} of {}", mirrored.rows, result.listed);
    const auto since = mirrored.since.empty() ? "" : ", since " + mirrored.since;
    return fmt::format("{} rows of {}{}", many, result.path, since);
}

// What the queries do not see.
std::string missing_rows(const Mirrored& mirrored)
{
    std::string text = mirrored.since.empty()
                           ? ""
                           : "A daemon fills a list with a date window by window, the newest first: older rows are "
                             "not in this mirror, and no query sees them.\n";
    text += mirrored.rows == 0 ? "There are no rows to query.\n" : "";
    return text;
}

void print_text(const Context& context, const Command& command, const TrialResult& result, const Mirrored& mirrored)
{
    auto& terminal = context.terminal;
    terminal.print(fmt::format("\n{}: {}, {}; {} requests for exploring, {} for mirroring, and a few that show whether "
                               "the token works\n",
                               result.table, extent(result, mirrored),
                               mirrored.proven ? "proven complete" : "not proven complete yet", result.requests,
                               mirrored.requests));
    terminal.print(missing_rows(mirrored));
    for (const auto& sql : mirrored.queries) {
        terminal.print_exact(fmt::format("\n$ {}\n", command_line(result, sql)));
        ask(context, command, sql, Output::text, terminal);
    }
    terminal.print(fmt::format("\nThe configuration, in {}/shelfd.toml:\n\n", result.directory));
    terminal.print_exact(result.toml);  // not broken between words: it can be pasted
    terminal.print(fmt::format("\nThe access token is destroyed; the mirror stays in {}. To remove it: rm -r {}\n"
                               "To keep mirrors up to date, with a token set that is refreshed: shelfctl init\n",
                               result.directory, shell_word(result.directory)));
}

json::object query_json(const Context& context, const Command& command, const std::string& sql)
{
    std::string rows;
    Terminal captured([&rows](std::string_view text) { rows += text; }, [](std::string_view) {}, {});
    ask(context, command, sql, Output::json, captured);
    boost::system::error_code broken;
    auto parsed = json::parse(rows, broken);
    return {{"sql", sql}, {"rows", broken ? json::value(nullptr) : std::move(parsed)}};
}

void print_json(const Context& context, const Command& command, const TrialResult& result, const Mirrored& mirrored)
{
    json::array queries;
    for (const auto& sql : mirrored.queries) {
        queries.emplace_back(query_json(context, command, sql));
    }
    const json::object report{{"base_url", result.base_url},
                              {"path", result.path},
                              {"library", command.library},
                              {"table", result.table},
                              {"rows", mirrored.rows},
                              {"listed", result.listed == 0 ? json::value(nullptr) : json::value(result.listed)},
                              {"since", mirrored.since.empty() ? json::value(nullptr) : json::value(mirrored.since)},
                              {"state", mirrored.state},
                              {"as_of", mirrored.as_of.empty() ? json::value(nullptr) : json::value(mirrored.as_of)},
                              {"proven", mirrored.proven},
                              {"requests", result.requests + mirrored.requests},
                              {"mirror", result.directory + "/mirrors/try/try.db"},
                              {"config", result.directory + "/shelfd.toml"},
                              {"toml", result.toml},
                              {"queries", std::move(queries)}};
    context.terminal.print_json(json::serialize(report) + "\n");
}

}  // namespace

ExitCode report_trial(const Context& context, const Command& command, const TrialResult& result)
{
    const Context inner{command, context.environment, context.terminal, context.clock, context.read_input};
    const auto mirrored = read_mirrored(inner, result.table);
    if (!mirrored) {
        return fail(context, mirrored.error());
    }
    context.command.output == Output::json ? print_json(context, command, result, *mirrored)
                                           : print_text(context, command, result, *mirrored);
    return mirrored->as_of.empty() ? ExitCode::failed : ExitCode::done;
}

}  // namespace shelfd::ctl
