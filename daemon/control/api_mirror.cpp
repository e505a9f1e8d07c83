#include "control/api.hpp"
#include "control/lookup.hpp"
#include "control/reply_json.hpp"
#include "control/request_fields.hpp"

#include <fmt/format.h>

namespace shelfd::control {
namespace {

Result<RetypeRequest> read_retype(const Call& call)
{
    auto fields = RequestFields::parse(call.body.reveal());
    if (!fields) {
        return fields.error();
    }
    RetypeRequest request;
    request.library = fields->required_text("library");
    request.resource = fields->required_text("resource");
    request.column = fields->required_text("column");
    if (auto read = fields->finish(); !read) {
        return read.error();
    }
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

}  // namespace shelfd::control
