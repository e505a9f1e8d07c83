#include "control/api.hpp"

#include "control/lookup.hpp"
#include "control/progress_json.hpp"
#include "control/reply_json.hpp"
#include "control/request_fields.hpp"
#include "control/wait.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

Result<SyncRequest> read_sync(const Call& call)
{
    auto fields = RequestFields::parse(call.body.reveal());
    if (!fields) {
        return fields.error();
    }
    SyncRequest request;
    request.library = fields->required_text("library");
    request.resource = fields->text("resource");
    request.extent = fields->flag("full") ? Extent::full : Extent::ordinary;
    request.waiting = fields->flag("background") ? Waiting::background : Waiting::until_done;
    if (auto read = fields->finish(); !read) {
        return read.error();
    }
    return request;
}

Result<WaitRequest> read_wait(const Call& call)
{
    auto fields = RequestFields::parse(call.body.reveal());
    if (!fields) {
        return fields.error();
    }
    WaitRequest request;
    request.library = fields->text("library");
    request.resource = fields->text("resource");
    request.fresh = fields->seconds("fresh_seconds");
    request.timeout = fields->seconds("timeout_seconds").value_or(request.timeout);
    if (auto read = fields->finish(); !read) {
        return read.error();
    }
    return request;
}

Result<std::string> read_library(const Call& call, const Status& status)
{
    auto fields = RequestFields::parse(call.body.reveal());
    if (!fields) {
        return fields.error();
    }
    auto library = fields->required_text("library");
    if (auto read = fields->finish(); !read) {
        return read.error();
    }
    if (auto known = check_names(status, library, ""); !known) {
        return known.error();
    }
    return library;
}

// "library=antwerp&seal=no": the body of an import is the pasted set itself, so that no parser keeps a copy of it.
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

}  // namespace

asio::awaitable<Reply> Api::post_sync(Call call) const
{
    auto request = read_sync(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, request->resource); !known) {
        co_return error_reply(known.error());
    }
    audit(call, "sync asked for", request->library);
    Reply reply;
    reply.content_type = "application/x-ndjson";
    reply.stream = [this, wanted = *request](LineSink sink) { return stream_sync(wanted, std::move(sink)); };
    co_return reply;
}

asio::awaitable<void> Api::stream_sync(SyncRequest request, LineSink sink) const
{
    ProgressSink progress = [sink](const ProgressEvent& event) {
        sink(to_json(event), event.ended ? Importance::kept : Importance::droppable);
    };
    auto working = operations_.sync(std::move(request), std::move(progress));
    const auto outcome = co_await std::move(working);
    sink(done_line(outcome), Importance::kept);
}

asio::awaitable<Reply> Api::post_wait(Call call) const
{
    auto request = read_wait(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto missing = not_there_yet(operations_.status(), *request); !missing) {
        co_return error_reply(missing.error());
    }
    Reply reply;
    reply.content_type = "application/x-ndjson";
    reply.stream = [this, wanted = *request](LineSink sink) {
        return wait_until_there(operations_, clock_, wanted, std::move(sink));
    };
    co_return reply;
}

asio::awaitable<Reply> Api::post_reload(Call call) const
{
    audit(call, "reload asked for", "");
    const auto report = co_await operations_.reload();
    co_return report ? report_reply(*report) : error_reply(report.error());
}

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

asio::awaitable<Reply> Api::post_adopt(Call call) const
{
    auto library = read_library(call, operations_.status());
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
    auto library = read_library(call, operations_.status());
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
    auto library = read_library(call, operations_.status());
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
