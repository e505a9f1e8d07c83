#include "app/operations/socket_groups.hpp"

namespace shelfd::app {

std::vector<control::Notice> notices_of(const control::Server& control, Instant since)
{
    std::vector<control::Notice> notices;
    for (const auto& warning : control.warnings()) {
        notices.push_back({warning, "", since});
    }
    return notices;
}

asio::awaitable<std::vector<std::string>> renew_rights(control::Server* control)
{
    if (control == nullptr) {
        co_return std::vector<std::string>();
    }
    auto renewing = control->renew_rights();
    co_return co_await std::move(renewing);
}

}  // namespace shelfd::app
