// Opens and closes the journals, and updates the machine accordingly.
#include "oauth/keeper/token_keeper.hpp"

#include "oauth/endpoint/clock_trouble.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::oauth {

asio::awaitable<void> TokenKeeper::open_journals()
{
    auto known = co_await journals_.open();
    if (!known) {
        clear();
        co_return;
    }
    recover(std::move(*known));
    record_mirror_generation(0);
    co_await journals_.finish_opening();
}

// After the start, so it checks here whether another library has the same set.
asio::awaitable<void> TokenKeeper::open_again()
{
    co_await open_journals();
    const auto mark = renews();
    const auto other = settings_.other_holder && !mark.empty() ? settings_.other_holder(mark) : std::string();
    if (!other.empty()) {
        stop_renewing_in_favour_of(other);
    }
    announce();
}

asio::awaitable<void> TokenKeeper::tend_journals()
{
    const auto tended = co_await journals_.tend();
    if (tended == JournalTender::Tended::mended) {
        announce();
    }
    if (journals_.must_open_again()) {
        co_await open_again();
    }
}

// For closed journals: the set is unknown.
void TokenKeeper::clear()
{
    sets_.clear();
    owed_ = Owed::nothing;
    machine_.begin({});
}

void TokenKeeper::recover(Recovered known)
{
    standing_.restart_clock();
    if (!known.set || !journals_.health().bar().empty()) {
        machine_.begin({});
        return;
    }
    const auto newest = std::max(known.set->issued.wall, known.note ? known.note->last_sent.wall : Instant());
    moments_.set_newest_record(newest);
    if (known.set->issued.wall.micros() != 0) {  // what remains of a set that was forgotten has no time
        standing_.resume(known.set->issued.wall);
    }
    canary_.record_clock(clock_trouble_after(newest, services_.clock.now()));
    sets_.recover(std::move(*known.set), std::move(known.kept));
    auto beginning = oauth::recover(known, start_facts());
    if (known.note) {
        standing_.recover(*known.note);
        if (known.note->code_sent) {
            intake_.login.recover(*known.note, known.raw);
        } else {
            exchange_.recover(std::move(beginning.landed));
        }
    }
    if (beginning.must_land) {
        machine_.begin_landing(beginning.start, beginning.earlier);
        owed_ = Owed::landing;
    } else {
        machine_.begin(beginning.start);
    }
}

StartFacts TokenKeeper::start_facts() const
{
    return {sets_, moments_, canary_.mark(), is_copied(), services_.random()};
}

void TokenKeeper::record_mirror_generation(std::uint64_t generation)
{
    sets_.record_mirror_generation(generation);
    const auto seen = sets_.mirror_generation();
    const auto is_open = journals_.health().store.state == StoreState::open;
    if (!sets_.present() && is_open && seen > 0) {
        journals_.set_finding(
            StoreState::damaged,
            fmt::format("the token journals are gone: the mirror knows generation {} of the set, but they contain none",
                        seen));
        services_.log.error("the token journals are gone",
                            {{"library", settings_.library}, {"reason", journals_.health().store.why}});
        announce();
    }
    if (!sets_.is_behind_mirror()) {
        return;
    }
    if (!journals_.health().unread.empty() && machine_.state() == RefreshMachine::State::resting) {
        journals_.close_older_half();
        clear();
    } else if (is_open) {
        journals_.set_finding(
            StoreState::copied,
            fmt::format("generation {} was in use here, the journal has only {}: an old journal was restored", seen,
                        sets_.present()->generation));
        machine_.set_copied();
        services_.log.error("the token store looks restored; nothing is refreshed",
                            {{"library", settings_.library}, {"reason", journals_.health().store.why}});
        poke();
        announce();
    }
}

std::string TokenKeeper::renews() const
{
    return sets_.present() && machine_.can_refresh() ? fingerprint(sets_.present()->refresh) : "";
}

void TokenKeeper::stop_renewing_in_favour_of(const std::string& library)
{
    if (owed_ == Owed::landing && exchange_.has_new_set()) {
        return;  // the answer contains a different set
    }
    auto start = start_of(start_facts());
    start.standing = Standing::foreign;
    start.attempt = machine_.attempt();
    machine_.begin(start);
    standing_.set_reason(fmt::format("library {} has the same set; each library needs its own", library));
    standing_.begin(Standing::foreign);
    owed_ = Owed::verdict;
    services_.log.error("another library has the same token set; it is not refreshed here",
                        {{"library", settings_.library}, {"other", library}});
}

}  // namespace shelfd::oauth
