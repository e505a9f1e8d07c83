#include "base/time_of_day.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace std::chrono_literals;

TEST_CASE("a time of day is two digits, a colon, two digits")
{
    CHECK(parse_time_of_day("00:00") == 0min);
    CHECK(parse_time_of_day("23:59") == 1439min);
    for (const char* text : {"", "3:30", "24:00", "12:60", "12-30", "12:3", "12:300", "-1:00", "ab:cd"}) {
        INFO(text);
        CHECK_FALSE(parse_time_of_day(text).has_value());
    }
}

TEST_CASE("times of day and weekdays are written as they are read")
{
    for (int minute = 0; minute < 24 * 60; ++minute) {
        CHECK(parse_time_of_day(format_time_of_day(std::chrono::minutes(minute))) == std::chrono::minutes(minute));
    }
    for (std::size_t day = 0; day < 7; ++day) {
        CHECK(parse_weekday(format_weekday(day)) == day);
    }
    CHECK(parse_weekday("mon") == std::size_t{0});
    CHECK_FALSE(parse_weekday("Mon").has_value());
    CHECK_FALSE(parse_weekday("").has_value());
}

TEST_CASE("the longest gap of a plan goes round the week")
{
    CHECK(max_gap({3h}, Weekdays().set()) == 24h);
    CHECK(max_gap({3h, 9h}, Weekdays().set()) == 18h);
    CHECK(max_gap({9h, 3h}, Weekdays(1)) == 7 * 24h - 6h);
    CHECK(max_gap({3h}, Weekdays(0b0011111)) == 72h);
}
