#include "app/library/token_set_observer.hpp"

#include "base/words/digits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shelfd::app {
namespace {

// The standing of the set, which the journals date, says nothing of these.
bool begins_by_itself(TokenState state)
{
    return state == TokenState::wrong_library || state == TokenState::other_service || state == TokenState::unstored;
}

}  // namespace

asio::awaitable<Result<void>> TokenSetObserver::open()
{
    auto read = [this] { return mirror_.fact(mirror::Fact::token_generation); };
    SHELFD_CO_TRY_ASSIGN(noted, co_await lane_.run(read));
    if (noted) {
        const auto generation = number_in(*noted);
        if (!generation) {
            co_return Error(ErrorKind::corrupt,
                            fmt::format("{} is damaged: it names a token set generation that is not a number; move the "
                                        "file away, and the daemon fills a new one",
                                        mirror_.path()));
        }
        keeper_.record_mirror_generation(*generation);
        noted_generation_ = *generation;
    }
    auto read_note = [this] { return Result<std::uint64_t>(note_.read()); };
    SHELFD_CO_TRY_ASSIGN(remembered, co_await lane_.run(read_note));
    // Without a set there is nothing that could be an old copy.
    if (remembered > noted_generation_ && keeper_.status().generation > 0) {
        keeper_.record_mirror_generation(remembered);
    } else if (remembered < noted_generation_) {
        tasks_.keep("the generation of the token set", note_generation());  // after a reboot
    }
    auto read_state = [this] { return mirror_.recorded_token_state(); };
    SHELFD_CO_TRY_ASSIGN(before, co_await lane_.run(read_state));
    before_ = before.value_or(mirror::RecordedTokenState());
    note_state(keeper_.status());
    keeper_.set_observer([this] { keeper_changed(); });
    co_return Result<void>();
}

Instant TokenSetObserver::since(const oauth::TokenStatus& status) const
{
    const bool is_found = state_ == status.state && begins_by_itself(status.state);
    const auto since = is_found ? std::max(found_, status.since) : status.since;
    const bool is_same = before_.since && before_.state == to_string(status.state);
    return is_same ? std::min(*before_.since, since) : since;
}

void TokenSetObserver::note_state(const oauth::TokenStatus& status)
{
    if (std::exchange(state_, status.state) != status.state) {
        found_ = clock_.now();
    }
}

void TokenSetObserver::keeper_changed()
{
    const auto status = keeper_.status();
    const bool was_other = state_ == TokenState::wrong_library;
    note_state(status);
    if (before_.state != to_string(status.state)) {
        before_ = {};
    }
    if (status.journals.generation > noted_generation_ && !is_closed_) {
        noted_generation_ = status.journals.generation;
        tasks_.keep("the generation of the token set", note_generation());
    }
    const auto before =
        std::exchange(shown_, {status.access_usable, status.needs_person, status.deadline, status.scope});
    const bool is_ours_again = was_other && status.state != TokenState::wrong_library;
    if (status.access_usable && (!before.is_usable || is_ours_again)) {
        listeners_.usable();
    }
    if (before != shown_) {
        listeners_.shown();
    }
    listeners_.changed();
    if (status.needs_person && !before.needs_person) {
        listeners_.needed();
    }
}

void TokenSetObserver::note_again()
{
    noted_generation_ = 0;
    keeper_changed();
}

asio::awaitable<void> TokenSetObserver::note_generation()
{
    // By value: the next generation may arrive while the lane writes this one.
    auto note = [this, generation = noted_generation_]() -> Result<void> {
        const auto kept = note_.raise(generation);
        SHELFD_TRY(mirror_.set_fact(mirror::Fact::token_generation, std::to_string(generation)));
        return kept;
    };
    if (const auto noted = co_await lane_.run(note); !noted) {
        log_.warning(
            fmt::format("{}: cannot record the generation of the token set: {}", library_, noted.error().text()),
            {{"library", library_}});
    }
}

bool waits_for_this_machine(const oauth::TokenStatus& token)
{
    return token.journals.copies < 2 || token.state == TokenState::unreadable || token.state == TokenState::unstored ||
           token.state == TokenState::blocked;
}

}  // namespace shelfd::app
