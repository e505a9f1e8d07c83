#include "sync/pass/page_fetcher.hpp"

#include "http/url.hpp"
#include "oauth/endpoint/clock_trouble.hpp"
#include "sync/library/service_request.hpp"
#include "sync/service/page_answer.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

// Services write the same query in several ways.
std::string canonical(std::string_view query)
{
    return http::format_query(http::parse_query(query));
}

}  // namespace

struct PageFetcher::Ahead {
    Ahead(std::string query_, ByteRoom::Share room_)
        : query(std::move(query_)), name(canonical(query)), room(std::move(room_))
    {
    }

    std::string query;
    std::string name;  // the query in canonical form
    ByteRoom::Share room;
    AsyncEvent arrived;
    std::optional<Fetched> fetched;

    bool is_page() const { return fetched && fetched->outcome && brings_page(fetched->outcome->status); }
    // The service asked for a wait that is not over.
    bool is_closed(Clock& clock) const
    {
        const auto age = clock.boot_now() - fetched->arrived;
        return fetched->outcome && closed_for(*fetched->outcome, clock.now() - age) > age;
    }
};

Instant read_time(const Fetched& page, Instant started, Instant now)
{
    // Without a Date, our clock may be ahead of the service's by as much as is not reported.
    const auto sent = service_time(*page.outcome, started - oauth::clock_tolerance, now);
    // Date is cut to the second.
    return page.took > Duration(0) ? Instant::from_seconds((sent - page.took).seconds()) : sent;
}

PageFetcher::PageFetcher(LibraryContext& context, const config::Resource& resource, std::string path, RequestLine& line)
    : context_(context), resource_(resource), path_(std::move(path)), line_(line),
      tasks_(context.executor, context.failures_of(resource))
{
}

asio::awaitable<Fetched> PageFetcher::fetch(std::string query, budget::Reason reason)
{
    if (const auto ahead = find_in(ahead_, query)) {
        while (!ahead->fetched) {
            co_await ahead->arrived.wait();
        }
        std::erase(ahead_, ahead);
        // Any other answer but one that asks for a wait is requested again, so that the pass handles the present
        // trouble, not a past one.
        if (ahead->is_page()) {
            start_waiting();
            co_return std::move(*ahead->fetched);
        }
        if (ahead->is_closed(context_.clock)) {
            co_return std::move(*ahead->fetched);
        }
    }
    // Of what is fetched to try a filter, a caller may keep one answer while it requests the next.
    const bool is_of_walk = reason != budget::Reason::filter_try;
    auto requesting = request(target_of(query), reason, is_of_walk ? Bodies::limited : Bodies::unlimited);
    co_return co_await std::move(requesting);
}

asio::awaitable<Fetched> PageFetcher::fetch_target(std::string target, budget::Reason reason)
{
    return request(std::move(target), reason);
}

void PageFetcher::fetch_ahead(const std::vector<std::string>& queries)
{
    Pages wanted;
    waiting_.clear();
    for (const auto& query : queries) {
        if (wanted.size() >= context_.library.service.in_flight) {
            waiting_.push_back(query);
            continue;
        }
        auto page = find_in(ahead_, query);
        if (page == nullptr && find_in(wanted, query) == nullptr) {
            page = start(query);
            if (page == nullptr) {
                break;
            }
        }
        if (page != nullptr && std::find(wanted.begin(), wanted.end(), page) == wanted.end()) {
            wanted.push_back(std::move(page));
        }
    }
    ahead_ = std::move(wanted);
}

// Returns nullptr if there is no room for the answer.
std::shared_ptr<PageFetcher::Ahead> PageFetcher::start(const std::string& query)
{
    auto room = context_.memory->answers.take(page_bytes_);
    if (!room) {
        return nullptr;
    }
    auto started = std::make_shared<Ahead>(query, std::move(*room));
    tasks_.spawn(bring(started));
    return started;
}

// The mirror takes its time for each page; the service need not wait for it.
void PageFetcher::start_waiting()
{
    if (waiting_.empty()) {
        return;
    }
    if (auto started = start(waiting_.front())) {
        ahead_.push_back(std::move(started));
        waiting_.erase(waiting_.begin());
    }
}

std::shared_ptr<PageFetcher::Ahead> PageFetcher::find_in(const Pages& pages, const std::string& query)
{
    auto found = std::find_if(pages.begin(), pages.end(), [&query](const auto& one) { return one->query == query; });
    if (found == pages.end() && !pages.empty()) {
        const auto name = canonical(query);
        found = std::find_if(pages.begin(), pages.end(), [&name](const auto& one) { return one->name == name; });
    }
    return found == pages.end() ? nullptr : *found;
}

asio::awaitable<void> PageFetcher::await_ahead(BootTime latest)
{
    const auto under_way = ahead_;
    for (const auto& ahead : under_way) {
        while (!ahead->fetched && context_.clock.boot_now() < latest) {
            co_await context_.clock.wait_until(latest, ahead->arrived);
        }
    }
}

bool PageFetcher::has_next() const
{
    return !ahead_.empty() && ahead_.front()->is_page();
}

asio::awaitable<void> PageFetcher::bring(std::shared_ptr<Ahead> ahead)
{
    ahead->fetched = co_await request(target_of(ahead->query), budget::Reason::page);
    ahead->fetched->ahead = true;
    ahead->room.resize(ahead->is_page() ? ahead->fetched->outcome->body.size() : 0);
    ahead->arrived.notify_all();
}

asio::awaitable<void> PageFetcher::close()
{
    tasks_.cancel();
    co_await tasks_.join();
    ahead_.clear();
}

asio::awaitable<Fetched> PageFetcher::request(std::string target, budget::Reason reason, Bodies bodies)
{
    // Before the permit, because the keeper may ask the canary, which needs a permit as well.
    auto token = co_await context_.keeper.access();
    if (!token) {
        co_return Fetched{token.error(), token.error()};
    }
    const bool urgent = line_.urgent > 0;
    line_.urgent -= urgent ? 1U : 0U;
    const auto purpose = urgent ? budget::Purpose::interactive : line_.purpose;
    ServiceRequest request{std::move(target), token->token->clone(), resource_.name, purpose, reason, &line_.flow};
    BootTime sent_at = context_.clock.boot_now();
    request.sent_at = &sent_at;
    if (bodies == Bodies::limited) {
        request.room = context_.memory->bodies;
    }
    auto outcome = co_await send_request(context_, std::move(request));
    sent_.count(reason, requests_behind(outcome));
    if (line_.place != nullptr) {
        line_.place->sent(requests_behind(outcome));
    }
    if (outcome && brings_page(outcome->status)) {
        page_bytes_ = outcome->body.size();
    }
    const auto now = context_.clock.boot_now();
    co_return Fetched{std::move(outcome), std::nullopt, token->generation, false, now, now - sent_at};
}

}  // namespace shelfd::sync
