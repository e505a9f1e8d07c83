#include "control/api.hpp"
#include "control/lookup.hpp"
#include "control/reply_json.hpp"
#include "control/request_fields.hpp"

namespace shelfd::control {
namespace {

Result<std::string> read_library(const Call& call)
{
    auto fields = RequestFields::parse(call.body.reveal());
    if (!fields) {
        return fields.error();
    }
    auto library = fields->required_text("library");
    if (auto read = fields->finish(); !read) {
        return read.error();
    }
    return library;
}

}  // namespace

asio::awaitable<Reply> Api::post_snapshot(Call call) const
{
    auto library = read_library(call);
    if (!library) {
        co_return error_reply(library.error());
    }
    if (auto known = check_names(operations_.status(), *library, ""); !known) {
        co_return error_reply(known.error());
    }
    audit(call, "snapshot asked for", *library);
    auto copying = operations_.snapshot(std::move(*library));
    const auto report = co_await std::move(copying);
    co_return report ? report_reply(*report) : error_reply(report.error());
}

}  // namespace shelfd::control
