#include "sync/inquiry/list_probe.hpp"

#include "http/url.hpp"
#include "mirror/json/instants.hpp"
#include "sync/discovery/foreign_frame.hpp"
#include "sync/inquiry/item_sample.hpp"
#include "sync/service/bare_array.hpp"
#include "sync/service/envelope.hpp"
#include "sync/service/filter_check.hpp"
#include "sync/service/page_answer.hpp"
#include "sync/service/page_queries.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr std::size_t max_attempts = 4;

bool is_page(const Result<http::Response>& outcome)
{
    return classify(outcome).kind == AnswerKind::page;
}

std::string why_unreadable(const Result<http::Response>& outcome)
{
    return classify(outcome).why;
}

// As a pass reads it: an answer without a body, or null, is a page without rows.
std::string body_of(http::Response response)
{
    return std::move(page_body(response));
}

std::optional<Page> page_of(std::string& body, std::string_view page_param)
{
    auto page = read_page(body, config::Answers::list, page_param);
    return page ? std::optional(std::move(*page)) : std::nullopt;
}

bool has_rows_member(std::string_view object)
{
    const auto members = ItemSample(object).members();
    return std::find(members.begin(), members.end(), "results") != members.end();
}

}  // namespace

std::optional<std::uint64_t> ListFindings::full_requests() const
{
    if (!more) {
        return 1;
    }
    if (!count || page_rows == 0) {
        return std::nullopt;
    }
    return (*count + page_rows - 1) / page_rows + 1;
}

// Enough to see that the filter is ignored, even if some rows have dates in the future.
constexpr std::uint32_t few_rows = 10;

ListProbe::ListProbe(const config::Service& service, std::string path, Instant future,
                     std::map<std::string, std::string> params)
    : service_(service), future_(future), params_(std::move(params))
{
    findings_.path = std::move(path);
}

std::string ListProbe::query(std::vector<std::pair<std::string, std::string>> more, std::uint32_t rows) const
{
    http::Params params;
    for (const auto& [name, value] : service_.params) {
        params.push_back({name, value});
    }
    for (const auto& [name, value] : params_) {
        params = http::merge_params(params, {{name, value}});
    }
    const auto size = std::to_string(rows > 0 ? rows : service_.page_size);
    params = http::merge_params(params,
                                {{findings_.envelope == Envelope::offset ? "limit" : service_.page_size_param, size}});
    for (auto& [name, value] : more) {
        params = http::merge_params(params, {{std::move(name), std::move(value)}});
    }
    return findings_.path + "?" + http::format_query(params);
}

std::optional<ListProbe::Question> ListProbe::next() const
{
    switch (step_) {
    case Step::list: return Question{query({}, 0)};
    case Step::further: return Question{findings_.path + "?" + further_query_};
    case Step::wrong_token: return Question{query({}, 1), true};
    case Step::newest_first: return Question{query({{service_.ordering_param, "-" + findings_.key}}, 0)};
    case Step::oldest_first: return Question{query({{service_.ordering_param, findings_.key}}, 0)};
    case Step::filter: {
        const auto& attempt = attempts_[attempt_];
        const bool days = attempt.format == config::Incremental::Format::date;
        return Question{query({{attempt.param, days ? future_.to_text().substr(0, 10) : future_.to_text()}}, few_rows)};
    }
    case Step::detail: return Question{detail_target_};
    case Step::done: break;
    }
    return std::nullopt;
}

void ListProbe::hear(const Result<http::Response>& outcome)
{
    ++findings_.requests;
    if (outcome && is_limited(*outcome)) {
        findings_.trouble = why_unreadable(outcome);  // a limit shows nothing about the list
        advance();
        return;
    }
    switch (step_) {
    case Step::list: on_list(outcome); break;
    case Step::further: on_further(outcome); break;
    case Step::wrong_token:
        if (outcome) {
            findings_.refuses_wrong_token = outcome->status == 401;  // a 403 may concern only this list
        }
        break;
    case Step::newest_first:
    case Step::oldest_first: on_order(outcome); break;
    case Step::filter: on_filter(outcome); break;
    case Step::detail: on_detail(outcome); break;
    case Step::done: return;
    }
    advance();
}

void ListProbe::advance()
{
    if (!findings_.trouble.empty()) {
        step_ = Step::done;
        return;
    }
    if (step_ == Step::further && !further_query_.empty()) {
        return;
    }
    if (step_ == Step::filter && !findings_.filter && attempt_ < attempts_.size()) {
        return;  // try the next filter
    }
    do {
        step_ = static_cast<Step>(static_cast<int>(step_) + 1);
    } while (step_ != Step::done && !is_worth_asking(step_));
}

bool ListProbe::is_worth_asking(Step step) const
{
    const bool ordered = integer_keys_ && findings_.page_items > 1 && findings_.envelope != Envelope::array &&
                         findings_.envelope != Envelope::object;
    switch (step) {
    case Step::further: return !further_query_.empty();
    case Step::newest_first: return ordered;
    // If the service's own order is newest first, only the opposite order shows that the parameter works.
    case Step::oldest_first: return ordered && default_falls_ && findings_.newest_first.value_or(false);
    case Step::filter: return !attempts_.empty() && findings_.page_items > 0;
    case Step::detail: return !detail_target_.empty();
    default: return true;
    }
}

void ListProbe::on_list(const Result<http::Response>& outcome)
{
    if (!is_page(outcome)) {
        findings_.trouble = why_unreadable(outcome);
        findings_.is_forbidden = classify(outcome).kind == AnswerKind::forbidden;
        return;
    }
    auto body = body_of(*outcome);
    auto page = read_page(body, config::Answers::list, service_.page_param);
    if (!page) {
        body = outcome->body;
        auto object = read_page(body, config::Answers::object);
        // A frame that cannot be read is not one object.
        if (!object || has_rows_member(object->results)) {
            findings_.trouble = page.error().text();
            return;
        }
        if (findings_.trouble = foreign_frame(object->results); !findings_.trouble.empty()) {
            return;
        }
        page = std::move(object);
    }
    const auto asked = query({}, 0);
    const Query parameters(asked.substr(asked.find('?') + 1));
    if (leads_by_path(*page, parameters, findings_.path)) {
        findings_.trouble = next_by_path("the address of the next page differs from this one only in its path").text();
        return;
    }
    findings_.envelope = page->envelope;
    findings_.count = page->count;
    findings_.more = page->next_query.has_value();
    read_items(page->results);
    if (page->envelope == Envelope::array) {
        const auto rest = rest_of_array(*outcome);
        findings_.trouble = rest ? "" : rest.error().text();
        findings_.count = rest ? rest->total : std::nullopt;
        findings_.more = rest && (rest->next_query || (findings_.count && *findings_.count > findings_.page_items));
        if (!rest || rest->next_query || (findings_.count && !findings_.more)) {
            return;
        }
        page->count = findings_.count;
    }
    const bool counts_more = page->count && *page->count > findings_.page_items;
    if (page->is_silent || (!page->next_query && counts_more)) {
        search_end(parameters.text(), *page);
    }
}

void ListProbe::search_end(const std::string& query, const Page& page)
{
    const ItemSample sample(page.results, findings_.path);
    if (!end_) {
        auto reversed = sample.key().empty() ? "" : this->query({{service_.ordering_param, "-" + sample.key()}}, 0);
        reversed = reversed.substr(reversed.find('?') + 1);
        EndSearch::Names names{service_.page_param, service_.page_size_param, service_.page_size, std::move(reversed)};
        end_.emplace(std::move(names), EndHabit(), true);
    }
    EndSearch::Answer answer;
    answer.items = sample.size();
    answer.falling = sample.falls();
    for (auto& key : sample.keys()) {
        answer.new_keys += keys_.insert(std::move(key)).second ? 1 : 0;
    }
    answer.distinct = keys_.size();
    answer.says_end = !page.is_silent;
    // A count of as many rows as it has may be that of each page.
    const bool may_be_of_page = page.is_silent && page.count == answer.items && end_->may_be_cut(answer.items);
    answer.count = may_be_of_page ? std::nullopt : page.count;
    handle_step(end_->page(query, answer, [] { return false; }));
}

// The first page with more rows shows enough.
void ListProbe::handle_step(const EndSearch::Step& step)
{
    const bool goes_on = step.next && !end_->is_walking();
    further_query_ = goes_on ? *step.next : "";
    if (!goes_on) {
        findings_.further = end_->found();
        if (findings_.further == Further::none && findings_.count.value_or(0) > keys_.size()) {
            findings_.further = Further::cut;
        }
        findings_.more = end_->is_walking() || findings_.further == Further::cut || keys_.size() > findings_.page_items;
    }
}

void ListProbe::on_further(const Result<http::Response>& outcome)
{
    const auto asked = std::exchange(further_query_, "");
    auto body = outcome ? body_of(*outcome) : std::string();
    const auto page = is_page(outcome) ? page_of(body, service_.page_param) : std::nullopt;
    if (page) {
        search_end(asked, *page);
        return;
    }
    const int status = outcome ? outcome->status : 0;
    handle_step(end_->refused(status == 404 || status == 410, status >= 200 && status < 500));
}

void ListProbe::read_items(std::string_view results)
{
    const ItemSample sample(results, findings_.path);
    findings_.page_items = sample.size();
    findings_.key = sample.key();
    findings_.key_candidates = findings_.key.empty() ? sample.unique_members() : std::vector<std::string>();
    findings_.personal = sample.personal(findings_.path);
    findings_.text_contents = sample.text_contents();
    // For lists by offset only the first page is short, see lengthen_next.
    const bool is_offset = findings_.envelope == Envelope::offset;
    findings_.page_rows = is_offset ? std::max<std::uint64_t>(sample.size(), service_.page_size) : sample.size();
    integer_keys_ = sample.has_integer_keys();
    default_falls_ = sample.falls();
    members_ = sample.members();
    if (sample.size() == 0) {
        return;
    }
    for (const auto& field : sample.event_times()) {
        const auto [earliest, latest] = sample.range(field);
        findings_.event_times.push_back({field, mirror::is_date(earliest), earliest, latest});
    }
    const auto url = http::parse_url(sample.text("url"));
    const auto base = http::parse_url(service_.base_url);
    findings_.has_address = url && base && url->origin == base->origin;
    if (findings_.has_address) {
        detail_target_ = url->path + (url->query.empty() ? "" : "?" + url->query);
    } else if (const auto key = sample.first_key(); !key.empty() && findings_.envelope != Envelope::object) {
        const bool slash = findings_.path.ends_with('/');
        detail_target_ = findings_.path + (slash ? "" : "/") + http::percent_encode(key) + (slash ? "/" : "");
    }
    using Format = config::Incremental::Format;
    if (findings_.envelope == Envelope::array || findings_.envelope == Envelope::object) {
        return;
    }
    for (const auto& field : sample.modification_times()) {
        const auto format = mirror::is_date(sample.text(field)) ? Format::date : Format::datetime;
        for (const auto* suffix : {"__gt", "__gte", "_after"}) {
            if (attempts_.size() < max_attempts) {
                attempts_.push_back({field + suffix, field, format});
            }
        }
    }
}

void ListProbe::on_order(const Result<http::Response>& outcome)
{
    findings_.newest_first = false;
    if (!is_page(outcome)) {
        return;
    }
    auto body = body_of(*outcome);
    if (const auto page = page_of(body, service_.page_param)) {
        const ItemSample sample(page->results, findings_.path);
        findings_.newest_first = step_ == Step::newest_first ? sample.falls() : !sample.falls();
    }
}

void ListProbe::on_filter(const Result<http::Response>& outcome)
{
    const auto& attempt = attempts_[attempt_++];
    auto body = outcome ? body_of(*outcome) : std::string();
    const auto page = is_page(outcome) ? page_of(body, service_.page_param) : std::nullopt;
    if (page && are_all_later(page->results, attempt.field, future_)) {
        findings_.filter = ListFindings::Filter{attempt.param, attempt.field, attempt.format};
    } else {
        findings_.ignored_filters.push_back(attempt.param);
    }
}

void ListProbe::on_detail(const Result<http::Response>& outcome)
{
    if (classify_row(outcome) != RowAnswer::there) {
        return;
    }
    findings_.detail_address = detail_target_;
    for (const auto& member : ItemSample("[" + outcome->body + "]").members()) {
        if (std::find(members_.begin(), members_.end(), member) == members_.end()) {
            findings_.detail_members.push_back(member);
        }
    }
}

}  // namespace shelfd::sync
