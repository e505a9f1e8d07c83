// Examines whether a list is a ledger that can be walked in windows: which parameters select rows by the date of an
// event.
#pragma once

#include "sync/inquiry/list_probe.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// No I/O, no clock. Send the request of `next`, pass the outcome to `hear`, until `next` is empty. Sends nothing for a
// list of a few pages. Never proposes parameters that were not tested: `from` a time in the future must return no row,
// and neither may `to` a time before all rows.
class WindowProbe {
public:
    static constexpr std::uint32_t max_requests = 5;

    // `findings` of the list, about which `params` are sent. `now` and `future` as for ListProbe.
    WindowProbe(const config::Service& service, const ListFindings& findings, Instant now, Instant future,
                std::map<std::string, std::string> params = {});

    std::optional<std::string> next() const;
    void hear(const Result<http::Response>& outcome);
    const std::optional<ListFindings::Window>& window() const { return window_; }
    std::uint32_t requests() const { return requests_; }

private:
    enum class Step { from, to, oldest, done };

    std::string target(const std::string& param, const std::string& value) const;
    const ListFindings::EventTime& time() const { return times_[time_]; }
    std::string moment(Instant at) const;
    void on_from(const Result<http::Response>& outcome);
    void on_to(const Result<http::Response>& outcome);
    void on_oldest(const Result<http::Response>& outcome);
    void next_time();
    std::uint64_t page_days() const;
    Duration step_since(const std::string& since) const;

    const config::Service& service_;
    std::string path_;
    bool by_offset_ = false;
    std::optional<std::uint64_t> count_;
    std::uint64_t page_items_ = 0;
    std::vector<ListFindings::EventTime> times_;
    Instant now_;
    Instant future_;
    std::map<std::string, std::string> params_;
    Step step_ = Step::done;
    std::size_t time_ = 0;
    std::optional<ListFindings::Window> window_;
    std::uint32_t requests_ = 0;
};

}  // namespace shelfd::sync
