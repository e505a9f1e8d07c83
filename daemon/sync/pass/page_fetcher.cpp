#include "sync/pass/page_fetcher.hpp"

#include "http/url.hpp"
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
    Ahead(std::string query_, ByteRoom::Share room_) : query(std::move(query_)), room(std::move(room_)) {}

    std::string query;  // in canonical form
    ByteRoom::Share room;
    AsyncEvent arrived;
    std::optional<Fetched> fetched;

    bool is_page() const { return fetched && fetched->outcome && brings_page(fetched->outcome->status); }
};

PageFetcher::PageFetcher(LibraryContext& context, const config::Resource& resource, std::string path, RequestLine& line)
    : context_(context), resource_(resource), path_(std::move(path)), line_(line),
      tasks_(context.executor, context.failures_of(resource))
{
}

asio::awaitable<Fetched> PageFetcher::fetch(std::string query, budget::Reason reason)
{
    if (const auto ahead = find_ahead(canonical(query))) {
        while (!ahead->fetched) {
            co_await ahead->arrived.wait();
        }
        std::erase(ahead_, ahead);
        // Any other answer is requested again, so that the pass handles the present trouble, not a past one.
        if (ahead->is_page()) {
            co_return std::move(*ahead->fetched);
        }
    }
    co_return co_await request(target_of(query), reason);
}

asio::awaitable<Fetched> PageFetcher::fetch_target(std::string target, budget::Reason reason)
{
    return request(std::move(target), reason);
}

void PageFetcher::fetch_ahead(const std::vector<std::string>& queries)
{
    decltype(ahead_) wanted;
    for (const auto& query : queries) {
        const auto name = canonical(query);
        if (std::any_of(wanted.begin(), wanted.end(), [&name](const auto& ahead) { return ahead->query == name; })) {
            continue;
        }
        if (auto under_way = find_ahead(name)) {
            wanted.push_back(std::move(under_way));
            continue;
        }
        auto room = context_.memory->answers.take(page_bytes_);
        if (!room) {
            break;
        }
        wanted.push_back(std::make_shared<Ahead>(name, std::move(*room)));
        tasks_.spawn(bring(wanted.back(), query));
    }
    ahead_ = std::move(wanted);
}

std::shared_ptr<PageFetcher::Ahead> PageFetcher::find_ahead(const std::string& query) const
{
    const auto found =
        std::find_if(ahead_.begin(), ahead_.end(), [&query](const auto& ahead) { return ahead->query == query; });
    return found == ahead_.end() ? nullptr : *found;
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

asio::awaitable<void> PageFetcher::bring(std::shared_ptr<Ahead> ahead, std::string query)
{
    ahead->fetched = co_await request(target_of(query), budget::Reason::page);
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

asio::awaitable<Fetched> PageFetcher::request(std::string target, budget::Reason reason)
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
    auto outcome = co_await send_request(context_, std::move(request));
    sent_.count(reason, requests_behind(outcome));
    if (line_.place != nullptr) {
        line_.place->sent(requests_behind(outcome));
    }
    if (outcome && brings_page(outcome->status)) {
        page_bytes_ = outcome->body.size();
    }
    co_return Fetched{std::move(outcome), std::nullopt, token->generation, false, context_.clock.boot_now()};
}

}  // namespace shelfd::sync
