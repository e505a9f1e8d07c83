#include "ctl/login/log_in.hpp"

#include "ctl/daemon/answer.hpp"
#include "ctl/daemon/json_reader.hpp"
#include "ctl/daemon/report.hpp"
#include "ctl/login/authorization.hpp"
#include "ctl/login/redirect_listener.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

struct Begun {
    Authorization::Place place;
    bool identity = false;
};

Begun read_begun(const json::object& answer)
{
    const JsonReader in(answer);
    return {{in.text("authorize_url"), in.text("client_id"), in.text("redirect_uri"), in.texts("scopes")},
            in.flag("identity")};
}

// A listener at redirect_uri, if that is an address of this machine and the person wants it.
std::unique_ptr<RedirectListener> listener_for(const Context& context, const std::string& redirect_uri)
{
    const auto redirect = http::parse_url(redirect_uri);
    if (context.command.auth.paste || !redirect || !redirect->origin.is_loopback()) {
        return nullptr;
    }
    auto listener = RedirectListener::open(*redirect, context.clock);
    if (!listener) {
        context.terminal.complain(listener.error().text() + "; paste what the browser shows instead");
        return nullptr;
    }
    return std::move(*listener);
}

// Standard output of --json is for programs.
void tell(const Context& context, const std::string& text)
{
    context.command.output == Output::json ? context.terminal.complain(text) : context.terminal.print(text);
}

Result<Secret> wait_for_code(const Context& context, RedirectListener* listener, const Authorization& authorization)
{
    if (listener != nullptr) {
        tell(context, "Waiting for the browser to return. If it runs on another machine, use --paste\n");
        return listener->wait(authorization, context.command.timeout);
    }
    constexpr int max_pastes = 5;
    const auto end = context.clock.boot_now() + context.command.timeout;
    for (int pastes = 0;;) {
        auto pasted = context.read_line(
            "Paste the code, or the complete address of the page that shows it; the code works for one minute:\n",
            end - context.clock.boot_now());
        if (!pasted && pasted.error().kind() == ErrorKind::timeout) {
            return late_return(context.command.timeout, "");
        }
        if (!pasted) {
            return pasted;
        }
        if (pasted->empty()) {
            continue;
        }
        auto code = authorization.read_paste(pasted->reveal());
        // The address that was printed is good for another paste.
        const bool may_paste_again = !code && code.error().kind() == ErrorKind::usage && context.terminal.can_ask();
        if (!may_paste_again || ++pastes == max_pastes) {
            return code;
        }
        context.terminal.complain(code.error().text());
    }
}

Secret redemption(const Authorization& authorization, const Secret& code)
{
    std::string body;
    body.reserve(256 + code.reveal().size() + authorization.place().redirect_uri.size());
    body += "code=";
    body += code.reveal();
    body += "\ncode_verifier=";
    body += authorization.verifier().reveal();
    body += "\nredirect_uri=" + authorization.place().redirect_uri;
    return Secret(std::move(body));
}

void show(const Context& context, const Authorization& authorization)
{
    const auto url = authorization.url();
    tell(context, fmt::format("Open this address in a browser, log in as the owner of {}, and allow the access:\n\n"
                              "{}\n\n",
                              context.command.library, url));
    if (context.command.auth.open_browser && context.terminal.is_terminal() && !context.browse(url)) {
        context.terminal.complain("no browser could be started (xdg-open); open the address by hand");
    }
}

// Verbs that need the library in a configuration.
Error without_verbs(const Error& error, const std::string& library)
{
    std::string text = error.text();
    for (const auto& verb : {"; start again: shelfctl auth login " + library, std::string(", then: shelfctl reload")}) {
        if (const auto at = text.find(verb); at != std::string::npos) {
            text.erase(at, verb.size());
        }
    }
    return Error(error.kind(), text);
}

}  // namespace

ExitCode log_in(const Context& context, json::object& answer, FirstLogin* first)
{
    const auto& library = context.command.library;
    if (const auto named = check_library_name(library); !named) {
        return fail(context, named.error());
    }
    json::object beginning;
    if (const auto code = ask_to_act(context, "/v1/auth/login", {{"library", library}}, beginning);
        code != ExitCode::done) {
        return code;
    }
    auto begun = read_begun(beginning);
    if (begun.place.scopes.empty()) {
        return fail(context,
                    Error(ErrorKind::config,
                          fmt::format("no scope is configured for {}: name scopes in its application, or needs "
                                      "in its lists, then: shelfctl reload",
                                      library)));
    }
    if (!begun.identity) {
        context.terminal.complain("warning: a set from a login follows its user to the user's active library; without "
                                  "`identity` in [service] shelfd does not notice that");
    }
    const Authorization authorization(std::move(begun.place), context.random);
    const auto listener = listener_for(context, authorization.place().redirect_uri);
    show(context, authorization);
    const auto code = wait_for_code(context, listener.get(), authorization);
    if (!code) {
        return fail(context, code.error());
    }
    auto request = redemption(authorization, *code);
    if (first != nullptr) {
        first->is_sent = true;
    }
    const auto said = client_of(context).post("/v1/auth/code?library=" + library, std::move(request));
    if (const auto checked = said && first != nullptr ? said->check() : Result<void>(); !checked) {
        boost::system::error_code broken;
        const auto document = json::parse(said->body, broken);
        answer = broken || !document.is_object() ? json::object() : document.get_object();
        return fail(context, without_verbs(checked.error(), library));
    }
    return read_answer(context, said, answer);
}

}  // namespace shelfd::ctl
