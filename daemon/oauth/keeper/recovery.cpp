// From what the journals say to where the machine begins.
#include "oauth/keeper/token_keeper.hpp"

#include "oauth/endpoint/clock_trouble.hpp"

#include "base/sha256.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

// Machine ids are confidential (machine-id(5)): only a hash that no other program makes is stored.
Id machine_mark(const std::string& machine_id)
{
    Id mark{};
    if (!machine_id.empty()) {
        const auto digest = sha256("shelfd token store on " + machine_id);
        std::copy_n(digest.begin(), mark.size(), mark.begin());
    }
    return mark;
}

std::string mark_of(const CanarySpec& canary)
{
    return fingerprint(Secret(fmt::format("{}\n{}", canary.url, canary.identity_field)));
}

// What the note does not say of the answer that left an exchange in doubt.
void record_answer(Doubt& doubt, const ClassifiedAnswer& landed)
{
    const auto is_unclear = landed.answer == AnswerClass::unclear;
    const auto is_refusal = landed.ambiguity == Ambiguity::refusal;
    doubt.refusals = is_unclear && is_refusal ? 1 : 0;
    doubt.unreadable = is_unclear && landed.ambiguity == Ambiguity::unreadable ? 1 : 0;
    doubt.throttled = landed.answer == AnswerClass::throttled && is_refusal && doubt.replays == 0;
}

// Why the store is not the one that was written to; "" where nothing says so. `machine` is the mark of this one.
std::string copy_evidence(const Recovered& known, const Id& machine)
{
    if (known.two_installations) {
        return "journal.a and journal.b come from two different stores";
    }
    if (machine != Id{} && *known.machine != Id{} && *known.machine != machine) {
        return "the journal was written on another machine";
    }
    return known.elsewhere.empty() ? ""
                                   : fmt::format("the token store was copied, restored from a backup or moved to "
                                                 "another file system ({})",
                                                 known.elsewhere);
}

}  // namespace

void TokenKeeper::recover(Recovered known)
{
    barred_ = std::move(known.barred);
    copied_.clear();
    damaged_.clear();
    if (barred_.empty() && !known.set && known.unreadable > 0) {
        damaged_ = fmt::format("the journals hold no readable token set, but {} damaged slots", known.unreadable);
    }
    const auto mark = machine_mark(settings_.machine_id);
    pair_.identify({settings_.library, known.installation.value_or(new_id()), mark});
    standing_since_ = services_.clock.now();
    if (!known.set || !barred_.empty()) {
        machine_.begin({});
        return;
    }
    copied_ = copy_evidence(known, mark);
    pair_.set_marks(copied_.empty() ? JournalPair::Marks::own : JournalPair::Marks::found);
    newest_written_ = std::max(known.set->issued.wall, known.note ? known.note->last_sent.wall : Instant());
    record_clock(clock_trouble_after(newest_written_, services_.clock.now()));
    kept_ = std::move(known.kept);
    hold(std::move(*known.set));
    auto start = start_of(*set_);
    if (!known.note) {
        machine_.begin(start);
        return;
    }
    const auto& note = *known.note;
    start.attempt = known.attempt;
    start.standing = note.standing;
    start.doubt = doubt_of(note);
    start.told_to_wait = note.told_to_wait ? ahead_of(*note.told_to_wait) : BootTime();
    start.last_sent = boot_of(note.last_sent);
    standing_since_ = note.since;
    noted_standing_ = note.standing;
    reason_ = note.reason;
    if (note.code_sent) {
        recover_login(note, known.raw);
        start.attempt = 0;  // the note's is of the login
        start.doubt.open = note.standing == Standing::in_doubt || note.earlier_doubt;
        machine_.begin(start);
        return;
    }
    const auto& raw = known.raw;
    landed_ = classify(raw ? Arrived{raw->status, raw->complete, raw->body.reveal(), Duration(0)} : Arrived());
    keep_survivor();
    start.access_survived = !landed_.tokens.access.empty();
    if (known.intent_open) {
        start.standing = Standing::good;
        machine_.begin_landing(start, note.earlier_doubt ? Machine::Earlier::doubt : Machine::Earlier::none);
        must_land_ = true;
    } else {
        start.doubt.open = note.standing == Standing::in_doubt || note.earlier_doubt;
        record_answer(start.doubt, landed_);
        machine_.begin(start);
    }
}

// Takes the set as the present one, without a word to the machine.
void TokenKeeper::hold(TokenSet set)
{
    if (access_ && set_) {
        old_access_ = set_->access.clone();
    }
    set_ = std::move(set);
    access_ = set_->access.empty() || is_moved_out() ? nullptr : std::make_shared<const Secret>(set_->access.clone());
    pinned_library_ = set_->library_id;
    environment_fault_ = environment_fault(*set_);
    wrong_library_.clear();
}

TokenKeeper::Machine::Start TokenKeeper::start_of(const TokenSet& set) const
{
    Machine::Start start;
    start.holding = holding_of(set);
    start.learned = set.learned;
    // What one canary taught is not true of another one.
    if (const auto canary = mark_of(settings_.canary); start.learned.canary != canary) {
        start.learned.canary_refuses.reset();
        start.learned.old_token_dies.reset();
        start.learned.canary = canary;
    }
    start.hurried = set.pace.hurried;
    start.day_count = set.pace.day_count;
    start.day_start = boot_of({set.pace.day_start, BootTime(), Id{}});
    start.copied = is_copied();
    start.random = services_.random();
    if (set.origin == Origin::rest_of_answer) {
        start.standing = Standing::lost;
    }
    return start;
}

Holding TokenKeeper::holding_of(const TokenSet& set) const
{
    Holding holding;
    holding.generation = set.generation;
    holding.issued = boot_of(set.issued);
    holding.lifetime = set.lifetime;
    holding.has_kept = kept_.has_value();
    holding.to_seal = set.origin == Origin::pasted || set.origin == Origin::untried;
    // Another service must not see this one's tokens, and another application cannot refresh them.
    const auto same_service = set.service == settings_.endpoint.base_url;
    const auto is_here = set.origin != Origin::moved_out;
    holding.access = !set.access.empty() && same_service && is_here;
    holding.refresh = !set.refresh.empty() && environment_fault(set).empty() && is_here;
    return holding;
}

std::string TokenKeeper::environment_fault(const TokenSet& set) const
{
    if (set.service != settings_.endpoint.base_url) {
        return fmt::format("this set was issued by {}, and the configuration says {}", set.service,
                           settings_.endpoint.base_url);
    }
    if (set.client_id != settings_.endpoint.client_id) {
        return fmt::format("this set was issued to the application {}, and the configuration says {}", set.client_id,
                           settings_.endpoint.client_id);
    }
    return "";
}

CanarySpec TokenKeeper::canary_spec() const
{
    auto spec = settings_.canary;
    spec.library_id = spec.library_id.empty() ? pinned_library_ : spec.library_id;
    return spec;
}

bool TokenKeeper::is_copied() const
{
    return !copied_.empty() || (set_ && mirror_generation_ > set_->generation);
}

Doubt TokenKeeper::doubt_of(const Note& note) const
{
    Doubt doubt;
    doubt.open = true;
    doubt.old_token_was_alive = note.access_was_alive;
    doubt.committed = note.committed;
    doubt.replays = note.replays;
    doubt.server_errors = note.server_errors;
    doubt.since = boot_of(note.first_sent);
    doubt.last_sent = boot_of(note.last_sent);
    return doubt;
}

Note TokenKeeper::note_of(const Doubt& doubt, Standing standing) const
{
    Note note;
    note.standing = standing;
    note.earlier_doubt = machine_.doubt().open;
    note.access_was_alive = doubt.old_token_was_alive;
    note.committed = doubt.committed;
    note.replays = doubt.replays;
    note.server_errors = doubt.server_errors;
    note.since = standing_since_;
    note.first_sent = moment_of(doubt.since);
    note.last_sent = moment_of(doubt.last_sent);
    note.reason = reason_;
    if (machine_.told_to_wait() > services_.clock.boot_now()) {
        note.told_to_wait = moment_of(machine_.told_to_wait());
    }
    return note;
}

// What a copy that is written anew must say beside the set; nothing where the set says it all.
std::optional<Note> TokenKeeper::owed_note() const
{
    const auto& doubt = machine_.doubt();
    const auto is_owed = doubt.open || machine_.standing() != Standing::good;
    return is_owed ? std::optional<Note>(note_of(doubt, machine_.standing())) : std::nullopt;
}

// On this boot's clock. Under another boot id the wall clock must do, and it cannot be before what was written last.
BootTime TokenKeeper::boot_of(const Moment& moment) const
{
    if (moment.boot_id == settings_.boot_id && settings_.boot_id != Id{}) {
        return moment.boot;
    }
    const auto wall = std::max(services_.clock.now(), newest_written_);
    return services_.clock.boot_now() - std::max(wall - moment.wall, Duration(0));
}

// The same for a moment to come, which is a day away at most.
BootTime TokenKeeper::ahead_of(const Moment& moment) const
{
    if (moment.boot_id == settings_.boot_id && settings_.boot_id != Id{}) {
        return moment.boot;
    }
    constexpr Duration day = std::chrono::hours(24);
    return services_.clock.boot_now() + std::clamp<Duration>(moment.wall - services_.clock.now(), Duration(0), day);
}

Moment TokenKeeper::moment_of(BootTime at) const
{
    return {services_.clock.now() - (services_.clock.boot_now() - at), at, settings_.boot_id};
}

Moment TokenKeeper::now() const
{
    return {services_.clock.now(), services_.clock.boot_now(), settings_.boot_id};
}

Id TokenKeeper::new_id() const
{
    Id id;
    for (auto& byte : id) {
        byte = static_cast<std::byte>(static_cast<unsigned>(services_.random() * 256.0) & 255u);
    }
    return id;
}

}  // namespace shelfd::oauth
