#include "app/report/token_report.hpp"

namespace shelfd::app {
namespace {

const char* yes_or_no(bool value)
{
    return value ? "yes" : "no";
}

std::vector<control::Fact> facts_of(const oauth::TokenStatus& token)
{
    std::vector<control::Fact> facts;
    const auto& learned = token.learned;
    if (learned.rotates) {
        facts.push_back({"a refresh gives a new refresh token", yes_or_no(*learned.rotates)});
    }
    if (learned.old_token_dies) {
        facts.push_back({"a refresh ends the old access token", yes_or_no(*learned.old_token_dies)});
    }
    if (learned.canary_refuses) {
        facts.push_back({"a wrong token is refused", yes_or_no(*learned.canary_refuses)});
    }
    if (learned.grace > Duration(0)) {
        facts.push_back(
            {"longest time after which a used refresh token still worked", describe_duration(learned.grace)});
    }
    if (token.lifetime > Duration(0)) {
        facts.push_back({"lifetime of an access token", describe_duration(token.lifetime)});
    }
    if (!token.scope.empty()) {
        facts.push_back({"scope", token.scope});
    }
    if (!token.journals.trouble.empty()) {
        facts.push_back({"journal", token.journals.trouble});
    }
    if (!token.clock_trouble.empty()) {
        facts.push_back({"clock", token.clock_trouble});
    }
    if (!token.failed_login.empty()) {
        facts.push_back({"the last login failed", token.failed_login});
    }
    return facts;
}

void report_exchanges(const oauth::TokenStatus& token, control::TokenStatus& status)
{
    const auto& tally = token.exchanges;
    for (std::size_t i = 0; i < oauth::exchange_outcomes; ++i) {
        const auto outcome = static_cast<oauth::ExchangeOutcome>(i);
        status.refreshes.push_back({to_string(outcome), tally.count(outcome)});
    }
    status.refresh_attempts = tally.attempts();
    for (std::size_t i = 0; i < tally.bounds.size(); ++i) {
        status.answer_to_durable.classes.push_back({tally.bounds[i], tally.landed_within(i)});
    }
    status.answer_to_durable.count = tally.landings();
    status.answer_to_durable.sum = tally.landing_time();
    status.last_byte_to_durable = token.last_byte_to_durable;
}

}  // namespace

control::TokenStatus report_token(const oauth::TokenKeeper& keeper)
{
    const auto token = keeper.status();
    control::TokenStatus status;
    status.state = token.state;
    status.needs_person = token.needs_person;
    status.access_usable = token.access_usable;
    status.generation = token.generation;
    status.since = token.since;
    status.expires_at = token.expires;
    status.last_refresh = token.last_refresh;
    status.next_refresh = token.next_refresh;
    status.deadline = token.deadline;
    status.reason = token.reason;
    status.do_this = token.do_this;
    status.next = token.next;
    status.unreachable = token.unreachable;
    status.journal_trouble = token.journals.trouble;
    status.clock_trouble = token.clock_trouble;
    status.journal_copies = token.journals.copies;
    status.facts = facts_of(token);
    report_exchanges(token, status);
    return status;
}

}  // namespace shelfd::app
