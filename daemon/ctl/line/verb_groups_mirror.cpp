// The verbs about the contents of a mirror.
#include "base/state/feed_position.hpp"
#include "ctl/line/verb_groups.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {

void add_sql(VerbAdder& add)
{
    auto& command = add.command();
    auto& sql = add.verb(Verb::sql, "sql", "query a mirror; read-only, needs no daemon");
    add.library(sql, true);
    sql.add_option("SQL", command.read.sql, "one statement; - reads it from standard input")->required()->type_name("");
    auto* csv = sql.add_flag_callback(
        "--csv", [&command] { command.output = Output::csv; }, "comma-separated, with a header");
    auto* json = sql.add_flag_callback(
        "--json", [&command] { command.output = Output::json; }, "an array of objects");
    json->excludes(csv);
    sql.add_flag_callback(
           "--vertical", [&command] { command.output = Output::vertical; }, "a line for each value, for wide rows")
        ->excludes(csv)
        ->excludes(json);
}

namespace {

// After the other options of `changes`.
// Calls print "position FEED:SEQ".
std::string explain_position(const std::string& text, const char* others)
{
    const auto space = text.find_last_of(' ');
    const auto last = space == std::string::npos ? std::string() : text.substr(space + 1);
    return Position::parse(last)
               ? fmt::format("\"{}\" is not a position: write only {}", text, last)
               : fmt::format("\"{}\" is not a position: write {}FEED:SEQ as an earlier call printed it", text, others);
}

void add_consumer_options(CLI::App& changes, ReadOptions& read)
{
    auto* const consumer =
        changes.add_option("--consumer", read.consumer, "what this consumer has not acknowledged; that is kept longer")
            ->check([](const std::string& text) {
                return is_consumer_name(text) ? ""
                                              : fmt::format("\"{}\" is not a name: a-z, 0-9, _ and -, at most 41 "
                                                            "characters, a letter or digit first",
                                                            text);
            })
            ->type_name("NAME");
    changes.add_flag("--ack", read.acknowledge, "acknowledge what was printed (needs the daemon)")->needs(consumer);
    auto* const up_to =
        changes.add_option("--ack-to", read.acknowledge_up_to, "acknowledge up to this position, and print nothing")
            ->check([](const std::string& text) { return Position::parse(text) ? "" : explain_position(text, ""); })
            ->type_name("FEED:SEQ")
            ->needs(consumer);
    auto* const forget =
        changes.add_flag("--forget", read.forget_consumer, "remove the consumer: nothing is kept for it any more");
    forget->needs(consumer);
    for (const char* other : {"--since", "--resource", "--follow", "--ack"}) {
        up_to->excludes(changes.get_option(other));
        forget->excludes(changes.get_option(other));
    }
    forget->excludes(up_to);
}

}  // namespace

void add_mirror_verbs(VerbAdder& add)
{
    auto& command = add.command();
    auto& changes = add.verb(Verb::changes, "changes", "print what was added, changed and deleted; needs no daemon");
    add.library(changes, true);
    const auto check = [](const std::string& text) {
        return text == "now" || Position::parse(text) ? "" : explain_position(text, "now, or ");
    };
    changes
        .add_option("--since", command.read.since, "a position that was printed before, or now (only later changes)")
        ->check(check)
        ->type_name("FEED:SEQ");
    changes.add_option("--resource", command.resource, "of one table only")->type_name("RESOURCE");
    changes.add_flag("--follow", command.read.follow, "continue until interrupted");
    add_consumer_options(changes, command.read);
    add.json(changes, "JSON lines");

    auto& schema = add.verb(Verb::schema, "schema", "print tables and columns, with what is known about them");
    add.library(schema, true);
    schema.add_option("RESOURCE", command.resource, "one table instead of all")->type_name("");
    const auto names_a_column = [](const std::string& text) {
        const auto dot = text.find('.');
        return dot != 0 && dot != std::string::npos && dot + 1 < text.size()
                   ? ""
                   : fmt::format("\"{}\" names no column: write RESOURCE.COLUMN", text);
    };
    schema
        .add_option("--retype", command.read.retype, "after drift: choose the kind again from the values in the table")
        ->check(names_a_column)
        ->type_name("RESOURCE.COLUMN");
    add.json(schema, "as JSON");
}

void add_held(VerbAdder& add)
{
    auto& command = add.command();
    auto& held = add.verb(Verb::held, "held", "list rows that are missing from the list but not deleted");
    add.library(held, true);
    held.add_option("RESOURCE", command.resource, "the table")->required()->type_name("");
    held.add_option("KEY", command.keys, "only these rows, including kept ones")->type_name("");
    auto* accept = held.add_flag_callback(
        "--accept", [&command] { command.fate = HeldFate::accept; },
        "they were deleted at the service: delete them from the table now");
    held.add_flag_callback(
            "--keep", [&command] { command.fate = HeldFate::keep; },
            "they exist at the service: keep them, and do not ask again")
        ->excludes(accept);
    add.json(held, "as JSON");

    auto& snapshot = add.verb(Verb::snapshot, "snapshot", "copy a mirror into one file that opens anywhere");
    add.library(snapshot, true);
    add.json(snapshot, "as JSON");

    auto& explain = add.verb(Verb::explain, "explain", "explain the state of a table or a row; needs no daemon");
    add.library(explain, true);
    explain.add_option("RESOURCE", command.resource, "the table")->required()->type_name("");
    explain.add_option("KEY", command.key, "explain this row, too")->type_name("");
    add.json(explain, "as JSON");
}

}  // namespace shelfd::ctl
