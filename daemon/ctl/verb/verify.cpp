#include "control/model/unknown_names.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/line_stream.hpp"
#include "ctl/status/status_view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

constexpr std::size_t max_shown = 200;

std::string shown(std::string text)
{
    if (text.size() > max_shown) {
        auto end = max_shown;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
            --end;  // not inside a character
        }
        text.resize(end);
        text += "…";
    }
    return text;
}

// Says whether the row was changed after the mirror saw it, as far as known.
std::string reason_of(const JsonReader& row)
{
    const auto as_of = row.instant("as_of");
    const auto modified = row.instant("modified");
    auto text = as_of ? "the table is as of " + as_of->to_short_text() : std::string("the table was never filled");
    if (!modified) {
        return text + "; the service does not say when the item was modified";
    }
    text += ", the service says the item was modified " + modified->to_short_text();
    return text + (row.flag("changed_since") ? ": changed since, the next pass fetches it"
                                             : ": not changed since, so the row is wrong");
}

// The same for an item that the mirror lacks; its list may exclude items on purpose that have an address of their own.
std::string missing_reason(const JsonReader& row)
{
    const auto as_of = row.instant("as_of");
    if (!as_of) {
        return "the table is not complete yet: shelfctl status shows what it waits for";
    }
    const auto modified = row.instant("modified");
    auto text = "requested at " + row.text("address") + "; the table is as of " + as_of->to_short_text();
    if (modified) {
        text += ", the service says the item was modified " + modified->to_short_text();
    }
    return text + (row.flag("changed_since")
                       ? ": the next pass fetches it"
                       : ": unless the list omits it (a filter in params, a permission), the mirror misses a row");
}

// Prints the report of a comparison as its lines arrive.
class VerifyReport {
public:
    explicit VerifyReport(const Context& context) : context_(context) {}

    void take(std::string_view event, const JsonReader& row)
    {
        if (event != "row") {
            return;
        }
        count(row.text("verdict"));
        if (context_.command.output != Output::json) {
            print(row);
        }
    }

    ExitCode finish()
    {
        if (context_.command.output != Output::json && rows_ > 0) {
            print_sum();
        }
        return others_ > 0 ? ExitCode::failed : not_here_ > 0 ? ExitCode::usage : ExitCode::done;
    }

private:
    void count(const std::string& verdict)
    {
        ++rows_;
        equal_ += verdict == "equal" ? 1 : 0;
        not_here_ += verdict == "not_here" ? 1 : 0;
        others_ += verdict != "equal" && verdict != "not_here" ? 1 : 0;
    }

    void print(const JsonReader& row)
    {
        const auto verdict = row.text("verdict");
        auto text = row.text("key") + ": ";
        if (verdict == "equal" || verdict == "differs") {
            text += verdict + "\n";
        } else {
            text += row.text("why") + "\n";
            // Whether the row is right is not known: the service did not answer.
            text += verdict == "not_compared"
                        ? fmt::format("  what the daemon knows of it: shelfctl status {}\n", context_.command.library)
                        : "";
        }
        if (const auto* differences = row.array("differences")) {
            for (const auto& element : *differences) {
                if (const auto* difference = element.if_object()) {
                    const JsonReader in(*difference);
                    const auto service = in.text("service");
                    text += fmt::format("  {}\n    mirror   {}\n    service  {}\n", in.text("member"),
                                        shown(in.text("mirror")), service.empty() ? "(not there)" : shown(service));
                }
            }
        }
        if (verdict == "differs" || verdict == "gone" || verdict == "missing") {
            text += "  " +
                    (verdict == "differs"   ? reason_of(row)
                     : verdict == "missing" ? missing_reason(row)
                                            : gone_reason(row)) +
                    "\n";
        }
        context_.terminal.print(text);
    }

    static std::string gone_reason(const JsonReader& row)
    {
        const auto as_of = row.instant("as_of");
        const auto table = as_of ? fmt::format("the table is as of {}: if the item was deleted after that, a full pass "
                                               "deletes the row",
                                               as_of->to_short_text())
                                 : std::string("the table was never filled completely");
        return fmt::format("requested at {}; {}", row.text("address"), table);
    }

    void print_sum()
    {
        context_.terminal.print(
            fmt::format("{} row{} compared: {} equal, {} not\n", rows_, rows_ == 1 ? "" : "s", equal_, rows_ - equal_));
    }

    const Context& context_;
    std::uint64_t rows_ = 0;
    std::uint64_t equal_ = 0;
    std::uint64_t not_here_ = 0;
    std::uint64_t others_ = 0;
};

}  // namespace

namespace {

// Fails for a library or a table that a daemon which answers does not have.
Result<void> check_table(const Context& context)
{
    const auto& library = context.command.library;
    const auto& resource = context.command.resource;
    const auto answer = client_of(context).get("/v1/status");
    if (!answer || !answer->check()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(status, read_status(answer->body));
    std::vector<std::string> libraries;
    for (const auto& one : status.libraries) {
        libraries.push_back(one.name);
        std::vector<std::string> tables;
        for (const auto& table : one.resources) {
            tables.push_back(table.name);
        }
        if (one.name == library) {
            const bool is_there = std::find(tables.begin(), tables.end(), resource) != tables.end();
            return is_there ? Result<void>() : control::unknown_table(library, resource, tables);
        }
    }
    return control::unknown_library(library, libraries);
}

}  // namespace

ExitCode run_verify(const Context& context)
{
    const auto& command = context.command;
    if (command.keys.empty() && command.inquiry.sample == 0) {
        const auto checked = check_table(context);
        const auto error = checked ? Error(ErrorKind::usage, fmt::format("name the keys of the rows, or type: shelfctl "
                                                                         "verify {} {} --sample 10",
                                                                         command.library, command.resource))
                                   : checked.error();
        return end_with(context, error, fail(context, error));
    }
    json::object body{{"library", command.library}, {"resource", command.resource}};
    if (command.inquiry.sample > 0) {
        body["sample"] = command.inquiry.sample;
    } else {
        json::array keys;
        for (const auto& key : command.keys) {
            keys.emplace_back(key);
        }
        body["keys"] = std::move(keys);
    }
    VerifyReport report(context);
    const auto take = [&report](std::string_view event, const JsonReader& line) { report.take(event, line); };
    const auto finish = [&report](const Result<void>&) { return report.finish(); };
    return run_stream(context, "/v1/verify", body, take, finish, command.library);
}

}  // namespace shelfd::ctl
