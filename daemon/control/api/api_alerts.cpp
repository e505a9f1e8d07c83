#include "control/api/api.hpp"
#include "control/api/reply_json.hpp"
#include "control/api/request_fields.hpp"

#include <utility>

namespace shelfd::control {
namespace {

Result<std::string> read_hook(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    auto hook = fields.required_text("hook");
    SHELFD_TRY(fields.finish());
    return hook;
}

Result<SilenceRequest> read_silence(const Call& call)
{
    SHELFD_TRY_ASSIGN(fields, RequestFields::parse(call.body.reveal()));
    SilenceRequest request;
    request.library = fields.text("library");
    request.length = fields.seconds("seconds").value_or(Duration(0));
    SHELFD_TRY(fields.finish());
    return request;
}

}  // namespace

asio::awaitable<Reply> Api::get_alerts(Call) const
{
    co_return report_reply(operations_.alerts());
}

asio::awaitable<Reply> Api::post_hook_test(Call call) const
{
    auto hook = read_hook(call);
    if (!hook) {
        co_return error_reply(hook.error());
    }
    audit(call, "test of a hook asked for", "");
    auto testing = operations_.test_hook(std::move(*hook));
    const auto outcome = co_await std::move(testing);
    co_return outcome ? ok_reply() : error_reply(outcome.error());
}

asio::awaitable<Reply> Api::post_silence(Call call) const
{
    auto request = read_silence(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    audit(call, "silence asked for", request->library);
    auto silencing = operations_.silence(std::move(*request));
    const auto until = co_await std::move(silencing);
    co_return until ? silence_reply(*until) : error_reply(until.error());
}

}  // namespace shelfd::control
