#include "ctl/line/feed_position.hpp"
#include "ctl/line/grammar.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {

void Grammar::add_mirror_verbs()
{
    auto& changes = verb(*app_, Verb::changes, "changes", "what was added, changed and deleted; needs no daemon");
    library(changes, true);
    const auto check = [](const std::string& text) {
        return text == "now" || Position::parse(text)
                   ? ""
                   : fmt::format("\"{}\" is no position: write now, or FEED:SEQ as an earlier call printed it", text);
    };
    changes
        .add_option("--since", command_.since,
                    "a position that was printed before, or now (only what is still to come)")
        ->check(check)
        ->type_name("FEED:SEQ");
    changes.add_option("--resource", command_.resource, "of one table alone")->type_name("RESOURCE");
    changes.add_flag("--follow", command_.follow, "go on until interrupted");
    json(changes, "JSON lines");

    auto& schema = verb(*app_, Verb::schema, "schema", "tables and columns, with what is known about them");
    library(schema, true);
    schema.add_option("RESOURCE", command_.resource, "one table instead of all")->type_name("");
    const auto names_a_column = [](const std::string& text) {
        const auto dot = text.find('.');
        return dot != 0 && dot != std::string::npos && dot + 1 < text.size()
                   ? ""
                   : fmt::format("\"{}\" names no column: write RESOURCE.COLUMN", text);
    };
    schema.add_option("--retype", command_.retype, "after drift: choose the kind anew, from the values that are there")
        ->check(names_a_column)
        ->type_name("RESOURCE.COLUMN");
    json(schema, "as JSON");
    add_held();
}

void Grammar::add_held()
{
    auto& held = verb(*app_, Verb::held, "held", "rows that are not listed any more and not deleted either");
    library(held, true);
    held.add_option("RESOURCE", command_.resource, "the table")->required()->type_name("");
    held.add_option("KEY", command_.keys, "these rows alone, kept ones included")->type_name("");
    auto* accept = held.add_flag_callback(
        "--accept", [this] { command_.fate = HeldFate::accept; }, "they were deleted: remove them from the table now");
    held.add_flag_callback(
            "--keep", [this] { command_.fate = HeldFate::keep; },
            "they were not: leave them; nobody is asked about them any more")
        ->excludes(accept);
    json(held, "as JSON");

    auto& snapshot = verb(*app_, Verb::snapshot, "snapshot", "copy a mirror into one file that opens anywhere");
    library(snapshot, true);
    json(snapshot, "as JSON");

    auto& explain =
        verb(*app_, Verb::explain, "explain", "how a table, or a row, came to be as it is; needs no daemon");
    library(explain, true);
    explain.add_option("RESOURCE", command_.resource, "the table")->required()->type_name("");
    explain.add_option("KEY", command_.key, "a row of it, too")->type_name("");
}

}  // namespace shelfd::ctl
