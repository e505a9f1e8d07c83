#include "app/operations/with_library.hpp"

#include "control/model/unknown_names.hpp"
#include "sync/library/run_id.hpp"

#include <fmt/core.h>

namespace shelfd::app {

Result<LibraryUnit::Use> use_library(const LibrarySet& libraries, const std::string& name)
{
    if (auto unit = libraries.find(name)) {
        return LibraryUnit::Use(std::move(unit));
    }
    if (const auto absent = libraries.absent().find(name); absent != libraries.absent().end()) {
        return Error(ErrorKind::needs_person, fmt::format("{} is not running: {}", name, absent->second.why));
    }
    if (auto restart = libraries.restarts().error_of(name)) {
        return std::move(*restart);
    }
    std::vector<std::string> known;
    for (const auto& unit : libraries.units()) {
        known.push_back(unit->library().name);
    }
    return control::unknown_library(name, std::move(known));
}

mirror::ActRecord begin_act(LibraryUnit& unit, const control::Actor& actor, std::string resource)
{
    mirror::ActRecord act;
    act.started = unit.now();
    act.run_id = sync::make_run_id(act.started, unit.context().random());
    act.verb = actor.verb;
    act.asked_by = actor.user;
    act.resource = std::move(resource);
    return act;
}

asio::awaitable<void> end_act(LibraryUnit& unit, mirror::ActRecord act)
{
    act.finished = unit.now();
    auto recording = unit.recorder().record_act(std::move(act));
    co_await std::move(recording);
    unit.let_mirror_rest();
}

asio::awaitable<void> record_where(const LibrarySet& libraries, std::function<bool(const LibraryUnit&)> concerned,
                                   control::Actor actor, std::string error)
{
    std::vector<LibraryUnit::Use> uses;  // others may change the set meanwhile
    for (const auto& unit : libraries.units()) {
        if (concerned(*unit)) {
            uses.emplace_back(unit);
        }
    }
    for (auto& unit : uses) {
        auto act = begin_act(*unit, actor, "");
        act.error = error;
        auto ending = end_act(*unit, std::move(act));
        co_await std::move(ending);
    }
}

}  // namespace shelfd::app
