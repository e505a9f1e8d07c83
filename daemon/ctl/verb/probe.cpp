#include "config/tree/toml_text.hpp"
#include "ctl/daemon/line_stream.hpp"
#include "ctl/screen/table.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

bool has_value(const JsonReader& in, const char* name)
{
    return in.count(name) > 0;
}

// "450", "10 and more"; "" if nothing is known.
std::string rows_of(const JsonReader& list, bool more)
{
    if (has_value(list, "count")) {
        return std::to_string(list.count("count"));
    }
    const auto rows = list.count("page_rows");
    return more ? fmt::format("{} and more", rows) : std::to_string(rows);
}

// Prints the findings as their lines arrive, and at the end a table of all lists and the configuration to paste. All
// but the configuration are comments, so that the whole output can be pasted.
class ProbeReport {
public:
    ProbeReport(const Context& context, bool is_search)
        : context_(context), is_search_(is_search), prints_(context.command.output != Output::json)
    {
    }

    void take(std::string_view event, const JsonReader& line)
    {
        if (event == "plan") {
            on_plan(line);
        } else if (event == "found") {
            on_found(line);
        } else if (event == "identity") {
            on_identity(line);
        } else if (event == "list") {
            on_list(line);
        }
    }

    ExitCode finish(const Result<void>& outcome)
    {
        if (is_search_) {
            return finish_search(outcome);
        }
        print_toml();
        if (!forbidden_.empty()) {
            // As where a single address is requested.
            return fail(context_, Error(ErrorKind::needs_person,
                                        fmt::format("the service refuses {} (403): a scope or a permission is missing; "
                                                    "what the token set may do: shelfctl auth status {}",
                                                    fmt::join(forbidden_, ", "), context_.command.library)));
        }
        return all_readable_ ? ExitCode::done : ExitCode::failed;
    }

private:
    void on_plan(const JsonReader& plan)
    {
        say(fmt::format("at most {} requests {}", plan.count("requests"), plan.text("purpose")));
    }

    void on_found(const JsonReader& found)
    {
        const auto verdict = found.text("verdict");
        const bool is_list = verdict == "list";
        // Usual paths that are not there say nothing about this service.
        if (verdict == "missing" && found.text("source") == "usual path") {
            return;
        }
        lists_found_ += is_list ? 1 : 0;
        exploring_ += is_list ? found.count("explore_requests") : 0;
        const auto resource = found.text("resource");
        const auto form = is_list ? found.text("envelope") : verdict;
        auto note = is_list ? found.text("title") : found.text("why");
        note = resource.empty() ? note : "mirrored as " + resource + (note.empty() ? "" : ": " + note);
        addresses_.add({{found.text("path")},
                        {is_list ? rows_of(found, found.flag("more")) : ""},
                        {form},
                        {found.text("source")},
                        {note}});
    }

    // A comment: `identity` stands in a table that the configuration has already.
    void on_identity(const JsonReader& found)
    {
        using config::quote;
        const auto user = found.text("user_field");
        const auto setting = user.empty() ? "" : fmt::format(", user_field = {}", quote(user));
        identity_ = fmt::format("{} names the library of a token{}: {} identity = {{ path = {}, field = {}{} }}{}",
                                found.text("path"), user.empty() ? "" : " and its user",
                                found.flag("configured") ? "change it to" : "in [service] write",
                                quote(found.text("path")), quote(found.text("field")), setting,
                                user.empty() ? "" : "; libraries of one user then share one limit by themselves");
    }

    // The findings of one list are in its lines; in a table of all lists, these have no column.
    void note_texts(const JsonReader& list)
    {
        for (const auto* object : list.objects("texts")) {
            const JsonReader in(*object);
            const auto cast = in.text("compare_with");
            texts_ += fmt::format("# {}: {} holds {}, and compares letter by letter in SQL{}\n", list.text("path"),
                                  in.text("member"), in.text("holds"), cast.empty() ? "" : ": write " + cast);
        }
    }

    void on_list(const JsonReader& list)
    {
        note_texts(list);
        all_readable_ = all_readable_ && list.flag("readable");
        if (list.flag("forbidden")) {
            forbidden_.push_back(list.text("path"));
        }
        if (prints_ && !context_.command.all) {
            print(list);
        }
        if (const auto block = list.text("toml"); !block.empty()) {
            toml_ += (toml_.empty() ? "" : "\n") + block;
        }
        const auto* newest_first = list.flag("newest_first") ? "newest first" : "";
        const auto window = list.text("window_field");
        const auto* lines = list.array("lines");
        const auto* why = lines != nullptr && !lines->empty() ? lines->front().if_string() : nullptr;
        explored_.add({{list.text("path")},
                       {has_value(list, "count") ? std::to_string(list.count("count")) : ""},
                       {list.text("key")},
                       {newest_first},
                       {list.text("filter")},
                       {window.empty() ? "" : "by " + window},
                       {has_value(list, "full_requests") ? std::to_string(list.count("full_requests")) : ""},
                       {list.flag("readable") || why == nullptr ? "" : std::string(why->data(), why->size())}});
    }

    ExitCode finish_search(const Result<void>& outcome)
    {
        if (prints_ && addresses_.rows_waiting() > 0) {
            print_commented(addresses_);
        }
        if (prints_ && explored_.rows_waiting() > 0) {
            context_.terminal.print("#\n");
            print_commented(explored_);
            context_.terminal.print_exact(texts_);
        }
        if (!identity_.empty()) {
            say(identity_);
        }
        if (!outcome) {
            print_toml();
            return ExitCode::failed;  // the error says why
        }
        if (lists_found_ == 0) {
            return fail(context_, Error(ErrorKind::refused,
                                        fmt::format("no list was found: name one, as the documentation of the service "
                                                    "does: shelfctl probe {} /api/v2/library/recipes/",
                                                    context_.command.library)));
        }
        if (context_.command.all) {
            print_toml();
        } else {
            say(fmt::format("explore a list: shelfctl probe {0} PATH; all of them, with at most {1} requests: "
                            "shelfctl probe {0} --all",
                            context_.command.library, exploring_));
        }
        return ExitCode::done;
    }

    void print_toml()
    {
        if (prints_ && !toml_.empty()) {
            // Not broken between words: it would be no TOML.
            context_.terminal.print_exact(
                "# paste this into the configuration, then: shelfctl config check, shelfctl reload\n" + toml_);
        }
    }

    void print(const JsonReader& list)
    {
        auto text = fmt::format("# {} ({} requests)\n", list.text("path"), list.count("requests"));
        for (const auto& line : list.texts("lines")) {
            text += fmt::format("#   {}\n", line);
        }
        context_.terminal.print_exact(text);  // so that every line stays a comment
    }

    void print_commented(Table& table)
    {
        // Without a terminal's width, so that no line is broken into one that is no comment.
        std::string text;
        const Terminal wide([&text](std::string_view piece) { text += piece; }, [](std::string_view) {}, {});
        auto lines = table.take(wide).bytes();
        for (std::size_t at = 0; at < lines.size();) {
            const auto end = std::min(lines.find('\n', at), lines.size() - 1);
            text += "# " + lines.substr(at, end + 1 - at);
            at = end + 1;
        }
        context_.terminal.print_exact(text);
    }

    void say(const std::string& text)
    {
        if (prints_) {
            context_.terminal.print_exact("# " + text + "\n");
        }
    }

    const Context& context_;
    bool is_search_;
    bool prints_;
    bool all_readable_ = true;
    std::vector<std::string> forbidden_;  // paths
    std::size_t lists_found_ = 0;
    std::uint64_t exploring_ = 0;  // requests, to explore all of them
    std::string toml_;
    std::string texts_;     // lines about all lists: members that do not compare as what they hold
    std::string identity_;  // a proposal; "" = none
    Table addresses_{{{"ADDRESS"}, {"ROWS", Align::right}, {"ANSWER"}, {"NAMED BY"}, {"ABOUT"}}};
    Table explored_{{{"LIST"},
                     {"ROWS", Align::right},
                     {"KEY"},
                     {"ORDER"},
                     {"FILTER"},
                     {"WINDOWS"},
                     {"REQUESTS", Align::right},
                     {"TROUBLE"}}};
};

// Which lists the daemon is asked about.
std::string_view extent_of(const Command& command)
{
    if (command.all) {
        return "thorough";
    }
    return command.inquiry.paths.empty() && !command.inquiry.configured ? "survey" : "lists";
}

}  // namespace

ExitCode run_probe(const Context& context)
{
    json::array paths;
    for (const auto& path : context.command.inquiry.paths) {
        paths.emplace_back(path);
    }
    json::object body{{"library", context.command.library}, {"paths", std::move(paths)}};
    const auto extent = extent_of(context.command);
    if (extent != "lists") {
        body["extent"] = extent;
    }
    ProbeReport report(context, extent != "lists");
    const auto take = [&report](std::string_view event, const JsonReader& line) { report.take(event, line); };
    const auto finish = [&report](const auto& outcome) { return report.finish(outcome); };
    return run_stream(context, "/v1/probe", body, take, finish, context.command.library);
}

}  // namespace shelfd::ctl
