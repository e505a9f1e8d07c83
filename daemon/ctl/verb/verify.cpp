#include "ctl/daemon/line_stream.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

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
        return fmt::format(
            "requested at {}; the table is as of {}: if it was deleted since, a full pass deletes the row",
            row.text("address"), as_of ? as_of->to_short_text() : "never");
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

ExitCode run_verify(const Context& context)
{
    const auto& command = context.command;
    if (command.keys.empty() && command.inquiry.sample == 0) {
        return fail(context, Error(ErrorKind::usage, "name the keys of the rows, or add --sample N"));
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
    return run_stream(context, "/v1/verify", body, take, [&report](const Result<void>&) { return report.finish(); });
}

}  // namespace shelfd::ctl
