// Points in time, durations and times of day, as services, files and people write them.
#include "base/instant.hpp"
#include "base/time_of_day.hpp"
#include "fuzz/input.hpp"
#include "http/client.hpp"

using namespace shelfd;
using fuzz::promise;

namespace {

void check(std::optional<Instant> at)
{
    if (!at) {
        return;
    }
    const auto again = Instant::from_rfc3339(at->to_text());
    promise(again == at, "an instant that was read is written and read as the same");
    promise(at->to_text().size() == std::string_view("2024-01-06T06:00:00.999999Z").size(), "its text has one width");
    const auto whole = Instant::from_rfc3339(at->to_short_text());
    promise(whole && whole->seconds() == at->seconds(), "its short text loses the fraction alone");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text_of(data, size);
    check(Instant::from_rfc3339(text));
    check(Instant::from_http_date(text));
    if (const auto duration = parse_duration(text)) {
        promise(*duration >= Duration(0), "a duration is not negative");
        promise(parse_duration(format_duration(*duration)) == duration, "a duration is written and read as the same");
        promise(!describe_duration(*duration).empty(), "a duration has words for people");
    }
    if (const auto time = parse_time_of_day(text)) {
        promise(format_time_of_day(*time) == text, "a time of day has one form");
    }
    if (const auto day = parse_weekday(text)) {
        promise(format_weekday(*day) == text, "a weekday has one form");
    }
    return 0;
}
