#include "oauth/stored/journal_tender.hpp"

#include "base/backoff.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

// A missing file loses the set only at the next start, so it is checked every hour and at exit.
constexpr Duration look_pause = 1h;

// Between two attempts to open or to mend: the fault may last a minute or be a dead disk.
Duration tending_pause(std::uint32_t tries)
{
    return doubled(30s, tries, 15min);
}

}  // namespace

Result<void> JournalHealth::check_bar() const
{
    if (bar().empty()) {
        return {};
    }
    return is_closed() ? Error(ErrorKind::storage, bar() + "; correct that, then repeat the command")
                       : Error(ErrorKind::corrupt, bar());
}

JournalTender::JournalTender(const TokenKeeperSettings& settings, const TokenKeeperServices& services,
                             const Moments& moments, const HeldSets& sets, StandingRecord& standing, const Store& store)
    : library_(settings.library), services_(services), moments_(moments), sets_(sets), standing_(standing),
      machine_(machine_mark(settings.machine_id)), lane_(services.lane),
      pair_(store.a, store.b, LibraryNames(settings.library, store.former_names), store.refuge)
{
}

asio::awaitable<void> JournalTender::run(std::function<void(JournalPair&)> work)
{
    int copies = 0;
    std::string trouble;
    auto look_after = [&] {
        work(pair_);
        copies = pair_.whole_copies();
        trouble = pair_.trouble();
    };
    co_await lane_.run(look_after);
    health_.copies = copies;
    health_.trouble = std::move(trouble);
}

asio::awaitable<Written> JournalTender::write(std::function<Written(JournalPair&)> work)
{
    Written written;
    auto writing = [&](JournalPair& pair) { written = work(pair); };
    co_await run(writing);
    co_return written;
}

asio::awaitable<Written> JournalTender::write_note(RecordKind kind, Note note)
{
    const auto generation = sets_.present()->generation;
    const auto attempt = standing_.attempt();
    const auto at = moments_.now();
    auto work = [&](JournalPair& pair) { return pair.write_note(kind, generation, attempt, note, at); };
    co_return co_await write(work);
}

asio::awaitable<void> JournalTender::record_standing()
{
    auto writing = write_note(RecordKind::verdict, standing_.present_note());
    co_await std::move(writing);
}

asio::awaitable<std::optional<Recovered>> JournalTender::open()
{
    std::optional<Result<Recovered>> opened;
    auto work = [&opened](JournalPair& pair) { opened.emplace(pair.open()); };
    co_await run(work);
    look_due_ = services_.clock.boot_now() + look_pause;
    if (!*opened) {
        close("the token journals cannot be opened: " + opened->error().text());
        co_return std::nullopt;
    }
    auto& known = **opened;
    health_.unread = known.unread;
    if (!known.unread.empty() && known.set && known.set->generation < sets_.mirror_generation()) {
        close(older_half_text(known.set->generation));
        co_return std::nullopt;
    }
    if (!health_.bar().empty() && health_.is_closed()) {
        services_.log.info("the token journals are open again", {{"library", library_}});
    }
    health_.store = assess_store(known, machine_);
    pair_.identify({library_, known.installation.value_or(new_id()), machine_});
    if (known.set && health_.bar().empty()) {
        pair_.set_marks(health_.is_copied() ? JournalPair::Marks::found : JournalPair::Marks::own);
    }
    co_return std::move(known);
}

asio::awaitable<void> JournalTender::finish_opening()
{
    if (sets_.present() && !health_.is_copied() && pair_.owes_marks()) {
        const auto at = moments_.now();
        auto record = [this, at](JournalPair& pair) { pair.record_files(*sets_.present(), at); };
        co_await run(record);
    }
    health_.tries = is_half_read() ? health_.tries + 1 : 0;
    wait(is_half_read() ? tending_pause(health_.tries) : Duration(0));
}

// The readable copy is older than the mirror, so the other copy is needed.
std::string JournalTender::older_half_text(std::uint64_t generation) const
{
    return fmt::format("the token journals cannot be used: {}; the other copy has generation {}, but the mirror knows "
                       "generation {}, so the token in that copy no longer works",
                       health_.unread, generation, sets_.mirror_generation());
}

void JournalTender::close(std::string why)
{
    wait(tending_pause(health_.tries++));
    holds_code_intent_ = false;
    const auto is_new = health_.store.why != why;
    set_finding(StoreState::closed, std::move(why));
    if (is_new) {
        standing_.restart_clock();
        services_.log.error(health_.store.why, {{"library", library_}});
    }
}

void JournalTender::accept_store()
{
    if (health_.is_copied() || health_.is_damaged()) {
        set_finding(StoreState::open, "");
    }
}

BootTime JournalTender::due() const
{
    if (health_.is_closed()) {
        return due_;
    }
    return wants_mending() || is_half_read() ? std::min(due_, look_due_) : look_due_;
}

void JournalTender::try_again()
{
    health_.tries = 0;
    due_ = services_.clock.boot_now();
}

// True if a copy lacks something. A store that looks copied is not changed: new records would make it look like ours.
bool JournalTender::wants_mending() const
{
    return !health_.is_closed() && sets_.present() && health_.copies < 2 && !health_.is_copied();
}

asio::awaitable<JournalTender::Tended> JournalTender::tend()
{
    if (health_.is_closed()) {
        co_return Tended::nothing;
    }
    if (look_due_ <= services_.clock.boot_now()) {
        co_await look_for_files();
    }
    if (!wants_mending() || !is_due() || holds_code_intent_) {
        co_return Tended::nothing;
    }
    co_await mend();
    co_return Tended::mended;
}

// Also checks a copy that could not be opened while nothing is mended: it may be newer.
bool JournalTender::must_open_again() const
{
    if (health_.is_closed()) {
        return is_due();
    }
    if (holds_code_intent_) {
        return false;
    }
    if (is_half_read() && is_due()) {
        return true;
    }
    if (pair_.found_newer()) {
        services_.log.warning("a copy of the token journal that could not be opened before has a newer set",
                              {{"library", library_}});
    }
    return pair_.found_newer();
}

// A file that was removed or replaced still accepts records, but no start would find them.
asio::awaitable<void> JournalTender::look_for_files()
{
    std::string misplaced;
    auto work = [&misplaced](JournalPair& pair) { misplaced = pair.give_up_misplaced(); };
    co_await run(work);
    look_due_ = services_.clock.boot_now() + look_pause;
    if (misplaced.empty()) {
        co_return;
    }
    services_.log.error(wants_mending()
                            ? "the token journals were removed or replaced while shelfd ran; they are written again"
                            : "the token journals were removed or replaced while shelfd ran",
                        {{"library", library_}, {"reason", misplaced}});
    wait(Duration(0));
    if (!sets_.present()) {
        auto reopen = [](JournalPair& pair) { pair.reopen(); };
        co_await run(reopen);
    }
}

asio::awaitable<void> JournalTender::repair_at_exit()
{
    if (health_.is_closed() || holds_code_intent_ || !sets_.present()) {
        co_return;
    }
    co_await look_for_files();
    if (wants_mending() && health_.copies == 0) {
        co_await mend();
    }
}

// Until the next refresh, a set on one copy or in the refuge alone would be lost with one more fault.
asio::awaitable<void> JournalTender::mend()
{
    const auto note = standing_.owed_note();
    const auto at = moments_.now();
    const auto found = health_.trouble.empty() ? std::string("lacked the newest record")
                                               : "could not be used (" + health_.trouble + ")";
    auto work = [&](JournalPair& pair) { return pair.mend(*sets_.present(), note, standing_.attempt(), at); };
    const auto written = co_await write(work);
    if (!wants_mending()) {
        health_.tries = 0;
        told_trouble_.clear();
        health_.unread.clear();
        health_.repair = {services_.clock.now(), found};
        services_.log.warning("both copies of the token set are complete again: one " + found, {{"library", library_}});
        co_return;
    }
    wait(tending_pause(health_.tries++));
    if (health_.tries == 1 || told_trouble_ != written.trouble) {
        told_trouble_ = written.trouble;
        services_.log.error("a copy of the token set cannot be repaired",
                            {{"library", library_}, {"reason", written.trouble}});
    }
}

void JournalTender::warn_of(const Written& written)
{
    if (written.copies == 1 && std::exchange(told_trouble_, written.trouble) != written.trouble) {
        services_.log.warning("a copy of the token journal cannot be written",
                              {{"library", library_}, {"reason", written.trouble}});
    }
}

void JournalTender::take_back(const TokenSet& present)
{
    pair_.take_back(present);
    health_.copies = 0;
    wait(Duration(0));
}

JournalPair::Identity JournalTender::renew_identity()
{
    auto before = pair_.identity();
    pair_.identify({before.library, new_id(), before.machine});
    return before;
}

Id JournalTender::new_id() const
{
    Id id;
    for (auto& byte : id) {
        byte = static_cast<std::byte>(static_cast<unsigned>(services_.random() * 256.0) & 255u);
    }
    return id;
}

}  // namespace shelfd::oauth
