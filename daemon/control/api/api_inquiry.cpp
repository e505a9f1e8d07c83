#include "control/api/api.hpp"
#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"
#include "control/api/request_fields.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

Result<GetRequest> read_get(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    GetRequest request;
    request.library = fields.required_text("library");
    request.path = fields.required_text("path");
    SHELFD_TRY(fields.finish());
    return request;
}

Result<VerifyRequest> read_verify(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    VerifyRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    request.keys = fields.texts("keys");
    request.sample = fields.count("sample");
    SHELFD_TRY(fields.finish());
    if (request.keys.empty() == (request.sample == 0)) {
        return Error(ErrorKind::usage, "name the rows in \"keys\", or say in \"sample\" how many; one of the two");
    }
    return request;
}

Result<ProbeRequest> read_probe(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    ProbeRequest request;
    request.library = fields.required_text("library");
    request.paths = fields.texts("paths");
    SHELFD_TRY(fields.finish());
    return request;
}

}  // namespace

asio::awaitable<Reply> Api::post_get(Call call) const
{
    auto request = read_get(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, ""); !known) {
        co_return error_reply(known.error());
    }
    // Without the query: it may hold what somebody searched for.
    audit(call, "asked the service for " + request->path.substr(0, request->path.find('?')), request->library);
    auto asking = operations_.get(std::move(*request));
    const auto report = co_await std::move(asking);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

asio::awaitable<Reply> Api::post_verify(Call call) const
{
    auto request = read_verify(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, request->resource); !known) {
        co_return error_reply(known.error());
    }
    audit(call, fmt::format("rows of {} compared with the service", request->resource), request->library);
    Reply reply;
    reply.content_type = "application/x-ndjson";
    reply.stream = [this, wanted = *request](LineSink sink) { return stream_verify(wanted, std::move(sink)); };
    co_return reply;
}

asio::awaitable<void> Api::stream_verify(VerifyRequest request, LineSink sink) const
{
    VerifySink tell = [sink](const VerifiedRow& row) { sink(verified_line(row), Importance::kept); };
    auto working = operations_.verify(std::move(request), std::move(tell));
    const auto outcome = co_await std::move(working);
    sink(done_line(outcome), Importance::kept);
}

asio::awaitable<Reply> Api::post_probe(Call call) const
{
    auto request = read_probe(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, ""); !known) {
        co_return error_reply(known.error());
    }
    audit(call, "lists of the service looked at", request->library);
    Reply reply;
    reply.content_type = "application/x-ndjson";
    reply.stream = [this, wanted = *request](LineSink sink) { return stream_probe(wanted, std::move(sink)); };
    co_return reply;
}

asio::awaitable<void> Api::stream_probe(ProbeRequest request, LineSink sink) const
{
    ProbeSink tell = [sink](const ProbedList& list) { sink(probed_line(list), Importance::kept); };
    auto working = operations_.probe(std::move(request), std::move(tell));
    const auto outcome = co_await std::move(working);
    sink(done_line(outcome), Importance::kept);
}

}  // namespace shelfd::control
