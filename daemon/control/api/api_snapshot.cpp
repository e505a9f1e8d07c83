#include "control/api/api.hpp"
#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"

namespace shelfd::control {

asio::awaitable<Reply> Api::post_snapshot(Call call) const
{
    auto library = read_library(call.body.reveal(), operations_.status());
    if (!library) {
        co_return error_reply(library.error());
    }
    audit(call, "snapshot asked for", *library);
    auto copying = operations_.snapshot(std::move(*library));
    const auto report = co_await std::move(copying);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

}  // namespace shelfd::control
