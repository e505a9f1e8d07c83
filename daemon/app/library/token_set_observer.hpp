// Reacts to changes of a library's token set: records its generation in the mirror and wakes tables.
#pragma once

#include "app/library/library_tasks.hpp"
#include "app/stores/generation_note.hpp"
#include "mirror/mirror.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace shelfd::app {

// A journal with a generation older than that of the mirror, or of `note`, is an old copy that was restored. Loop only;
// `mirror` and `note` in `lane` only. All references must outlive this object, and this object must outlive the tasks.
class TokenSetObserver {
public:
    struct Listeners {
        std::function<void()> usable;   // the access token works again, or answers as this library again
        std::function<void()> changed;  // the status may have changed
        std::function<void()> needed;   // from now on a person is needed
        std::function<void()> shown;    // what tables show of it has changed: its scope, its end, whether it works
    };

    TokenSetObserver(Clock& clock, oauth::TokenKeeper& keeper, mirror::Mirror& mirror, Lane lane, LibraryTasks& tasks,
                     Log log, std::string library, GenerationNote note, Listeners listeners)
        : clock_(clock), keeper_(keeper), mirror_(mirror), lane_(std::move(lane)), tasks_(tasks), log_(std::move(log)),
          library_(std::move(library)), note_(std::move(note)), listeners_(std::move(listeners))
    {
    }
    TokenSetObserver(const TokenSetObserver&) = delete;
    TokenSetObserver& operator=(const TokenSetObserver&) = delete;
    ~TokenSetObserver() { keeper_.set_observer({}); }

    // Gives the keeper the generation recorded in the mirror or the note, then observes the keeper. Errors: corrupt,
    // storage.
    asio::awaitable<Result<void>> open();
    // Since when the set is in its present state, also if that began before this process.
    Instant since(const oauth::TokenStatus& status) const;
    // The keeper begins to run.
    void begin() { shown_.is_usable = keeper_.status().access_usable; }
    // After the mirror was replaced: the new one has no generation recorded.
    void note_again();
    // Writes nothing more to the mirror.
    void close() { is_closed_ = true; }

private:
    void keeper_changed();
    void note_state(const oauth::TokenStatus& status);
    asio::awaitable<void> note_generation();

    Clock& clock_;
    oauth::TokenKeeper& keeper_;
    mirror::Mirror& mirror_;
    Lane lane_;
    LibraryTasks& tasks_;
    Log log_;
    const std::string library_;
    const GenerationNote note_;
    Listeners listeners_;
    std::uint64_t noted_generation_ = 0;
    mirror::RecordedTokenState before_;  // by an earlier process; "" = the state has changed since then
    std::optional<TokenState> state_;    // when it was looked at last
    Instant found_;                      // since then, in this process
    struct Shown {
        bool is_usable = false;
        bool needs_person = false;
        std::optional<Instant> deadline = {};
        std::string scope = {};
        friend bool operator==(const Shown&, const Shown&) = default;
    };
    Shown shown_;  // at the last look
    bool is_closed_ = false;
};

// True if the trouble of the set is on this machine, so that a person may have corrected it. Anything else is no reason
// to ask the service again.
bool waits_for_this_machine(const oauth::TokenStatus& token);

}  // namespace shelfd::app
