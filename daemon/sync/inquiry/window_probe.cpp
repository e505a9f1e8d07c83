#include "sync/inquiry/window_probe.hpp"

#include "http/url.hpp"
#include "sync/inquiry/item_sample.hpp"
#include "sync/service/envelope.hpp"
#include "sync/service/filter_check.hpp"
#include "sync/service/page_answer.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr std::size_t max_times = 2;
// A list of fewer requests is walked whole.
constexpr std::uint64_t few_requests = 4;
constexpr std::uint32_t few_rows = 10;
// A window of about so many rows fits a page of most services.
constexpr std::uint64_t rows_of_window = 200;
constexpr Duration day = std::chrono::hours(24);

// Rows of the page; empty if the answer is none.
std::optional<std::string> rows_of(const Result<http::Response>& outcome, const config::Service& service)
{
    if (classify(outcome).kind != AnswerKind::page) {
        return std::nullopt;
    }
    auto response = *outcome;
    auto& body = page_body(response);
    const auto page = read_page(body, config::Answers::list, service.page_param);
    return page ? std::optional(std::string(page->results)) : std::nullopt;
}

}  // namespace

WindowProbe::WindowProbe(const config::Service& service, const ListFindings& findings, Instant now, Instant future,
                         std::map<std::string, std::string> params)
    : service_(service), path_(findings.path), by_offset_(findings.envelope == Envelope::offset),
      count_(findings.count), page_items_(findings.page_items), times_(findings.event_times), now_(now),
      future_(future), params_(std::move(params))
{
    times_.resize(std::min(times_.size(), max_times));
    const auto requests = findings.full_requests();
    const bool is_framed =
        findings.envelope && findings.envelope != Envelope::array && findings.envelope != Envelope::object;
    const bool is_long = findings.more && (!requests || *requests > few_requests);
    if (findings.trouble.empty() && is_framed && is_long && !times_.empty()) {
        step_ = Step::from;
    }
}

std::string WindowProbe::target(const std::string& param, const std::string& value) const
{
    http::Params params;
    for (const auto& [name, given] : service_.params) {
        params.push_back({name, given});
    }
    for (const auto& [name, given] : params_) {
        params = http::merge_params(params, {{name, given}});
    }
    params = http::merge_params(params, {{by_offset_ ? "limit" : service_.page_size_param, std::to_string(few_rows)}});
    params = http::merge_params(params, {{param, value}});
    return path_ + "?" + http::format_query(params);
}

std::string WindowProbe::moment(Instant at) const
{
    return time().is_day ? at.to_text().substr(0, 10) : at.to_text();
}

std::optional<std::string> WindowProbe::next() const
{
    switch (step_) {
    case Step::from: return target(time().field + "__gte", moment(future_));
    case Step::to: return target(time().field + "__lt", moment(Instant::from_seconds(86'400)));
    case Step::oldest: return target(service_.ordering_param, time().field);
    case Step::done: break;
    }
    return std::nullopt;
}

void WindowProbe::hear(const Result<http::Response>& outcome)
{
    ++requests_;
    switch (step_) {
    case Step::from: on_from(outcome); break;
    case Step::to: on_to(outcome); break;
    case Step::oldest: on_oldest(outcome); break;
    case Step::done: break;
    }
}

void WindowProbe::next_time()
{
    ++time_;
    step_ = time_ < times_.size() ? Step::from : Step::done;
}

void WindowProbe::on_from(const Result<http::Response>& outcome)
{
    const auto rows = rows_of(outcome, service_);
    if (rows && are_all_later(*rows, time().field, future_)) {
        step_ = Step::to;
    } else {
        next_time();
    }
}

void WindowProbe::on_to(const Result<http::Response>& outcome)
{
    const auto rows = rows_of(outcome, service_);
    if (!rows || ItemSample(*rows).size() > 0) {
        next_time();
        return;
    }
    ListFindings::Window window;
    window.from = time().field + "__gte";
    window.to = time().field + "__lt";
    window.field = time().field;
    window_ = std::move(window);
    step_ = Step::oldest;
}

void WindowProbe::on_oldest(const Result<http::Response>& outcome)
{
    const auto rows = rows_of(outcome, service_);
    const ItemSample sample(rows.value_or("[]"));
    const auto [earliest, latest] = sample.range(time().field);
    // If the order is ignored, the page is that of the service's own order, mostly newest first.
    const bool rises = !earliest.empty() && sample.text(time().field) == earliest;
    window_->is_oldest = rises && (earliest < time().earliest || (earliest == time().earliest && earliest < latest));
    const auto& oldest = window_->is_oldest ? earliest : time().earliest;
    window_->since = window_->is_oldest ? oldest.substr(0, 10) : oldest.substr(0, 4) + "-01-01";
    window_->step = step_since(window_->since);
    step_ = Step::done;
}

// How many days the rows of the first page cover.
std::uint64_t WindowProbe::page_days() const
{
    const auto midnight = [](const std::string& text) {
        return Instant::from_rfc3339(text.substr(0, 10) + "T00:00:00Z");
    };
    const auto begin = midnight(time().earliest);
    const auto end = midnight(time().latest);
    return begin && end && *begin < *end ? static_cast<std::uint64_t>((*end - *begin) / day) : 1;
}

Duration WindowProbe::step_since(const std::string& since) const
{
    const auto begin = Instant::from_rfc3339(since + "T00:00:00Z");
    const auto age = begin && *begin < now_ ? now_ - *begin : day;
    const auto days = static_cast<std::uint64_t>(std::max<std::int64_t>(age / day, 1));
    const auto per_day = count_ ? *count_ / days : page_items_ / page_days();
    if (per_day * 7 > rows_of_window) {
        return day;
    }
    return per_day * 30 > rows_of_window ? 7 * day : 30 * day;
}

}  // namespace shelfd::sync
