#include "app/library/library_recorder.hpp"

#include <fmt/core.h>

#include <chrono>
#include <utility>

namespace shelfd::app {
namespace {

// Times in the future are computed from two clocks, and differ a little each time.
constexpr Duration same_time = std::chrono::seconds(5);

void keep_if_same(std::optional<Instant>& time, const std::optional<Instant>& before)
{
    if (time && before && *time - *before < same_time && *before - *time < same_time) {
        time = before;
    }
}

// What differs too little to be written becomes what was written.
void keep_if_same(mirror::LibraryRecord& record, const mirror::LibraryRecord& before)
{
    if (record.token_state == before.token_state) {
        keep_if_same(record.token_since, before.token_since);
    }
    keep_if_same(record.token_expires_at, before.token_expires_at);
    keep_if_same(record.token_next_refresh, before.token_next_refresh);
    keep_if_same(record.token_deadline, before.token_deadline);
    keep_if_same(record.paused_until, before.paused_until);
    if (!record.consumers) {
        record.consumers = before.consumers;
    }
}

}  // namespace

mirror::LibraryRecord describe_library(const config::Library& library, const oauth::TokenStatus& token,
                                       const budget::LimiterStatus& limiter)
{
    mirror::LibraryRecord record;
    record.token_state = to_string(token.state);
    record.token_needs_person = token.needs_person;
    if (token.since.micros() != 0) {
        record.token_since = token.since;
    }
    record.token_why = token.reason;
    record.token_expires_at = token.expires;
    record.token_next_refresh = token.next_refresh;
    record.token_deadline = token.deadline;
    record.do_this = token.do_this;
    record.limit_group = library.limit_group();
    record.request_limit = limiter.limit;
    record.requests_used = limiter.used;
    record.paused_until = limiter.paused_until;
    return record;
}

asio::awaitable<void> LibraryRecorder::record(mirror::LibraryRecord record)
{
    if (written_) {
        keep_if_same(record, *written_);
        written_->requests_used = record.requests_used;
        if (*written_ == record) {
            co_return;
        }
    }
    auto write = [this, &record] { return mirror_.record_library(record); };
    const auto written = co_await lane_.run(write);
    if (written) {
        if (!record.consumers && !*written) {
            record.consumers.emplace();
        }
        written_ = std::move(record);
    } else if (!has_failed_) {
        log_.warning(fmt::format("mirror of {}: cannot record the state of the token set and the limit: {}", library_,
                                 written.error().text()),
                     {{"library", library_}});
    }
    has_failed_ = !written;
}

asio::awaitable<void> LibraryRecorder::record_act(mirror::ActRecord act)
{
    auto write = [this, &act] { return mirror_.record_act(act); };
    if (const auto written = co_await lane_.run(write); !written) {
        log_.warning(fmt::format("mirror of {}: cannot record {} by {}: {}", library_, act.verb, act.asked_by,
                                 written.error().text()),
                     {{"library", library_}});
    }
}

asio::awaitable<void> LibraryRecorder::look_at_consumers(std::optional<std::string> feed)
{
    if (feed && feed_ && (consumers_.empty() || *feed == *feed_)) {
        co_return;
    }
    auto read = [this] { return mirror_.feed_consumers(); };
    auto found = co_await lane_.run(read);
    if (found) {
        consumers_ = std::move(*found);
        feed_ = feed ? std::move(*feed) : feed_.value_or("");
    }
}

}  // namespace shelfd::app
