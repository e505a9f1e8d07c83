#include "ctl/setup/token_step.hpp"

#include "base/words/member_text.hpp"
#include "config/check/values.hpp"
#include "ctl/context/ending_signals.hpp"
#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/client.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/login/import_set.hpp"
#include "ctl/login/log_in.hpp"
#include "ctl/login/secret_file.hpp"
#include "ctl/setup/questions.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include <poll.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// The daemon's verdict on a set that it did not take; empty if it was not asked.
std::string kind_of_refusal(const json::object& report)
{
    const auto* error = report.if_contains("error");
    return error != nullptr && error->is_object() ? JsonReader(error->get_object()).text("kind") : "";
}

// What services usually answer in JSON. A page that anybody may read says nothing about the token, but the exchange of
// the refresh token that follows does.
// A schema that is YAML for a browser is JSON for who asks for that, as the daemon does (drf-spectacular).
constexpr std::array<const char*, 11> usual_pages = {"/openapi.json",
                                                     "/api/openapi.json",
                                                     "/api/schema/",
                                                     "/api/v2/schema/",
                                                     "/swagger.json",
                                                     "/api/swagger.json",
                                                     "/v3/api-docs",
                                                     "/api/v2/",
                                                     "/api/v1/",
                                                     "/api/",
                                                     "/"};

// A set that works for somebody, only not here.
bool belongs_elsewhere(TokenState state)
{
    return state == TokenState::other_service || state == TokenState::wrong_library || state == TokenState::copied;
}

// Whether the page is what fails, not the set or the network. The daemon sends sentences only.
bool blames_page(const Result<DaemonClient::Answer>& said)
{
    const auto checked = said ? said->check() : Result<void>();
    return !checked && (checked.error().kind() == ErrorKind::protocol ||
                        checked.error().text().find("that is not JSON") != std::string::npos);
}

json::object report_in(const std::string& body)
{
    boost::system::error_code broken;
    auto document = json::parse(body, broken);
    return broken || !document.is_object() ? json::object() : std::move(document.get_object());
}

ExitCode read_import(const Context& step, const Result<DaemonClient::Answer>& said, json::object& report)
{
    const auto checked = said ? said->check() : Result<void>();
    if (checked) {
        return read_answer(step, said, report);
    }
    report = report_in(said->body);
    return fail(step, in_typed_words(checked.error()));
}

// Tests the set with the page of `identity`, then with usual ones, unless the person has named a list. `pasted` is
// empty, or a set that no page could test so far.
ExitCode import_with_usual_pages(const Context& step, Exploration& exploration, const InitPlan& plan, Secret& pasted,
                                 json::object& report, SetTaken& taken)
{
    const bool is_tried = !pasted.empty();
    if (!is_tried) {
        auto read = read_pasted_set(step);
        if (!read) {
            return fail(step, read.error());
        }
        pasted = std::move(*read);
    }
    taken.may_be_here = true;
    const auto first = hand_over_set(step, pasted.clone());
    if (!blames_page(first) || !plan.paths.empty() || is_tried) {
        return read_import(step, first, report);
    }
    for (const auto* page : usual_pages) {
        if (was_interrupted()) {
            break;
        }
        if (const auto changed = exploration.use_canary(page); !changed) {
            return fail(step, changed.error());
        }
        if (const auto said = hand_over_set(step, pasted.clone()); !blames_page(said)) {
            return read_import(step, said, report);
        }
    }
    report = report_in(first->body);
    return fail(step, Error(ErrorKind::protocol,
                            fmt::format("the token set cannot be tested yet: {} answers with JSON neither at {} nor at "
                                        "another page that services usually have",
                                        plan.base_url, usual_identity_page)));
}

// Whether the daemon accepts the set of a login, now that it asks another page.
bool is_accepted(const Exploration& exploration)
{
    constexpr int looks = 50;
    constexpr int pause_ms = 100;
    for (int look = 0; look < looks && !was_interrupted(); ++look) {
        // While the set waits, the reason says so.
        const auto known = exploration.set_standing();
        if (known && known->state == TokenState::good && known->reason.empty()) {
            return true;
        }
        ::poll(nullptr, 0, pause_ms);
    }
    return false;
}

// The set of a login waits in the token store, because no page says whose it is. No page is tried that nobody named:
// one that refuses the set would have it refreshed, or given up. Returns `busy` while the set waits.
ExitCode accept_login(const Context& context, StepContext& steps, Exploration& exploration, InitPlan& plan)
{
    if (!plan.paths.empty() || !can_ask(context)) {
        return ExitCode::busy;
    }
    const auto path = ask_for_list(context);
    if (!path || !exploration.use_canary(*path) || !is_accepted(exploration)) {
        return ExitCode::busy;
    }
    plan.paths = {*path};
    steps.say(fmt::format("the token set works: {} answers", *path));
    return ExitCode::done;
}

// Whether another login may succeed: the code was refused or lost, or its owner did not agree. A set that waits in the
// token store, or a wrong application, is no such case.
bool may_log_in_again(ExitCode code, const std::string& refusal)
{
    return refusal == to_string(ErrorKind::needs_person) || refusal == to_string(ErrorKind::network) ||
           (refusal.empty() && code == ExitCode::failed);
}

ExitCode log_in_once(const Context& step, json::object& report, SetTaken& taken)
{
    FirstLogin login;
    const auto code = log_in(step, report, &login);
    // What the daemon refuses gave no set that can be used, and no second code is sent while the set of one waits.
    taken.may_be_here = taken.may_be_here || (login.is_sent && !may_log_in_again(code, kind_of_refusal(report)));
    return code;
}

ExitCode get_once(const Context& step, Exploration& exploration, InitPlan& plan, Secret& pasted, json::object& report,
                  SetTaken& taken)
{
    report.clear();
    const auto code = plan.way == TokenWay::login
                          ? log_in_once(step, report, taken)
                          : import_with_usual_pages(step, exploration, plan, pasted, report, taken);
    if (code == ExitCode::done && plan.scopes.empty()) {
        plan.scopes = JsonReader(report).texts("scopes");
        std::erase_if(plan.scopes, [](const std::string& scope) { return !config::is_printable(scope); });
    }
    return code == ExitCode::done ? print_report(step, report) : code;
}

// Of a set that is there when init begins: it is used, or never replaced; otherwise another one is asked for.
std::optional<ExitCode> judge_present_set(const Context& context, StepContext& steps, const InitPlan& plan,
                                          const SetStanding& known)
{
    if (known.state == TokenState::good) {
        steps.say(fmt::format("a token set of {0} is there already, perhaps from an init that was interrupted: it is "
                              "used; to replace it later: shelfctl auth import {0}",
                              plan.library));
        return ExitCode::done;
    }
    if (belongs_elsewhere(known.state)) {
        return fail(context,
                    Error(ErrorKind::usage,
                          fmt::format("a token set of {0} is there already, which init does not replace: {1}. Give the "
                                      "library another name; or, only if nothing uses that set, forget it with the "
                                      "configuration that it belongs to: shelfctl --config FILE auth forget {0}",
                                      plan.library, known.reason)));
    }
    return std::nullopt;
}

}  // namespace

ExitCode get_token_set(const Context& context, StepContext& steps, Exploration& exploration, InitPlan& plan,
                       SetTaken& taken)
{
    const auto known = exploration.set_standing();
    taken.may_be_here = taken.may_be_here || !known || known->state != TokenState::none;
    if (const auto code = known ? judge_present_set(context, steps, plan, *known) : std::nullopt) {
        return *code;
    }
    auto command = steps.command();
    command.verb = plan.way == TokenWay::login ? Verb::auth_login : Verb::auth_import;
    auto step = steps.with(command);
    const auto& file = context.command.start.token_file;
    if (!file.empty()) {
        step.read_input = [&file](const std::string&, std::string_view) { return read_secret_file(file); };
    }
    const bool can_paste_again = plan.way == TokenWay::import_set && file.empty() && can_ask(context);
    json::object report;
    Secret pasted;
    constexpr int max_logins = 5;
    for (int logins = 1;; ++logins) {
        const auto code = get_once(step, exploration, plan, pasted, report, taken);
        if (code == ExitCode::done && plan.way == TokenWay::import_set) {
            taken.sealed = JsonReader(report).flag("sealed");
        }
        const auto refusal = kind_of_refusal(report);
        if (plan.way == TokenWay::login && refusal == to_string(ErrorKind::protocol)) {
            return accept_login(context, steps, exploration, plan);
        }
        const bool is_login = plan.way == TokenWay::login;
        if (is_login && code != ExitCode::done && may_log_in_again(code, refusal) && !was_interrupted() &&
            logins < max_logins && can_ask(context)) {
            context.terminal.complain("log in once more, with the address printed next; Ctrl-C ends init");
            continue;
        }
        if (code == ExitCode::done || refusal.empty() || was_interrupted()) {
            return code;
        }
        if (refusal == to_string(ErrorKind::protocol) && plan.paths.empty()) {
            // Perhaps this service has no such page.
            if (!can_ask(context)) {
                context.terminal.complain("name one of its lists: repeat the command with --path /one/list/");
                return code;
            }
            const auto path = ask_for_list(context);
            if (!path) {
                (void)fail(context, path.error());
                return code;
            }
            plan.paths = {*path};
            if (const auto changed = exploration.use_canary(*path); !changed) {
                return fail(context, changed.error());
            }
        } else if (can_paste_again) {
            pasted = Secret();
            context.terminal.complain("paste another set; Enter alone, or Ctrl-C, ends init");
        } else {
            return code;
        }
    }
}

}  // namespace shelfd::ctl
