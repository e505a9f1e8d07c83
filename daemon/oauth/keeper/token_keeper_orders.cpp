// Orders of a person, which `run()` carries out between two refreshes even if the person no longer waits, and requests
// to the canary.
#include "oauth/keeper/token_keeper.hpp"

#include "oauth/exchange/introspection.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

CanaryVerdict::Kind kind_of(const CanaryReading& reading)
{
    switch (reading.answer) {
    case CanaryAnswer::ours: return CanaryVerdict::Kind::ours;
    case CanaryAnswer::wrong_library: return CanaryVerdict::Kind::wrong_library;
    case CanaryAnswer::refused:
    case CanaryAnswer::refused_as_invalid: return CanaryVerdict::Kind::unauthorized;
    case CanaryAnswer::forbidden: return CanaryVerdict::Kind::forbidden;
    case CanaryAnswer::throttled:
    case CanaryAnswer::unreachable: break;
    }
    return reading.misconfigured ? CanaryVerdict::Kind::misconfigured : CanaryVerdict::Kind::unreachable;
}

}  // namespace

// `run()` calls `act`, possibly after the caller is gone, so it must own what it needs.
template <typename Value>
asio::awaitable<Result<Value>> TokenKeeper::by_run(std::function<asio::awaitable<Result<Value>>()> act)
{
    using Outcome = std::optional<Result<Value>>;
    const auto outcome = std::make_shared<Outcome>();
    const auto command = std::make_shared<Command>();
    auto keep = [](asio::awaitable<Result<Value>> acting, std::shared_ptr<Outcome> into) -> asio::awaitable<void> {
        into->emplace(co_await std::move(acting));
    };
    command->act = [act, keep, outcome] { return keep(act(), outcome); };
    if (!co_await done_by_run(command)) {
        co_return stopped_error();
    }
    co_return std::move(**outcome);
}

asio::awaitable<Result<ImportOutcome>> TokenKeeper::import(ImportedSet set, ImportMode mode, Destroying destroying)
{
    ImportOrder order;
    order.mode = mode;
    order.destroying = destroying;
    return import_as(std::move(set), std::move(order));
}

asio::awaitable<Result<ImportOutcome>> TokenKeeper::import_as(ImportedSet set, ImportOrder order)
{
    const auto given = std::make_shared<ImportedSet>(std::move(set));
    return by_run<ImportOutcome>([this, given, order] { return intake_.import.run(std::move(*given), order); });
}

asio::awaitable<Result<ImportOutcome>> TokenKeeper::move_in(MovedSet moved)
{
    SHELFD_CO_TRY(intake_.import.check_issuer(moved.from));
    ImportOrder order;
    order.moved = std::move(moved.from);
    auto importing = import_as(std::move(moved.set), std::move(order));
    co_return co_await std::move(importing);
}

// If the service answers before the daemon stops, the next start continues with the new set.
asio::awaitable<Result<ImportOutcome>> TokenKeeper::redeem(CodeGrant grant)
{
    const auto given = std::make_shared<CodeGrant>(std::move(grant));
    return by_run<ImportOutcome>([this, given] { return intake_.login.run(std::move(*given)); });
}

asio::awaitable<Result<Secret>> TokenKeeper::move_out(std::string where)
{
    return by_run<Secret>([this, to = std::move(where)] { return intake_.handover.move_out(to); });
}

asio::awaitable<Result<void>> TokenKeeper::adopt()
{
    return by_run<void>([this] { return intake_.handover.adopt(); });
}

asio::awaitable<Result<void>> TokenKeeper::forget()
{
    return by_run<void>([this] { return intake_.handover.forget(); });
}

asio::awaitable<Result<void>> TokenKeeper::revoke()
{
    return by_run<void>([this] { return intake_.handover.revoke(); });
}

// Waits until `run()` has carried out the command. Returns false if `run()` ended first.
asio::awaitable<bool> TokenKeeper::done_by_run(std::shared_ptr<Command> command)
{
    commands_.push_back(command);
    wanted_.notify_all();
    while (!command->ended && !stopped_) {
        co_await changed_.wait();
    }
    co_return command->ended;
}

// For a person whose order `run` no longer carries out.
Error TokenKeeper::stopped_error() const
{
    return Error(
        ErrorKind::stopped,
        fmt::format("the daemon is stopping, or {0} was reloaded; for the state of its set: shelfctl auth status {0}",
                    settings_.library));
}

asio::awaitable<CanaryReading> TokenKeeper::ask_other(CanarySpec spec, Secret token)
{
    return canary_.ask_other(std::move(spec), std::move(token));
}

void TokenKeeper::set_canary(CanarySpec spec)
{
    canary_.set_spec(std::move(spec));
    machine_.forget_canary();
}

asio::awaitable<CanaryReading> TokenKeeper::ask_with_wrong_token()
{
    return canary_.ask_other(canary_.spec(), Secret(std::string(wrong_token)));
}

asio::awaitable<Result<CanaryVerdict>> TokenKeeper::canary()
{
    for (int tries = 0;; ++tries) {
        SHELFD_CO_TRY_ASSIGN(token, co_await access());
        auto reading = co_await canary_.ask(token.token->clone());
        const auto& present = sets_.present();
        if (refuses(reading.answer) && present && present->generation != token.generation && tries < 2) {
            continue;  // the token was replaced during the request
        }
        // Only answers about the present token count.
        if (present && present->generation == token.generation) {
            const bool is_news = sets_.record_identity(reading);
            const bool has_user = accepts(reading.answer) && co_await learn_user(token);
            if (is_news || has_user) {
                announce();
            }
        }
        CanaryVerdict verdict;
        verdict.kind = kind_of(reading);
        verdict.library_id = std::move(reading.library_id);
        verdict.generation = token.generation;
        verdict.text = std::move(reading.text);
        verdict.source = reading.source;
        verdict.retry_after = reading.retry_after;
        verdict.service_date = reading.service_date;
        co_return verdict;
    }
}

// Without a page that names the user, introspection may; asked once for each set. Returns true if it did.
asio::awaitable<bool> TokenKeeper::learn_user(AccessToken token)
{
    if (!sets_.user().empty() || !canary_.spec().user_field.empty() || introspected_ >= token.generation) {
        co_return false;
    }
    introspected_ = token.generation;
    auto asking = introspect(settings_, services_, exchange_, token.token->clone());
    const auto found = co_await std::move(asking);
    const auto& present = sets_.present();
    const bool is_said = found && found->active && !found->user.empty() && sets_.user().empty() && present &&
                         present->generation == token.generation;
    if (is_said) {
        sets_.record_user(found->user);
    }
    co_return is_said;
}

Result<AccessToken> TokenKeeper::reveal() const
{
    if (const auto known = facts(); !known.access_is_usable()) {
        return why_not(known);
    }
    return sets_.access_token();
}

}  // namespace shelfd::oauth
