// The requests to control.listen: metrics and health, read only, for scrapers that cannot use the control socket.
#pragma once

#include "control/api/call.hpp"
#include "control/model/alerts.hpp"
#include "control/model/status.hpp"
#include "runtime/log/log.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace shelfd::control {

// What is read for each scrape.
struct ScrapeSource {
    std::function<Status()> status;
    std::function<AlertReport()> alerts;
    std::string journal = "journalctl -u shelfd";  // shows the log
};

// Accepts GET /metrics, /v1/metrics and /healthz, nothing else: no status, nothing that acts. With a token, a request
// for metrics must have it as `Authorization: Bearer TOKEN`; the comparison takes the same time whatever the token.
// Loop only.
class ScrapeApi final : public Answerer {
public:
    ScrapeApi(ScrapeSource source, Log log, std::optional<Secret> token)
        : source_(std::move(source)), log_(std::move(log)), token_(std::move(token))
    {
    }

    asio::awaitable<Reply> answer(Call call) const override;
    Error bug(const std::exception_ptr& thrown) const override;

private:
    Reply reply_to(const Call& call) const;
    bool is_allowed(const Call& call) const;

    const ScrapeSource source_;
    Log log_;
    const std::optional<Secret> token_;
};

}  // namespace shelfd::control
