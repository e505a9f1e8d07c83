#include "sim/awkward_values.hpp"

#include <array>
#include <string_view>

namespace shelfd::sim {

namespace {

template <std::size_t size>
Json nth_number(const std::array<std::string_view, size>& texts, std::size_t number)
{
    return Json::number(std::string(texts[number % size]));
}

template <std::size_t size>
Json nth_text(const std::array<std::string_view, size>& texts, std::size_t number)
{
    return Json(std::string(texts[number % size]));
}

void add_numbers(Json& item, std::size_t number)
{
    static constexpr std::array<std::string_view, 8> floats{"1e-07", "1e+22", "-0.0",   "0.1",
                                                            "2.5",   "3.0",   "1e-323", "123456789.12345679"};
    static constexpr std::array<std::string_view, 6> integers{
        "9223372036854775807", "-9223372036854775808", "9007199254740993", "-9007199254740993", "0", "-1"};
    static constexpr std::array<std::string_view, 4> beyond{"18446744073709551617", "9223372036854775808",
                                                            "-9223372036854775809",
                                                            "123456789012345678901234567890123456789"};
    item.add("yield_factor", nth_number(floats, number));
    item.add("barcode", nth_number(integers, number));
    item.add("version_stamp", number % 16 == 3 ? nth_number(beyond, number / 16) : Json(static_cast<int>(number % 7)));
    item.add("list_price", "89.00");
    item.add("margin", number % 10 == 4 ? Json(12) : Json::number("12.75"));
}

void add_times(Json& item, std::size_t number)
{
    static constexpr std::array<std::string_view, 5> instants{
        "2024-01-06T06:00:00.999999Z", "2024-01-06T06:00:00Z", "2024-07-01T08:00:00+02:00",
        "2024-07-01T08:00:00.000001+02:00", "1969-12-31T23:59:59.500000Z"};
    static constexpr std::array<std::string_view, 3> days{"2024-02-29", "1900-01-01", "9999-12-31"};
    static constexpr std::array<std::string_view, 3> times{"06:30:00", "23:59:59.999999", "00:00:00"};
    item.add("priced_at", nth_text(instants, number));
    item.add("valid_from", nth_text(days, number));
    item.add("served_at", nth_text(times, number));
}

void add_texts(Json& item, std::size_t number)
{
    static constexpr std::array<std::string_view, 8> texts{"plain",
                                                           "",
                                                           "tab\there, line\nthere, \"quoted\" \\ and \x01",
                                                           "<b>fish & chips</b>",
                                                           "grüße, 東京, 🍋🥄",
                                                           "'; DROP TABLE recipes; --",
                                                           " spaces around ",
                                                           "2024"};
    item.add("description", number == 7 ? Json(std::string(200'000, 'x') + "é") : nth_text(texts, number));
    item.add("reference", number % 5 == 2 ? Json("007") : Json("A-1"));
    // Shows as a number in most rows, as something else in some.
    static const std::array<Json, 6> mixed{
        Json(17), Json("17"), Json(true), Json::number("17.5"), Json(), Json::array({Json(17)})};
    item.add("legacy", mixed[number % mixed.size()]);
}

void add_keys(Json& item, Random& random, std::size_t number)
{
    item.add("Name", "another key than name");
    item.add("select", static_cast<int>(number % 3));
    item.add("group", number % 2 == 0 ? Json("order by") : Json());
    item.add("table name \"quoted\"", "x");
    item.add("rowid", static_cast<int>(number % 100));
    item.add("_exact", "a name that a mirror may want for itself");
    item.add("always_null", Json());
    item.add("sometimes_null", random.one_in(2) ? Json() : Json(static_cast<int>(number % 50)));
    if (number % 11 == 6) {
        item.add("rare", "only in some rows");
    }
    if (number % 13 == 5) {
        item.add("rarely_null", Json());
    }
}

void add_nested(Json& item, std::size_t number)
{
    item.add("tags", number % 3 == 0 ? Json::array() : Json::array({"a", "b,\"c\"", Json(), Json(1)}));
    item.add("extra", number % 4 == 0
                          ? Json::object()
                          : Json::object({{"deep", Json::array({Json::object({{"x", Json::number("1e-07")}})})},
                                          {"Ünï", Json()}}));
    item.add("matrix", Json::array({Json::array({Json(1), Json(2)}), Json::array()}));
}

}  // namespace

void add_awkward_values(Json& item, Random& random, std::size_t number)
{
    add_numbers(item, number);
    add_times(item, number);
    add_texts(item, number);
    add_keys(item, random, number);
    add_nested(item, number);
}

}  // namespace shelfd::sim
