// Actions on token sets. What is secret passes through no parser that leaves copies.
#include "control/api/api.hpp"

#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"
#include "control/api/request_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::control {
namespace {

// "library=antwerp&sealing=no_seal": the body of an import is the pasted set itself, so that no parser keeps a copy of
// it.
Result<ImportRequest> read_import(Call& call)
{
    ImportRequest request;
    std::string_view rest = call.query;
    while (!rest.empty()) {
        const auto item = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        if (item.starts_with("library=")) {
            request.library = item.substr(8);
        } else if (item == "sealing=no_seal") {
            request.sealing = Sealing::no_seal;
        } else if (item == "sealing=access_only") {
            request.sealing = Sealing::access_only;
        } else if (item == "force=true") {
            request.force = true;
        } else if (item != "sealing=seal") {
            return Error(ErrorKind::usage, fmt::format("\"{}\" is not known here", item.substr(0, item.find('='))));
        }
    }
    if (call.body.empty()) {
        return Error(ErrorKind::usage, "nothing was pasted: give the token set on standard input");
    }
    request.pasted = std::move(call.body);
    return request;
}

// Lines of name=value: a login's code is as good as a token for a minute, so no parser keeps a copy of it either.
Result<CodeRequest> read_code(const Call& call)
{
    CodeRequest request;
    if (!call.query.starts_with("library=")) {
        return Error(ErrorKind::usage, "\"library\" is missing");
    }
    request.library = call.query.substr(8);
    auto rest = call.body.reveal();
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const auto equals = std::min(line.find('='), line.size());
        const auto name = line.substr(0, equals);
        const auto value = line.substr(std::min(equals + 1, line.size()));
        if (name == "code") {
            request.code = Secret(std::string(value));
        } else if (name == "code_verifier") {
            request.verifier = Secret(std::string(value));
        } else if (name == "redirect_uri") {
            request.redirect_uri = value;
        } else {
            return Error(ErrorKind::usage, "the body holds lines of code=, code_verifier= and redirect_uri= only");
        }
    }
    if (request.code.empty() || request.verifier.empty() || request.redirect_uri.empty()) {
        return Error(ErrorKind::usage, "one of code, code_verifier and redirect_uri is missing");
    }
    return request;
}

}  // namespace

asio::awaitable<Reply> Api::post_import(Call call) const
{
    auto request = read_import(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, ""); !known) {
        co_return error_reply(known.error());
    }
    audit(call, "token set handed in", request->library);
    auto importing = operations_.import_set(std::move(*request));
    const auto report = co_await std::move(importing);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

asio::awaitable<Reply> Api::post_login(Call call) const
{
    auto library = read_library(call.body.reveal(), operations_.status());
    if (!library) {
        co_return error_reply(library.error());
    }
    audit(call, "login begun", *library);
    const auto place = operations_.login_place(*library);
    co_return place ? report_reply(*place) : error_reply(place.error());
}

asio::awaitable<Reply> Api::post_code(Call call) const
{
    auto request = read_code(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, ""); !known) {
        co_return error_reply(known.error());
    }
    audit(call, "authorization code handed in", request->library);
    auto redeeming = operations_.redeem_code(std::move(*request));
    const auto report = co_await std::move(redeeming);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

asio::awaitable<Reply> Api::post_move_out(Call call) const
{
    auto fields = RequestFields::parse(call.body.reveal());
    if (!fields) {
        co_return error_reply(fields.error());
    }
    const auto library = fields->required_text("library");
    auto where = fields->text("to");
    if (auto read = fields->finish(); !read) {
        co_return error_reply(read.error());
    }
    if (auto known = check_names(operations_.status(), library, ""); !known) {
        co_return error_reply(known.error());
    }
    audit(call, "token set to be moved out", library);
    auto moving = operations_.move_out(library, std::move(where));
    auto document = co_await std::move(moving);
    if (!document) {
        co_return error_reply(document.error());
    }
    auto reply = text_reply("");
    reply.body = std::move(*document);
    co_return reply;
}

asio::awaitable<Reply> Api::post_move_in(Call call) const
{
    const std::string library(call.query.starts_with("library=") ? std::string_view(call.query).substr(8) : "");
    if (auto known = check_names(operations_.status(), library, ""); library.empty() || !known) {
        co_return error_reply(library.empty() ? Error(ErrorKind::usage, "\"library\" is missing") : known.error());
    }
    audit(call, "token set to be moved in", library);
    auto moving = operations_.move_in(library, std::move(call.body));
    const auto report = co_await std::move(moving);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

asio::awaitable<Reply> Api::post_adopt(Call call) const
{
    auto library = read_library(call.body.reveal(), operations_.status());
    if (!library) {
        co_return error_reply(library.error());
    }
    audit(call, "token store adopted", *library);
    auto adopting = operations_.adopt(*library);
    const auto outcome = co_await std::move(adopting);
    co_return outcome ? ok_reply() : error_reply(outcome.error());
}

asio::awaitable<Reply> Api::post_forget(Call call) const
{
    auto library = read_library(call.body.reveal(), operations_.status());
    if (!library) {
        co_return error_reply(library.error());
    }
    audit(call, "token set to be forgotten", *library);
    auto forgetting = operations_.forget(*library);
    const auto outcome = co_await std::move(forgetting);
    co_return outcome ? ok_reply() : error_reply(outcome.error());
}

asio::awaitable<Reply> Api::post_token(Call call) const
{
    auto library = read_library(call.body.reveal(), operations_.status());
    if (!library) {
        co_return error_reply(library.error());
    }
    audit(call, "access token revealed", *library);
    auto revealing = operations_.reveal_token(*library);
    auto token = co_await std::move(revealing);
    if (!token) {
        co_return error_reply(token.error());
    }
    // Plain text, so that the token passes through no serializer that leaves copies.
    auto reply = text_reply("");
    reply.body = std::move(token->access_token);
    co_return reply;
}

}  // namespace shelfd::control
