// Writes to a mirror what its readers should know besides rows: token set, request limit, consumers.
#pragma once

#include "budget/limiter.hpp"
#include "config/model/model.hpp"
#include "mirror/mirror.hpp"
#include "oauth/status/token_status.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Pure. Without consumers.
mirror::LibraryRecord describe_library(const config::Library& library, const oauth::TokenStatus& token,
                                       const budget::LimiterStatus& limiter);

// Loop only; `mirror` in `lane` only. References must outlive this object, and this object must outlive `record`.
class LibraryRecorder {
public:
    LibraryRecorder(mirror::Mirror& mirror, Lane lane, Log log, std::string library)
        : mirror_(mirror), lane_(std::move(lane)), log_(std::move(log)), library_(std::move(library))
    {
    }

    // Writes the record unless it equals the last one, apart from the number of used requests. A failure is logged
    // once, and the next call tries again.
    asio::awaitable<void> record(mirror::LibraryRecord record);
    // Adds a line to `_runs`. A failure is logged.
    asio::awaitable<void> record_act(mirror::ActRecord act);
    // Reads the named consumers of the change feed again unless nothing can have changed: none is known, or `feed`, its
    // newest position, is that of the last call. Without `feed`, in any case. A failure leaves them as they are.
    asio::awaitable<void> look_at_consumers(std::optional<std::string> feed);
    const std::vector<mirror::FeedConsumer>& consumers() const { return consumers_; }
    // The mirror was replaced.
    void forget()
    {
        written_.reset();
        feed_.reset();
        consumers_.clear();
    }

    // The last record could not be written.
    bool has_failed() const { return has_failed_; }

private:
    mirror::Mirror& mirror_;
    Lane lane_;
    Log log_;
    const std::string library_;
    std::optional<mirror::LibraryRecord> written_;
    std::vector<mirror::FeedConsumer> consumers_;
    std::optional<std::string> feed_;  // empty: the consumers were not read yet
    bool has_failed_ = false;
};

}  // namespace shelfd::app
