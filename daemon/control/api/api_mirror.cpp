#include "control/api/api.hpp"
#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"
#include "control/api/request_fields.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

Result<RetypeRequest> read_retype(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    RetypeRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    request.column = fields.required_text("column");
    SHELFD_TRY(fields.finish());
    return request;
}

Result<HeldRequest> read_held(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    HeldRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    SHELFD_TRY(fields.finish());
    return request;
}

Result<DecideRequest> read_decide(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    DecideRequest request;
    request.library = fields.required_text("library");
    request.resource = fields.required_text("resource");
    request.keys = fields.texts("keys");
    const auto fate = fields.required_text("fate");
    SHELFD_TRY(fields.finish());
    if (fate != "accept" && fate != "keep") {
        return Error(ErrorKind::usage, "\"fate\" must be accept or keep");
    }
    request.fate = fate == "accept" ? Fate::accept : Fate::keep;
    return request;
}

}  // namespace

asio::awaitable<Reply> Api::post_retype(Call call) const
{
    auto request = read_retype(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, request->resource); !known) {
        co_return error_reply(known.error());
    }
    audit(call, fmt::format("retype of {}.{} asked for", request->resource, request->column), request->library);
    auto retyping = operations_.retype(std::move(*request));
    const auto report = co_await std::move(retyping);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

asio::awaitable<Reply> Api::post_held(Call call) const
{
    auto request = read_held(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, request->resource); !known) {
        co_return error_reply(known.error());
    }
    auto listing = operations_.held(std::move(*request));
    const auto report = co_await std::move(listing);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

asio::awaitable<Reply> Api::post_decide(Call call) const
{
    auto request = read_decide(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto known = check_names(operations_.status(), request->library, request->resource); !known) {
        co_return error_reply(known.error());
    }
    audit(call,
          fmt::format("held rows of {} {}", request->resource,
                      request->fate == Fate::accept ? "accepted as deleted" : "kept"),
          request->library);
    auto deciding = operations_.decide(std::move(*request));
    const auto report = co_await std::move(deciding);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

}  // namespace shelfd::control
