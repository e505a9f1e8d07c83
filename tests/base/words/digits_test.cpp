#include "base/words/digits.hpp"

#include "support/catch.hpp"

#include <string>

namespace shelfd {
namespace {

TEST_CASE("only the ten digits of ASCII are digits, whatever else a locale counts as one")
{
    std::string digits;
    for (int code = 0; code < 256; ++code) {
        const auto c = static_cast<char>(static_cast<unsigned char>(code));
        digits += is_digit(c) ? std::string(1, c) : "";
    }
    CHECK(digits == "0123456789");
}

TEST_CASE("a text is a number only if all of it is one that fits")
{
    CHECK(number_in("0") == 0U);
    CHECK(number_in("18446744073709551615") == UINT64_MAX);
    for (const std::string_view text : {"", " 1", "1 ", "+1", "-1", "1.0", "1e3", "18446744073709551616"}) {
        CAPTURE(text);
        CHECK_FALSE(number_in(text));
    }
    CHECK(number_in<int>("-12") == -12);
    CHECK_FALSE(count_in<int>("-12"));
}

}  // namespace
}  // namespace shelfd
