#include "app/upkeep.hpp"

#include "app/idle_care.hpp"
#include "app/record_keeping.hpp"
#include "runtime/async/wall_clock_watch.hpp"

namespace shelfd::app {
namespace {

void recheck_due(const LibrarySet& libraries)
{
    libraries.for_each("the wall clock", [](LibraryUnit& unit) { unit.recheck_tables(); });
}

}  // namespace

void start_upkeep(TaskGroup& tasks, DaemonServices& services, const LibrarySet& libraries, const Alerts& alerts)
{
    tasks.spawn(tend_idle_libraries(services, libraries), "the closing of idle mirrors");
    tasks.spawn(services.directories.run(), "the watch of directories");
    tasks.spawn(keep_records(services, libraries, alerts), "the records in mirrors");
    tasks.spawn(watch_wall_clock(services.clock, [&libraries] { recheck_due(libraries); }), "the wall clock");
}

}  // namespace shelfd::app
