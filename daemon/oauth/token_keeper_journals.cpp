// The journals as they come and go: opened when they can be, looked for while they are open, both copies kept whole.
#include "oauth/token_keeper.hpp"

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
    return std::min<Duration>(30s * (1 << std::min(tries, 5u)), 15min);
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
    const auto boot_now = services_.clock.boot_now();
    look_due_ = boot_now + look_pause;
    if (!*known) {
        tend_due_ = boot_now + tending_pause(tend_tries_++);
        const auto text = "the token journals cannot be opened: " + known->error().text();
        if (std::exchange(barred_, text) != text) {
            standing_since_ = services_.clock.now();
            services_.log.error(text, {{"library", settings_.library}});
        }
        co_return;
    }
    if (!barred_.empty()) {
        services_.log.info("the token journals are open again", {{"library", settings_.library}});
    }
    is_closed_ = false;
    tend_tries_ = 0;
    tend_due_ = boot_now;
    recover(std::move(**known));
    note_mirror_generation(mirror_generation_);
}

BootTime TokenKeeper::tending_time() const
{
    return is_closed_ ? tend_due_ : wants_mending() ? std::min(tend_due_, look_due_) : look_due_;
}

// A copy lacks something. A store that looks copied is left as it is: what we write there would look like ours.
bool TokenKeeper::wants_mending() const
{
    return !is_closed_ && set_ && copies_ < 2 && copied_.empty();
}

asio::awaitable<void> TokenKeeper::tend_journals(bool login_is_open)
{
    const auto boot_now = services_.clock.boot_now();
    if (is_closed_) {
        if (tend_due_ <= boot_now) {
            co_await open_journals();
            announce();
        }
        co_return;
    }
    if (look_due_ <= boot_now) {
        co_await look_for_journals();
    }
    if (wants_mending() && tend_due_ <= boot_now && !login_is_open) {  // its note would hide the login's
        co_await mend();
        announce();
    }
}

// A file that was removed, or gave way to a backup, goes on taking records that no start will ever find.
asio::awaitable<void> TokenKeeper::look_for_journals()
{
    std::string misplaced;
    auto work = [this, &misplaced] { misplaced = pair_.give_up_misplaced(); };
    co_await run_on_disk(work);
    look_due_ = services_.clock.boot_now() + look_pause;
    if (misplaced.empty()) {
        co_return;
    }
    services_.log.error("the token journals were removed or replaced while shelfd ran; they are written anew",
                        {{"library", settings_.library}, {"reason", misplaced}});
    tend_due_ = services_.clock.boot_now();
    if (!set_) {
        auto open_again = [this] { pair_.reopen(); };
        co_await run_on_disk(open_again);
    }
}

asio::awaitable<void> TokenKeeper::leave_whole()
{
    if (is_closed_ || login_is_open_ || !set_) {
        co_return;
    }
    co_await look_for_journals();
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
    const auto& doubt = machine_.doubt();
    const auto has_note = doubt.open || machine_.standing() != Standing::good;
    const auto note = has_note ? std::optional<Note>(note_of(doubt, machine_.standing())) : std::nullopt;
    const auto at = now();
    Written written;
    auto work = [&] { written = pair_.mend(*set_, note, machine_.attempt(), at); };
    co_await run_on_disk(work);
    if (!wants_mending()) {
        tend_tries_ = 0;
        told_trouble_.clear();
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
