// The exchange itself: the POST, its answer on the way to the disk, and what the answer means.
#include "oauth/keeper/token_keeper.hpp"

#include "oauth/endpoint/limit_facts.hpp"

namespace shelfd::oauth {
namespace {

// More than a token endpoint ever sends; beyond it the answer is still read, only no longer without a copy.
constexpr std::size_t expected_answer = 64u << 10;

}  // namespace

void TokenKeeper::IncomingAnswer::wipe()
{
    Secret::wipe(body);
    *this = {};
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::exchange()
{
    auto request = make_refresh_request(settings_.endpoint, set_->refresh, client_secret_);
    client_secret_ = Secret();
    exchanges_.began();
    auto sending = send_landing(std::move(request));
    const auto sent = co_await std::move(sending);
    if (sent == Sending::not_sent) {
        exchanges_.ended(ExchangeOutcome::not_sent);
        services_.log.warning("the refresh could not be sent; nothing was spent",
                              {{"library", settings_.library}, {"reason", trouble_}});
        co_return make_event(EventKind::not_sent);
    }
    co_return make_event(EventKind::ended);
}

// Once. What arrives goes into RAW before anything looks at it.
asio::awaitable<TokenKeeper::Sending> TokenKeeper::send_landing(http::Request request)
{
    arriving_.wipe();
    arriving_.body.reserve(expected_answer);
    request.on_headers = [this](int status) {
        arriving_.status = status;
        arriving_.last_byte = services_.clock.boot_now();
    };
    request.on_piece = [this](std::string_view piece) {
        pair_.append_raw(piece);  // before anything else: what is on disk survives us
        arriving_.body += piece;
        arriving_.last_byte = services_.clock.boot_now();
    };
    auto outcome = co_await services_.client.send(std::move(request));
    if (!outcome && was_not_sent(outcome.error())) {
        trouble_ = outcome.error().text();
        co_return Sending::not_sent;
    }
    if (outcome) {
        arriving_.status = outcome->status;
        arriving_.complete = true;
        const auto facts = limit_facts(*outcome, services_.clock.now());
        const auto wait = budget::tells_limit(facts) ? budget::limit_wait(facts) : facts.retry_after;
        arriving_.retry_after = wait.value_or(Duration(0));
        Secret::wipe(outcome->body);
    } else {
        trouble_ = outcome.error().text();
    }
    co_return Sending::ended;
}

asio::awaitable<TokenKeeper::Event> TokenKeeper::finish_exchange()
{
    auto landed = co_await close_answer();
    landed_ = std::move(landed);
    exchanges_.ended(outcome_of(landed_.answer));
    keep_survivor();
    if (landed_.answer == AnswerClass::granted || landed_.answer == AnswerClass::salvaged) {
        exchange_permit_.reset();  // the others of the service need not wait for our disk
    }
    if (const auto& told = landed_.tokens.lifetime; told && lifetime_of(landed_.tokens) != *told) {
        services_.log.warning(
            "the service says that its new access token lives for less than a minute; until one has died so early, the "
            "lifetime of the one before is taken",
            {{"library", settings_.library},
             {"said", describe_duration(*told)},
             {"taken", describe_duration(set_->lifetime)}});
    }
    co_return landed_event();
}

// Makes what arrived durable, then reads it.
asio::awaitable<ClassifiedAnswer> TokenKeeper::close_answer()
{
    const JournalPair::Closing closing{arriving_.status, arriving_.complete, arriving_.body.size()};
    const auto at = now();
    Written written;
    auto work = [&] { written = pair_.close_raw(closing, at); };
    co_await run_on_disk(work);
    if (arriving_.last_byte && written.copies > 0) {
        last_landing_ = services_.clock.boot_now() - *arriving_.last_byte;
        exchanges_.landed(*last_landing_);
    }
    auto landed = classify({arriving_.status, arriving_.complete, arriving_.body, arriving_.retry_after});
    arriving_.wipe();
    if (written.copies == 0) {
        trouble_ = written.trouble;
        services_.log.error("the answer of the token endpoint could not be stored as it came",
                            {{"library", settings_.library}, {"reason", written.trouble}});
    }
    co_return landed;
}

TokenKeeper::Event TokenKeeper::landed_event() const
{
    auto event = make_event(EventKind::landed);
    event.answer = landed_.answer;
    event.ambiguity = landed_.ambiguity;
    event.access_survived = !landed_.tokens.access.empty();
    event.retry_after = landed_.retry_after;
    const auto& refresh = landed_.tokens.refresh;
    event.rotated = !refresh.empty() && !refresh.equals(set_->refresh);
    return event;
}

// A lifetime in another unit by mistake would make a refresh every few seconds.
Duration TokenKeeper::lifetime_of(const TokenAnswer& answer) const
{
    constexpr Duration odd = std::chrono::minutes(1);
    const auto said = answer.lifetime.value_or(set_->lifetime);
    const auto age = services_.clock.boot_now() - machine_.holding().issued;
    const auto died_early = machine_.access_is_dead() && age < set_->lifetime / 10;
    return said < odd && set_->lifetime >= odd && !died_early ? set_->lifetime : said;
}

// An access token of an answer that was cut behind it works for its whole life, even if the refresh token is lost.
void TokenKeeper::keep_survivor()
{
    const auto is_cut = landed_.answer == AnswerClass::unclear && !landed_.tokens.access.empty();
    if (is_cut) {
        TokenAnswer survivor;
        survivor.access = landed_.tokens.access.clone();
        survivor.lifetime = landed_.tokens.lifetime;
        survivor.scope = landed_.tokens.scope;
        survivor_ = std::move(survivor);
    }
}

}  // namespace shelfd::oauth
