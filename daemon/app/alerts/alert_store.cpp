#include "app/alerts/alert_store.hpp"

#include "base/words/shell_word.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace shelfd::app {

AlertStore::AlertStore(Clock& clock, Lane disk, Log log, std::string directory)
    : book(clock.now()), clock_(clock), disk_(std::move(disk)), log_(std::move(log)), file_(std::move(directory))
{
}

asio::awaitable<void> AlertStore::load()
{
    const auto now = clock_.now();
    auto read = [this, now] { return file_.load(now); };
    auto loaded = co_await disk_.run(read);
    is_loaded_ = true;
    if (!loaded) {
        trouble_ = loaded.error().text();
        is_unread_ = true;
        is_disk_full_ = loaded.error().system_errno == ENOSPC;
        log_.error(fmt::format("the record of alerts cannot be read, some calls may be repeated: {}", trouble_));
        co_return;
    }
    if (!loaded->aside.empty()) {
        found_.push_back({fmt::format("the record of alerts was damaged ({}) and set aside as {}: causes that last are "
                                      "announced again",
                                      loaded->why, loaded->aside),
                          "", now});
        log_.error(found_.back().text);
    }
    book = control::IncidentBook(std::move(loaded->record.book), now);
    facts = control::FactWatch(std::move(loaded->record.facts));
    rounds = control::RoundWatch(std::move(loaded->record.rounds));
    queue = control::CallQueue(std::move(loaded->record.calls));
    book.follow(former_names_);
}

void AlertStore::follow_renames(const config::Libraries& libraries)
{
    former_names_.clear();
    for (const auto& library : libraries) {
        if (!library->formerly.empty()) {
            former_names_[library->name] = library->formerly;
        }
    }
    book.follow(former_names_);
}

bool AlertStore::take_changed()
{
    const bool book_changed = book.take_changed();
    const bool facts_changed = facts.take_changed();
    const bool rounds_changed = rounds.take_changed();
    return std::exchange(is_touched_, false) || book_changed || facts_changed || rounds_changed;
}

asio::awaitable<void> AlertStore::keep()
{
    const auto turn = co_await keeping_.lock();
    if (!take_changed()) {
        co_return;
    }
    const auto text = to_json(control::AlertRecord{book.record(), facts.known(), rounds.known(), queue.calls()});
    auto write = [this, &text] { return file_.save(text); };
    const auto saved = co_await disk_.run(write);
    auto trouble = saved ? std::string() : saved.error().text();
    is_touched_ = is_touched_ || !saved;
    is_unread_ = false;
    if (saved && !saved->empty()) {
        found_.push_back({fmt::format("the record of alerts could not be read when shelfd started, and was set aside "
                                      "as {}: calls that waited in it are not made, its silences have ended",
                                      *saved),
                          "", clock_.now()});
        log_.error(found_.back().text);
    }
    if (trouble != trouble_ && !trouble.empty()) {
        log_.error(fmt::format("the record of alerts cannot be written: {}; hooks are called all the same, and some "
                               "calls may be repeated after a restart",
                               trouble));
    }
    since_ = trouble.empty() ? std::nullopt : std::optional(since_.value_or(clock_.now()));
    trouble_ = std::move(trouble);
    is_disk_full_ = !saved && saved.error().system_errno == ENOSPC;
}

void AlertStore::hold_ending()
{
    // The look that finds it over comes somewhat later than that.
    constexpr Duration until_next_look = std::chrono::minutes(1);
    for (const auto& incident : book.record().open) {
        const auto over = incident.clear_since
                              ? std::optional(*incident.clear_since + control::IncidentBook::quiet_time(incident))
                              : std::nullopt;
        queue.hold_untried(over ? std::optional(*over + until_next_look) : std::nullopt, incident.id);
    }
}

void AlertStore::hold_silenced(const std::vector<control::HookRule>& rules)
{
    const auto now = clock_.now();
    const auto& record = book.record();
    for (const auto& rule : rules) {
        for (const auto& incident : record.open) {
            const auto until =
                record.silences.empty()
                    ? std::nullopt
                    : control::silenced_until(control::full_view_of(incident.cause, rule), record.silences, now);
            queue.hold_silent(rule.name, incident.id, until);
        }
    }
}

control::SilenceReport AlertStore::silence(const control::SilenceRequest& request,
                                           const std::vector<std::string>& libraries,
                                           const std::vector<control::HookRule>& rules)
{
    const auto now = clock_.now();
    const auto until = now + request.length;
    control::SilenceReport report;
    report.until = request.length > Duration(0) ? std::optional(until) : std::nullopt;
    for (const auto& name : libraries) {
        if (request.library.empty() || name == request.library) {
            const auto silent_until = book.silence(name, until, now);
            report.longer += silent_until > until ? 1 : 0;
            report.until = name == request.library && report.until ? std::optional(silent_until) : report.until;
        }
    }
    hold_silenced(rules);
    return report;
}

std::vector<control::Notice> AlertStore::notices() const
{
    auto notices = found_;
    if (!trouble_.empty()) {
        const auto mirrors = std::filesystem::path(file_.path()).parent_path().parent_path().string();
        notices.push_back(
            {fmt::format("the record of alerts cannot be {}: {}", is_unread_ ? "read" : "written", trouble_),
             !file_.has_directory() ? "mount that file system, then restart shelfd"
             : is_disk_full_        ? fmt::format("make room on the disk of {}: df -h {}", mirrors, shell_word(mirrors))
                                    : "make the directory of storage.mirrors readable and writable for the daemon",
             since_, "calls hooks all the same, and tries to write it again every few seconds"});
        notices.back().is_full_disk = is_disk_full_;
    }
    return notices;
}

}  // namespace shelfd::app
