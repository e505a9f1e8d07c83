#include "control/api/api.hpp"

#include "control/api/lookup.hpp"
#include "control/api/progress_json.hpp"
#include "control/api/reply_json.hpp"
#include "control/api/request_fields.hpp"
#include "control/api/wait.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

Result<SyncRequest> read_sync(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    SyncRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.text("resource");
    request.extent = fields.flag("full") ? Extent::full : Extent::ordinary;
    request.from = fields.text("from");
    request.to = fields.text("to");
    request.waiting = fields.flag("background") ? Waiting::background : Waiting::until_done;
    request.if_older = fields.seconds("if_older_seconds");
    request.dry_run = fields.flag("dry_run");
    SHELFD_TRY(fields.finish());
    if (request.from.empty() != request.to.empty()) {
        return Error(ErrorKind::usage, "from and to go together");
    }
    if (!request.from.empty() && request.resource.empty()) {
        return Error(ErrorKind::usage, "a window is one of a ledger: name the resource");
    }
    return request;
}

Result<WaitRequest> read_wait(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    WaitRequest request;
    request.library = fields.text("library");
    request.resource = fields.text("resource");
    request.fresh = fields.seconds("fresh_seconds");
    request.timeout = fields.seconds("timeout_seconds").value_or(request.timeout);
    SHELFD_TRY(fields.finish());
    return request;
}

}  // namespace

asio::awaitable<Reply> Api::post_sync(Call call) const
{
    auto request = read_sync(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (!operations_.knows(request->library, request->resource)) {
        if (auto known = check_names(operations_.status(), request->library, request->resource); !known) {
            co_return error_reply(known.error());
        }
    }
    if (!request->dry_run) {
        audit(call, "sync asked for", request->library);
    }
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

}  // namespace shelfd::control
