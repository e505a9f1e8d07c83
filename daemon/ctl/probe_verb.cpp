#include "ctl/json_reader.hpp"
#include "ctl/verbs.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// What was found of each list, as its lines arrive; the configuration to paste at the end.
class ProbeReport {
public:
    explicit ProbeReport(const Context& context) : context_(context) {}

    void take(std::string_view line)
    {
        boost::system::error_code broken;
        const auto document = json::parse({line.data(), line.size()}, broken);
        const auto* object = broken ? nullptr : document.if_object();
        if (object == nullptr) {
            return;
        }
        const JsonReader in(*object);
        const auto event = in.text("event");
        if (context_.command.output == Output::json && event != "alive") {
            context_.terminal.print(std::string(line) + "\n");
        }
        if (event == "list") {
            all_readable_ = all_readable_ && in.flag("readable");
            if (context_.command.output != Output::json) {
                print(in);
            }
            if (const auto block = in.text("toml"); !block.empty()) {
                toml_ += (toml_.empty() ? "" : "\n") + block;
            }
        } else if (event == "done") {
            const auto* error = in.object("error");
            outcome_ = error != nullptr ? error_from_json(json::serialize(*error)) : Result<void>();
        }
    }

    ExitCode finish()
    {
        if (!outcome_) {
            return fail(context_, Error(ErrorKind::stopped, "the daemon stopped before it was done; try again"));
        }
        if (context_.command.output != Output::json && !toml_.empty()) {
            context_.terminal.print("# to paste, then: shelfctl config check, shelfctl reload\n" + toml_);
        }
        if (!*outcome_) {
            return fail(context_, outcome_->error());
        }
        return all_readable_ ? ExitCode::done : ExitCode::failed;
    }

private:
    // As comments, so that the whole output may be pasted.
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
    std::optional<Result<void>> outcome_;
};

}  // namespace

ExitCode run_probe(const Context& context)
{
    json::array paths;
    for (const auto& path : context.command.paths) {
        paths.emplace_back(path);
    }
    const json::object body{{"library", context.command.library}, {"paths", std::move(paths)}};
    ProbeReport report(context);
    const auto on_line = [&report](std::string_view line) { report.take(line); };
    const auto answer = context.client().stream("/v1/probe", Secret(json::serialize(body)), on_line);
    if (!answer) {
        return fail_without_daemon(context, answer.error());
    }
    if (const auto checked = answer->check(); !checked) {
        return fail(context, checked.error());
    }
    return report.finish();
}

}  // namespace shelfd::ctl
