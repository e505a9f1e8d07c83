#include "ctl/setup/questions.hpp"

#include "base/text.hpp"
#include "base/words/names.hpp"
#include "base/words/word_list.hpp"
#include "config/check/address.hpp"
#include "config/check/values.hpp"
#include "ctl/login/secret_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace shelfd::ctl {
namespace {

using Check = std::function<Result<std::string>(const std::string&)>;

// The option's value if there is one, otherwise the person's answer; asked again while `check` refuses it.
Result<std::string> take(const Context& context, const std::string& given, const char* option, const char* question,
                         const Check& check)
{
    if (!given.empty()) {
        auto checked = check(given);
        return checked ? std::move(checked)
                       : Result<std::string>(
                             Error(ErrorKind::usage, fmt::format("{}: {}", option, checked.error().text())));
    }
    if (!can_ask(context)) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is missing; without a terminal, init asks nothing: shelfctl init "
                                 "--help",
                                 option));
    }
    for (;;) {
        const auto answer = context.read_line(question, std::nullopt);
        if (!answer) {
            return answer.error();
        }
        auto checked = check(std::string(trimmed(answer->reveal())));
        if (checked) {
            return checked;
        }
        context.terminal.complain(checked.error().text());
    }
}

Result<std::string> check_url(const std::string& text)
{
    auto origin = config::parse_origin(text);
    return origin ? std::move(origin)
                  : Result<std::string>(Error(ErrorKind::usage, "the address " + origin.error().text()));
}

Result<std::string> check_word(const std::string& text)
{
    if (text.empty() || !config::is_printable(text)) {
        return Error(ErrorKind::usage, "it must be a text without control characters");
    }
    return text;
}

Result<std::string> check_name(const std::string& text)
{
    if (!config::is_name(text)) {
        return Error(ErrorKind::usage,
                     fmt::format("\"{}\" is not a name: it begins with a-z, contains only a-z, 0-9 and _, "
                                 "and has at most 41 characters",
                                 text));
    }
    if (text == "lists") {
        return Error(ErrorKind::usage,
                     "\"lists\" cannot be its name: conf.d/lists.toml is written for the lists, and the "
                     "library has a file of its own; choose another name");
    }
    return text;
}

Result<std::string> check_way(const std::string& text)
{
    for (const std::string_view way : {"paste", "login", "later"}) {
        if (!text.empty() && way.starts_with(lower(text))) {
            return std::string(way);
        }
    }
    return Error(ErrorKind::usage, "type paste, login or later");
}

Result<std::string> check_path(const std::string& text)
{
    auto route = config::check_route(text);
    return route ? Result<std::string>(text) : Error(ErrorKind::usage, "the path " + route.error().text());
}

Result<TokenWay> ask_for_way(const Context& context)
{
    if (!context.command.start.token_file.empty()) {
        return TokenWay::import_set;
    }
    if (!can_ask(context)) {
        return TokenWay::later;
    }
    SHELFD_TRY_ASSIGN(way, take(context, "", "--token-file",
                                "Its token set: paste one that the owner of the library made (paste), get one with a "
                                "browser (login), or do that afterwards (later)? ",
                                check_way));
    return way == "paste" ? TokenWay::import_set : way == "login" ? TokenWay::login : TokenWay::later;
}

Result<Secret> ask_for_secret(const Context& context)
{
    const auto& file = context.command.start.client_secret_file;
    if (!file.empty()) {
        return read_secret_file(file);
    }
    return context.read_secret("Client secret of the application (not shown): ");
}

// Nobody is asked: what was given is right, and nothing is missing.
Result<void> check_complete(const Context& context)
{
    const auto& options = context.command.start;
    struct Given {
        const char* option;
        const std::string& value;
        Check check;
    };
    const auto any = [](const std::string& text) { return Result<std::string>(text); };
    std::vector<Given> needed = {{"URL", options.url, check_url},
                                 {"--client-id", options.client_id, check_word},
                                 {"--client-secret-file", options.client_secret_file, any},
                                 {"--library", context.command.library, check_name}};
    const std::string no_path;
    const auto& paths = context.command.inquiry.paths;
    if (options.token_file.empty()) {  // no list can be found without a token set
        needed.push_back({"--path", paths.empty() ? no_path : paths.front(), check_path});
    }
    std::vector<std::string> missing;
    for (const auto& one : needed) {
        if (one.value.empty()) {
            // With a token set, the lists are found.
            missing.push_back(one.option == std::string_view("--path") ? "--path (or --token-file)" : one.option);
        } else {
            SHELFD_TRY(take(context, one.value, one.option, "", one.check));
        }
    }
    if (missing.empty()) {
        return {};
    }
    const auto last = missing.back();
    missing.pop_back();
    return Error(ErrorKind::usage,
                 fmt::format("{}{}{} {} missing; without a terminal, init asks nothing: shelfctl init --help",
                             fmt::join(missing, ", "), missing.empty() ? "" : " and ", last,
                             missing.empty() ? "is" : "are"));
}

}  // namespace

bool can_ask(const Context& context)
{
    return !context.command.start.non_interactive && context.terminal.can_ask();
}

Result<InitPlan> ask_for_plan(const Context& context)
{
    const auto& options = context.command.start;
    if (!can_ask(context)) {
        SHELFD_TRY(check_complete(context));
    }
    InitPlan plan;
    plan.allow_unsafe = options.allow_unsafe;
    plan.scopes = options.scopes;
    SHELFD_TRY_ASSIGN(
        url, take(context, options.url, "URL", "Address of the service, such as https://api.example.com: ", check_url));
    plan.base_url = std::move(url);
    SHELFD_TRY_ASSIGN(id,
                      take(context, options.client_id, "--client-id", "Client ID of the application: ", check_word));
    plan.client_id = std::move(id);
    SHELFD_TRY_ASSIGN(secret, ask_for_secret(context));
    plan.client_secret = std::move(secret);
    SHELFD_TRY_ASSIGN(library, take(context, context.command.library, "--library",
                                    "Name for the first library, such as antwerp: ", check_name));
    plan.library = std::move(library);
    SHELFD_TRY_ASSIGN(way, ask_for_way(context));
    plan.way = way;
    for (const auto& path : context.command.inquiry.paths) {
        SHELFD_TRY_ASSIGN(checked, take(context, path, "--path", "", check_path));
        if (std::find(plan.paths.begin(), plan.paths.end(), checked) == plan.paths.end()) {
            plan.paths.push_back(std::move(checked));
        }
    }
    if (plan.way == TokenWay::later && plan.paths.empty()) {
        SHELFD_TRY_ASSIGN(path, ask_for_list(context));
        plan.paths.push_back(std::move(path));
    }
    if (plan.way == TokenWay::login && plan.scopes.empty()) {
        SHELFD_TRY_ASSIGN(scopes, take(context, "", "--scope", "Scopes to ask for, with blanks between: ", check_word));
        plan.scopes = words_in(scopes);
    }
    return plan;
}

Result<std::string> ask_for_list(const Context& context)
{
    return take(context, "", "--path",
                "Path of one list of the service, such as /api/v2/library/recipes/: ", check_path);
}

Result<std::vector<std::string>> ask_for_lists(const Context& context, const std::vector<std::string>& found)
{
    if (!can_ask(context)) {
        return found;
    }
    for (;;) {
        const auto answer =
            context.read_line("Mirror which lists? all, or their paths with blanks between: ", std::nullopt);
        if (!answer) {
            return answer.error();
        }
        const auto words = words_in(std::string(answer->reveal()));
        if (words == std::vector<std::string>{"all"}) {
            return found;
        }
        const auto unknown = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
            return std::find(found.begin(), found.end(), word) == found.end();
        });
        if (words.empty()) {
            context.terminal.complain("type all, or at least one path");
            continue;
        }
        if (unknown == words.end()) {
            return words;
        }
        context.terminal.complain(
            fmt::format("{} was not found (known: {})", *unknown, list_nearest_first(*unknown, found)));
    }
}

}  // namespace shelfd::ctl
