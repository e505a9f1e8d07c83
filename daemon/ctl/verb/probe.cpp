#include "ctl/daemon/line_stream.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Prints the findings about each list as its line arrives, and at the end the configuration to paste.
class ProbeReport {
public:
    explicit ProbeReport(const Context& context) : context_(context) {}

    void take(std::string_view event, const JsonReader& list)
    {
        if (event != "list") {
            return;
        }
        all_readable_ = all_readable_ && list.flag("readable");
        if (context_.command.output != Output::json) {
            print(list);
        }
        if (const auto block = list.text("toml"); !block.empty()) {
            toml_ += (toml_.empty() ? "" : "\n") + block;
        }
    }

    ExitCode finish()
    {
        if (context_.command.output != Output::json && !toml_.empty()) {
            context_.terminal.print(
                "# paste this into the configuration, then: shelfctl config check, shelfctl reload\n" + toml_);
        }
        return all_readable_ ? ExitCode::done : ExitCode::failed;
    }

private:
    // As comments, so that the whole output can be pasted.
    void print(const JsonReader& list)
    {
        auto text = fmt::format("# {} ({} requests)\n", list.text("path"), list.count("requests"));
        if (const auto* lines = list.array("lines")) {
            for (const auto& line : *lines) {
                if (const auto* words = line.if_string()) {
                    text += fmt::format("#   {}\n", std::string_view(words->data(), words->size()));
                }
            }
        }
        context_.terminal.print(text);
    }

    const Context& context_;
    bool all_readable_ = true;
    std::string toml_;
};

}  // namespace

ExitCode run_probe(const Context& context)
{
    json::array paths;
    for (const auto& path : context.command.inquiry.paths) {
        paths.emplace_back(path);
    }
    const json::object body{{"library", context.command.library}, {"paths", std::move(paths)}};
    ProbeReport report(context);
    const auto take = [&report](std::string_view event, const JsonReader& line) { report.take(event, line); };
    return run_stream(context, "/v1/probe", body, take, [&report] { return report.finish(); });
}

}  // namespace shelfd::ctl
