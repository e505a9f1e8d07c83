// A mirror's file is looked at before it is trusted; one that is broken is set aside, and begun anew.
#include "mirror/mirror_parts.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/schema.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::mirror {

Result<storage::Database*> Mirror::Parts::connection()
{
    if (auto stayed = stay_with_file(); !stayed) {
        return std::move(stayed).error();
    }
    const bool looks = suspect && passes.empty();
    if (looks) {
        database.reset();  // what counts is what the file has, not what we remember of it
    }
    if (!database) {
        auto opened = open_file();
        if (opened && looks) {
            opened = look_closer();
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
    if (auto declared = declare_again(); !declared) {
        return std::move(declared).error();
    }
    return database.get();
}

Result<storage::Database*> Mirror::Parts::sound_connection()
{
    auto connected = connection();
    if (!connected || known_sound || !passes.empty()) {
        return connected;
    }
    auto boot = read_meta(*database, "boot_id");
    if (!boot) {
        return std::move(boot).error();
    }
    if (*boot && !options.boot_id.empty() && **boot != options.boot_id) {
        suspect = true;
        connected = connection();
        if (!connected) {
            return connected;
        }
    }
    known_sound = true;
    if (!options.boot_id.empty()) {
        if (auto noted = write_meta(*database, "boot_id", options.boot_id); !noted) {
            return std::move(noted).error();
        }
    }
    return database.get();
}

void Mirror::Parts::doubt(const Error& met)
{
    suspect = true;
    misread = true;
    for (const auto& [resource, pass] : passes) {
        pass->broken = pass->broken.value_or(met);
    }
}

Result<void> Mirror::Parts::look_closer()
{
    auto finding = database->quick_check();
    if (!finding) {
        return std::move(finding).error();
    }
    if (*finding) {
        return Error(ErrorKind::corrupt, **finding);
    }
    // quick_check compares no index with its table, and nothing with what we meant to write.
    if (misread && std::exchange(cleared, true)) {
        return Error(ErrorKind::corrupt, "a part of it cannot be read, time after time");
    }
    suspect = false;
    misread = false;
    return {};
}

Result<void> Mirror::Parts::replace(const std::string& finding)
{
    database.reset();
    auto aside = set_aside(file, options.clock.now());
    if (!aside) {
        return std::move(aside).error();
    }
    begin_anew();
    notice = fmt::format("the mirror of {} {}; that was set aside as {}, and the mirror is filled anew",
                         options.library, finding, *aside);
    auto opened = open_file();
    return opened ? write_meta(*database, rebuilt_from, *aside) : std::move(opened);
}

void Mirror::Parts::begin_anew()
{
    rebuilt = true;
    undeclared = true;
    suspect = false;
    misread = false;
    cleared = false;
    has_news = true;
    in_use.reset();
    written.reset();
    left_at.reset();
}

}  // namespace shelfd::mirror
