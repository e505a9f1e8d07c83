// The journals as they come and go: opened when they can be, looked for while they are open, both copies kept whole.
#include "oauth/keeper/token_keeper.hpp"

#include "base/backoff.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// A file that is gone costs the set at the next start only: looking for it is a matter of hours, and of a stop.
constexpr Duration look_pause = 1h;

// Between two tries to open or to mend: what is wrong may be a person's work of a minute, or a disk that is dead.
Duration tending_pause(std::uint32_t tries)
{
    return doubled(30s, tries, 15min);
}

}  // namespace

// In the lane. `work` touches the journals and what only this coroutine changes: the loop goes on meanwhile.
asio::awaitable<void> TokenKeeper::run_on_disk(std::function<void()> work)
{
    int copies = 0;
    std::string trouble;
    auto look_after = [&] {
        work();
        copies = pair_.whole_copies();
        trouble = pair_.trouble();
    };
    co_await services_.lane.run(look_after);
    copies_ = copies;
    storage_trouble_ = std::move(trouble);
}

// A disk that is away may hold the set: nothing is known, and nothing is new here, before it can be read.
asio::awaitable<void> TokenKeeper::open_journals()
{
    std::optional<Result<Recovered>> known;
    auto work = [this, &known] { known.emplace(pair_.open()); };
    co_await run_on_disk(work);
    look_due_ = services_.clock.boot_now() + look_pause;
    if (!*known) {
        close_journals("the token journals cannot be opened: " + known->error().text());
        co_return;
    }
    unread_ = (*known)->unread;
    if (!unread_.empty() && (*known)->set && (*known)->set->generation < mirror_generation_) {
        close_journals(older_half_text((*known)->set->generation));
        co_return;
    }
    if (is_closed_ && !barred_.empty()) {
        services_.log.info("the token journals are open again", {{"library", settings_.library}});
    }
    is_closed_ = false;
    recover(std::move(**known));
    record_mirror_generation(mirror_generation_);
    if (set_ && copied_.empty() && pair_.owes_marks()) {
        const auto at = now();
        auto note = [this, at] { pair_.record_files(*set_, at); };
        co_await run_on_disk(note);
    }
    tend_tries_ = is_half_read() ? tend_tries_ + 1 : 0;
    tend_due_ = services_.clock.boot_now() + (is_half_read() ? tending_pause(tend_tries_) : Duration(0));
}

// What one copy says is not all that there is to know.
std::string TokenKeeper::older_half_text(std::uint64_t generation) const
{
    return fmt::format("the token journals cannot be used: {}; the other copy holds generation {}, and the mirror has "
                       "seen generation {}, so that one is used up",
                       unread_, generation, mirror_generation_);
}

// Until they can be opened again.
void TokenKeeper::close_journals(std::string why)
{
    is_closed_ = true;
    tend_due_ = services_.clock.boot_now() + tending_pause(tend_tries_++);
    set_.reset();
    kept_.reset();
    candidate_.reset();
    access_.reset();
    login_is_open_ = must_land_ = must_note_ = false;
    machine_.begin({});
    if (std::exchange(barred_, why) != why) {
        standing_since_ = services_.clock.now();
        services_.log.error(barred_, {{"library", settings_.library}});
    }
}

BootTime TokenKeeper::tending_time() const
{
    return is_closed_ ? tend_due_ : wants_mending() || is_half_read() ? std::min(tend_due_, look_due_) : look_due_;
}

// A copy lacks something. A store that looks copied is left as it is: what we write there would look like ours.
bool TokenKeeper::wants_mending() const
{
    return !is_closed_ && set_ && copies_ < 2 && copied_.empty();
}

// Where nothing is mended, a copy that could not be opened is looked for all the same: it may know better.
bool TokenKeeper::is_half_read() const
{
    return !unread_.empty() && !copied_.empty();
}

asio::awaitable<void> TokenKeeper::tend_journals()
{
    const auto boot_now = services_.clock.boot_now();
    if (is_closed_) {
        if (tend_due_ <= boot_now) {
            co_await open_again();
        }
        co_return;
    }
    if (look_due_ <= boot_now) {
        co_await check_for_journals();
    }
    if (wants_mending() && tend_due_ <= boot_now && !login_is_open_) {  // its note would hide the login's
        co_await mend();
        announce();
    }
    if (is_half_read() && tend_due_ <= boot_now && !login_is_open_) {
        co_await open_again();
    } else if (pair_.found_newer() && !login_is_open_) {
        services_.log.warning("a copy of the token journal that could not be opened before holds a newer set",
                              {{"library", settings_.library}});
        co_await open_again();
    }
}

// Later than the start, so that what is asked of all libraries then is asked here.
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

// A file that was removed, or gave way to a backup, goes on taking records that no start will ever find.
asio::awaitable<void> TokenKeeper::check_for_journals()
{
    std::string misplaced;
    auto work = [this, &misplaced] { misplaced = pair_.give_up_misplaced(); };
    co_await run_on_disk(work);
    look_due_ = services_.clock.boot_now() + look_pause;
    if (misplaced.empty()) {
        co_return;
    }
    services_.log.error(wants_mending()
                            ? "the token journals were removed or replaced while shelfd ran; they are written anew"
                            : "the token journals were removed or replaced while shelfd ran",
                        {{"library", settings_.library}, {"reason", misplaced}});
    tend_due_ = services_.clock.boot_now();
    if (!set_) {
        auto open_again = [this] { pair_.reopen(); };
        co_await run_on_disk(open_again);
    }
}

asio::awaitable<void> TokenKeeper::repair_journals_at_exit()
{
    if (is_closed_ || login_is_open_ || !set_) {
        co_return;
    }
    co_await check_for_journals();
    if (wants_mending() && copies_ == 0) {
        co_await mend();
    }
}

// One fault more, and the set is lost: said once for each trouble.
void TokenKeeper::warn_of(const Written& written)
{
    if (written.copies != 1) {
        return;
    }
    if (std::exchange(told_trouble_, written.trouble) != written.trouble) {
        services_.log.warning("a copy of the token journal cannot be written",
                              {{"library", settings_.library}, {"reason", written.trouble}});
    }
}

// Until the next refresh a set on one copy alone, or in the refuge alone, would be one fault away from being lost.
asio::awaitable<void> TokenKeeper::mend()
{
    const auto note = owed_note();
    const auto at = now();
    Written written;
    auto work = [&] { written = pair_.mend(*set_, note, machine_.attempt(), at); };
    co_await run_on_disk(work);
    if (!wants_mending()) {
        tend_tries_ = 0;
        told_trouble_.clear();
        unread_.clear();
        services_.log.info("both copies of the token set are whole again", {{"library", settings_.library}});
        co_return;
    }
    tend_due_ = services_.clock.boot_now() + tending_pause(tend_tries_++);
    if (tend_tries_ == 1 || told_trouble_ != written.trouble) {
        told_trouble_ = written.trouble;
        services_.log.error("a copy of the token set cannot be mended",
                            {{"library", settings_.library}, {"reason", written.trouble}});
    }
}

}  // namespace shelfd::oauth
