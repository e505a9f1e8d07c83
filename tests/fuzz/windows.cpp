// Days, clock times and instants of a ledger. The first byte chooses the zone, the second one the length of a window;
// then, one line each: where the ledger begins, and what a service says of a row.
#include "schedule/windows.hpp"
#include "fuzz/input.hpp"

#include <date/date.h>
#include <date/tz.h>

#include <array>
#include <string>

using namespace shelfd;
using namespace shelfd::schedule;
using namespace std::chrono_literals;
using fuzz::promise;

namespace {

using Micros = std::chrono::microseconds;

constexpr std::array<const char*, 12> zones = {"UTC",
                                               "Europe/Brussels",
                                               "America/New_York",
                                               "America/St_Johns",
                                               "America/Sao_Paulo",
                                               "Australia/Lord_Howe",
                                               "Pacific/Apia",
                                               "Africa/Casablanca",
                                               "Asia/Kathmandu",
                                               "America/Scoresbysund",
                                               "Asia/Tehran",
                                               "Africa/Monrovia"};
constexpr std::array<Duration, 6> steps = {1h, 90min, 24h, 7 * 24h, 31 * 24h, 366 * 24h};

date::local_time<Micros> shown_at(const date::time_zone& zone, Instant at)
{
    return zone.to_local(date::sys_time<Micros>(Micros(at.micros())));
}

// What clocks show, as UTC would: the reader of instants is fuzzed by itself.
std::optional<date::local_time<Micros>> clock_time(std::string_view text)
{
    std::string in_utc(text);
    if (in_utc.size() > 10 && in_utc[10] == ' ') {
        in_utc[10] = 'T';
    }
    const auto at = is_day(text) ? Instant::from_rfc3339(in_utc + "T00:00:00Z") : Instant::from_rfc3339(in_utc + "Z");
    return at ? std::optional(date::local_time<Micros>(Micros(at->micros()))) : std::nullopt;
}

void check_shown(const date::time_zone& zone, std::string_view text, Instant at)
{
    const auto wanted = clock_time(text);
    promise(wanted.has_value(), "what clocks show is a time");
    const auto shown = shown_at(zone, at);
    const bool exists = zone.get_info(*wanted).result != date::local_info::nonexistent;
    promise(exists ? shown == *wanted : shown > *wanted, "clocks show then what was read, or the next they show");
    promise(shown_at(zone, at - Duration(1)) < *wanted, "and not before");
    for (const auto earlier : {20min, 30min, 60min, 120min, 1440min}) {
        promise(shown_at(zone, at - earlier) != *wanted, "it is the first time they do");
    }
}

void check_windows(const Windows& windows, Instant at)
{
    const auto window = windows.at(at);
    promise(window.number >= 0, "no window is before the first one");
    promise(at < windows.since() ? window.number == 0 : window.from <= at && at < window.to,
            "an instant lies in its window");
    promise(windows.window(window.number) == window, "a window has one number");
    promise(windows.window(window.number + 1).from == window.to, "and ends where the next one begins");
}

void check_day(const Windows& windows, Instant at)
{
    const auto day = windows.day_of(at);
    const auto begin = windows.begin_of(day);
    promise(begin.has_value(), "a day that is shown can be read");
    const auto text = at.to_text();
    if (text < "0001-01-03" || text > "9999-12-29") {
        return;  // a zone may be in a year that has no four digits: the nearest day is shown
    }
    promise(*begin <= at, "a day has begun before its instants");
    promise(windows.day_of(*begin) == day, "the first instant of a day lies in it");
    promise(windows.instant_of(day) == begin, "a day stands for its first instant");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2) {
        return 0;
    }
    auto lines = fuzz::lines_of(fuzz::text_of(data + 2, size - 2));
    lines.resize(2);
    const auto* const name = zones[data[0] % zones.size()];
    const auto windows = Windows::load(lines[0], steps[data[1] % steps.size()], name);
    if (!windows) {
        promise(windows.error().kind() == ErrorKind::config && !windows.error().text().empty(),
                "what cannot be cut has a reason");
        promise(!is_day(lines[0]) && !Instant::from_rfc3339(lines[0]), "a day or an instant begins a ledger");
        return 0;
    }
    const auto text = lines[1];
    const auto at = windows->instant_of(text);
    const auto instant = Instant::from_rfc3339(text);
    promise(at.has_value() == (is_day(text) || is_clock_time(text) || instant.has_value()),
            "what is a time is read as one");
    promise(!(is_day(text) && is_clock_time(text)) && !(is_clock_time(text) && instant), "of one kind");
    if (!at) {
        return 0;
    }
    if (is_day(text) || is_clock_time(text)) {
        check_shown(*date::locate_zone(name), text, *at);
    } else {
        promise(at == instant, "an instant is the same in all zones");
    }
    check_windows(*windows, *at);
    check_day(*windows, *at);
    return 0;
}
