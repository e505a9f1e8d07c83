#include "ctl/setup/next_steps.hpp"

#include "base/words/shell_word.hpp"
#include "ctl/start/block.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

json::value json_of(const std::optional<config::Identity>& identity)
{
    if (!identity) {
        return nullptr;
    }
    const auto& user = identity->user_field;
    return json::object{{"path", identity->path},
                        {"field", identity->field},
                        {"user_field", user.empty() ? json::value(nullptr) : json::value(user)}};
}

}  // namespace

std::string typed_ctl(const Context& context, const InstallationPlaces& places)
{
    const bool is_found = context.command.config_file == Command().config_file;
    return (places.of_system ? "sudo " : "") + own_program(context.environment) +
           (is_found ? "" : " --config " + shell_word(places.config_file));
}

std::vector<std::string> next_steps(const std::string& ctl, const InitPlan& plan, const Starter& starter,
                                    bool is_started, bool has_set)
{
    std::vector<std::string> steps;
    if (!is_started) {
        steps = starter.commands;
        steps.back() += starter.remark.empty() ? "" : "   # " + starter.remark;
    }
    if (plan.way == TokenWay::later) {
        if (!has_set) {
            steps.push_back(
                fmt::format("{0} auth login {1}   # or: auth ask, then auth import {1}", ctl, plan.library));
        }
        steps.push_back(fmt::format("{} probe {}   # finds more lists", ctl, plan.library));
    }
    steps.push_back(fmt::format("{} wait {} --timeout 1h", ctl, plan.library));
    steps.push_back(fmt::format("{} sql {} \"SELECT * FROM freshness\"", ctl, plan.library));
    return steps;
}

std::string correction_of(const SetStanding& set, const InitPlan& plan, const InstallationPlaces& places)
{
    if (!set.needs_person) {
        return "";
    }
    // As the daemon says it to somebody who knows the files.
    constexpr std::string_view of_client = "correct client_id, client_secret or base_url";
    auto what = set.do_this.substr(0, set.do_this.find(", then: shelfctl reload"));
    if (what == of_client) {
        const auto& name = plan.application.name;
        what = plan.application.is_there
                   ? fmt::format("correct client_id or client_secret of [application.{}], or base_url in {}", name,
                                 places.config_file)
                   : fmt::format("correct the client secret in {}, or client_id or base_url in {}",
                                 places.secret_file(name), places.config_file);
    }
    return fmt::format("{}: {}", what, set.reason);
}

void print_setup(const Context& context, const SetupReport& report)
{
    if (context.command.output == Output::json) {
        json::array lists;
        for (const auto& list : report.lists) {
            lists.push_back(json::object{{"path", list.path}, {"toml", without_details(list.block)}});
        }
        json::array warnings;
        json::array next;
        if (!report.correction.empty()) {
            warnings.emplace_back(report.correction);
            next.emplace_back(report.correction);  // before anything else can help
        }
        for (const auto& list : report.unreadable) {
            warnings.emplace_back(list.sentence());
        }
        next.insert(next.end(), report.next.begin(), report.next.end());
        const auto& id = report.library_id;
        const json::object result{{"library", report.library},
                                  {"library_id", id.empty() ? json::value(nullptr) : json::value(id)},
                                  {"files", json::array(report.files.begin(), report.files.end())},
                                  {"lists", std::move(lists)},
                                  {"identity", json_of(report.identity)},
                                  {"sealed", report.sealed ? json::value(*report.sealed) : json::value(nullptr)},
                                  {"warnings", std::move(warnings)},
                                  {"next", std::move(next)}};
        context.terminal.print_json(json::serialize(result) + "\n");
        return;
    }
    for (const auto& list : report.unreadable) {
        context.terminal.complain(list.sentence());
    }
    context.terminal.print(fmt::format("\nThe configuration is in {}. Next:\n", report.directory));
    if (!report.correction.empty()) {
        context.terminal.print("    " + report.correction + "\n");
    }
    for (const auto& step : report.next) {
        context.terminal.print("    " + step + "\n");
    }
}

}  // namespace shelfd::ctl
