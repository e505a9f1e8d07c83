#include "oauth/exchange/exchange.hpp"

#include "http/trouble_source.hpp"
#include "oauth/endpoint/limit_facts.hpp"
#include "oauth/set/token_scan.hpp"

namespace shelfd::oauth {
namespace {

// More than a token endpoint sends. Longer answers are read as well, but reallocation leaves copies.
constexpr std::size_t expected_answer = 64u << 10;

}  // namespace

Exchange::Exchange(const TokenKeeperSettings& settings, const TokenKeeperServices& services, const Moments& moments,
                   JournalTender& journals, StandingRecord& standing)
    : settings_(settings), services_(services), moments_(moments), journals_(journals), standing_(standing)
{
}

void Exchange::IncomingAnswer::wipe()
{
    Secret::wipe(body);
    *this = {};
}

asio::awaitable<Result<Secret>> Exchange::read_secret()
{
    std::optional<Result<Secret>> secret;
    const auto read = settings_.client_secret;  // settings may change meanwhile
    auto lane = services_.secret_lane;
    auto work = [&secret, &read] { secret.emplace(read()); };
    co_await lane.run(work);
    co_return std::move(*secret);
}

asio::awaitable<bool> Exchange::take_turn(Haste haste)
{
    if (services_.permit_exchange && !permit_) {
        permit_ = co_await services_.permit_exchange(haste);
        co_return permit_ != nullptr;
    }
    co_return true;
}

void Exchange::let_go()
{
    client_secret_ = Secret();
    permit_.reset();
}

asio::awaitable<Exchange::Sending> Exchange::refresh(const Secret& refresh_token)
{
    auto request = make_refresh_request(settings_.endpoint, refresh_token, client_secret_);
    client_secret_ = Secret();
    presented_ = refresh_token.clone();
    tally_.began();
    auto sending = send(std::move(request));
    const auto sent = co_await std::move(sending);
    if (sent == Sending::not_sent) {
        tally_.ended(ExchangeOutcome::not_sent);
        services_.log.warning("the refresh could not be sent; the refresh token is unused",
                              {{"library", settings_.library}, {"reason", standing_.trouble()}});
    }
    co_return sent;
}

asio::awaitable<Exchange::Sending> Exchange::send(http::Request request)
{
    arriving_.wipe();
    arriving_.body.reserve(expected_answer);
    request.on_headers = [this](int status) {
        arriving_.status = status;
        arriving_.last_byte = services_.clock.boot_now();
    };
    request.on_piece = [this](std::string_view piece) {
        journals_.pair().append_raw(piece);  // first: what is on disk survives a crash
        arriving_.body += piece;
        arriving_.last_byte = services_.clock.boot_now();
    };
    auto outcome = co_await services_.client.send(std::move(request));
    if (!outcome) {
        standing_.set_trouble(outcome.error().text(), http::source_of(outcome.error()));
        co_return was_not_sent(outcome.error()) ? Sending::not_sent : Sending::ended;
    }
    arriving_.status = outcome->status;
    arriving_.complete = true;
    take_target(*outcome);
    const auto facts = limit_facts(*outcome, services_.clock.now());
    const auto wait = budget::tells_limit(facts) ? budget::limit_wait(facts) : facts.retry_after;
    arriving_.retry_after = wait.value_or(Duration(0));
    Secret::wipe(outcome->body);
    co_return Sending::ended;
}

// A redirect may carry the tokens in its target, as those of the implicit grant do (RFC 6749 section 4.2.2).
void Exchange::take_target(const http::Response& response)
{
    const auto target = response.header("location");
    if (!names_tokens(target)) {
        return;
    }
    const Secret line("\n" + std::string(target) + "\n");
    journals_.pair().append_raw(line.reveal());
    arriving_.body += line.reveal();
}

asio::awaitable<ClassifiedAnswer> Exchange::close_answer()
{
    const JournalPair::Closing closing{arriving_.status, arriving_.complete, arriving_.body.size()};
    const auto at = moments_.now();
    auto work = [&](JournalPair& pair) { return pair.close_raw(closing, at); };
    const auto written = co_await journals_.write(work);
    if (arriving_.last_byte && written.copies > 0) {
        last_landing_ = services_.clock.boot_now() - *arriving_.last_byte;
        tally_.landed(*last_landing_);
    }
    auto landed =
        classify({arriving_.status, arriving_.complete, arriving_.body, arriving_.retry_after, presented_.reveal()});
    arriving_.wipe();
    presented_ = Secret();
    if (written.copies == 0) {
        standing_.set_trouble(written.trouble);
        services_.log.error("the answer of the token endpoint could not be stored as received",
                            {{"library", settings_.library}, {"reason", written.trouble}});
    }
    co_return landed;
}

asio::awaitable<void> Exchange::land()
{
    auto landed = co_await close_answer();
    recover(std::move(landed));
    tally_.ended(outcome_of(landed_.answer));
    if (has_new_set()) {
        permit_.reset();
    }
}

void Exchange::recover(ClassifiedAnswer landed)
{
    landed_ = std::move(landed);
    keep_survivor();
}

bool Exchange::has_new_set() const
{
    return landed_.answer == AnswerClass::granted || landed_.answer == AnswerClass::salvaged;
}

// The access token of an answer that was cut off after it stays valid even if the refresh token is lost.
void Exchange::keep_survivor()
{
    if (landed_.answer != AnswerClass::unclear || landed_.tokens.access.empty()) {
        return;
    }
    TokenAnswer survivor;
    survivor.access = landed_.tokens.access.clone();
    survivor.lifetime = landed_.tokens.lifetime;
    survivor.scope = landed_.tokens.scope;
    survivor_ = std::move(survivor);
}

void Exchange::give_up_answer(Salvage salvage, std::string why)
{
    if (salvage == Salvage::access_token) {
        survivor_ = std::move(landed_.tokens);
    } else {
        survivor_.reset();
    }
    landed_.reason = std::move(why);
}

}  // namespace shelfd::oauth
