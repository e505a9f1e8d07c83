// A mirror's file is looked at before it is trusted; one that is broken is set aside, and begun anew.
#include "mirror/file/schema.hpp"
#include "mirror/mirror_parts.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/publish/look_over.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::mirror {
namespace {

// A look at a table costs a quarter of a pass over it that finds nothing new (0.4 µs a row of 860 bytes), and what
// others write to the file meanwhile is noticed by its time. Of a sliced table, a pass is about a small part.
constexpr Duration look_again_after = std::chrono::hours(1);
constexpr Duration look_at_slices_again_after = std::chrono::hours(24);
constexpr std::int64_t small_file = std::int64_t{8} << 20;
// Each cell is looked at so often, whatever has happened.
constexpr Duration check_again_after = std::chrono::hours(24 * 7);

}  // namespace

Result<storage::Database*> Mirror::Parts::connection()
{
    SHELFD_TRY(stay_with_file());
    const bool looks = suspect && passes.empty();
    if (looks) {
        database.reset();  // what counts is what the file has, not what we remember of it
    }
    if (!database) {
        auto opened = open_file();
        if (opened) {
            opened = check_objects(*database);
        }
        if (opened && repairs.empty()) {
            opened = recall_repairs();
        }
        if (opened && looks) {
            opened = verify_file();
        }
        if (!opened && opened.error().kind() == ErrorKind::corrupt) {
            opened = replace(fmt::format("was broken ({})", opened.error().text()));
        }
        if (opened) {
            opened = stay_with_content();
        }
        if (!opened) {
            return std::move(opened).error();
        }
    }
    SHELFD_TRY(declare_again());
    return database.get();
}

Result<storage::Database*> Mirror::Parts::sound_connection()
{
    auto connected = connection();
    if (!connected || known_sound || !passes.empty()) {
        return connected;
    }
    SHELFD_TRY_ASSIGN(boot, read_meta(*database, "boot_id"));
    if (boot && !options.boot_id.empty() && *boot != options.boot_id) {
        suspect = true;
        connected = connection();
        if (!connected) {
            return connected;
        }
    }
    known_sound = true;
    if (!options.boot_id.empty()) {
        SHELFD_TRY(write_meta(*database, "boot_id", options.boot_id));
    }
    return database.get();
}

void Mirror::Parts::mark_suspect(const Error& met)
{
    suspect = true;
    misread = true;
    misread_what = met.text();
    looked_over.clear();
    for (const auto& [resource, pass] : passes) {
        pass->broken = pass->broken.value_or(met);
    }
}

Result<void> Mirror::Parts::verify_file()
{
    SHELFD_TRY_ASSIGN(finding, database->quick_check());
    if (finding) {
        return Error(ErrorKind::corrupt, *finding);
    }
    // quick_check compares no index with its table, and nothing with what we meant to write.
    if (misread && std::exchange(cleared, true)) {
        return Error(ErrorKind::corrupt, "a part of it cannot be read, time after time: " + misread_what);
    }
    suspect = false;
    misread = false;
    return {};
}

Result<void> Mirror::Parts::check_objects(storage::Database& connected)
{
    SHELFD_TRY_ASSIGN(missing, find_missing_object(connected));
    return missing.empty() ? Result<void>()
                           : Error(ErrorKind::corrupt, fmt::format("somebody took {} out of it", missing));
}

Result<bool> Mirror::Parts::is_written_by_others()
{
    SHELFD_TRY_ASSIGN(version, database->prepare("PRAGMA data_version"));
    SHELFD_TRY(version.step());
    const auto now = version.integer(0);
    return std::exchange(others_version, now).value_or(now) != now;
}

Result<void> Mirror::Parts::check_other_tables(storage::Database& connected)
{
    const auto written_by_others = is_written_by_others();
    if (!written_by_others) {
        return written_by_others.error();
    }
    return *written_by_others ? check_objects(connected) : Result<void>();
}

Result<void> Mirror::Parts::verify_table_when_due(storage::Database& connected, const std::string& resource)
{
    const auto now = options.clock.now();
    if (looked_over.empty()) {
        if (!passes.empty()) {
            return {};  // with the next pass that begins alone
        }
        SHELFD_TRY(verify_all_tables(connected));
        SHELFD_TRY(check_if_small(connected));
        for (const auto& spec : specs) {
            looked_over[spec.name] = now;
        }
    }
    auto facts = load_facts(connected, resource);
    if (!facts || !*facts) {
        return facts ? Result<void>() : std::move(facts).error();
    }
    auto& looked_at = looked_over[resource];
    const auto again_after = (*facts)->axis.empty() ? look_again_after : look_at_slices_again_after;
    if (looked_at > now || now - looked_at >= again_after) {
        SHELFD_TRY(verify_resource(connected, **facts));
        looked_at = now;
    }
    return check_when_due(connected);
}

// What no walk over tables meets, free pages say, is looked at as well where that takes no time.
Result<void> Mirror::Parts::check_if_small(storage::Database& connected)
{
    auto bytes = read_value(connected,
                            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size "
                            "WHERE page_count * page_size <= CAST(? AS INTEGER)",
                            std::to_string(small_file));
    if (!bytes || !*bytes) {
        return bytes ? Result<void>() : std::move(bytes).error();
    }
    auto finding = connected.quick_check();
    if (!finding) {
        return std::move(finding).error();
    }
    return *finding ? Error(ErrorKind::corrupt, **finding) : Result<void>();
}

Result<void> Mirror::Parts::check_when_due(storage::Database& connected)
{
    if (!passes.empty()) {
        return {};
    }
    constexpr std::string_view checked_at = "checked_at";
    SHELFD_TRY_ASSIGN(text, read_meta(connected, checked_at));
    const auto now = options.clock.now();
    const auto at = text ? Instant::from_rfc3339(*text) : std::nullopt;
    if (at && *at <= now && now - *at < check_again_after) {
        return {};
    }
    auto finding = at ? connected.quick_check() : std::optional<std::string>();
    if (!finding || *finding) {
        return finding ? Error(ErrorKind::corrupt, **finding) : std::move(finding).error();
    }
    return write_meta(connected, checked_at, now.to_text());
}

Result<void> Mirror::Parts::replace(const std::string& finding)
{
    database.reset();
    SHELFD_TRY_ASSIGN(aside, set_aside(file, options.clock.now()));
    begin_anew();
    record_repair(finding, aside);
    auto opened = open_file();
    return opened ? write_meta(*database, rebuilt_from, aside) : std::move(opened);
}

void Mirror::Parts::record_repair(const std::string& finding, const std::string& aside)
{
    const auto done = aside.empty() ? std::string("the mirror is filled anew")
                                    : fmt::format("that was set aside as {}, and the mirror is filled anew", aside);
    notice = fmt::format("the mirror of {} {}; {}", options.library, finding, done);
    repairs.insert(repairs.begin(), {options.clock.now(), file, finding, done, aside});
    repairs_to_keep = true;
}

Result<void> Mirror::Parts::recall_repairs()
{
    SHELFD_TRY_ASSIGN(known, load_repairs(*database));
    repairs = std::move(known);
    return {};
}

// Into the file that is open, where it does not have them yet.
Result<void> Mirror::Parts::keep_repairs()
{
    if (!std::exchange(repairs_to_keep, false)) {
        return {};
    }
    auto kept = save_repairs(*database, repairs, options.clock.now());
    repairs_to_keep = !kept;
    return kept;
}

void Mirror::Parts::begin_anew()
{
    rebuilt = true;
    undeclared = true;
    suspect = false;
    misread = false;
    cleared = false;
    looked_over.clear();
    has_news = true;
    in_use.reset();
    written.reset();
    left_at.reset();
}

}  // namespace shelfd::mirror
