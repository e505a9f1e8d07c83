#include "base/words/text_contents.hpp"
#include "support/catch.hpp"

#include <vector>

namespace shelfd {
namespace {

TextContents contents_of(const std::vector<std::string>& texts)
{
    TextSurvey survey;
    for (const auto& text : texts) {
        survey.add(text);
    }
    return survey.contents();
}

TEST_CASE("texts are numbers or dates only if every one of them is")
{
    struct Row {
        const char* name;
        std::vector<std::string> texts;
        TextContents contents;
    };
    const std::vector<Row> rows = {
        {"nothing", {}, TextContents::other},
        {"only empty texts", {"", ""}, TextContents::other},
        {"prices", {"89.00", "9.50", "-0.10"}, TextContents::decimals},
        {"prices, one missing", {"89.00", "", "9.50"}, TextContents::decimals},
        {"prices, some without a fraction", {"89", "9.5"}, TextContents::decimals},
        {"prices and one word", {"89.00", "free"}, TextContents::other},
        {"prices with exponents", {"1.5e3", "2.0E-2", "9.50"}, TextContents::decimals},
        {"codes like exponents", {"12e4", "7e1"}, TextContents::other},
        {"a broken exponent", {"1.5e", "9.50"}, TextContents::other},
        {"percentages", {"5%", "12%"}, TextContents::whole_numbers},
        {"percentages with a fraction", {"5.5%", "12.0%"}, TextContents::decimals},
        {"prices with a currency", {"$1.00", "$9.50"}, TextContents::other},
        {"prices and a word for none", {"89.00", "n/a"}, TextContents::other},
        {"versions", {"1.2", "1.2.3"}, TextContents::other},
        {"prices with a comma", {"89,00", "9,50"}, TextContents::comma_decimals},
        {"thousands or thousandths", {"1,234", "9,500"}, TextContents::other},
        {"thousands with commas", {"1,234.50", "9.00", "-12,345,678.9", "12"}, TextContents::grouped_decimals},
        {"whole thousands with commas", {"1,234,567", "9,500", "12"}, TextContents::grouped_decimals},
        {"thousands with commas, and a comma before a fraction", {"1,234.50", "9,5"}, TextContents::other},
        {"thousands with points", {"1.234,50", "9,00", "2.500"}, TextContents::dotted_decimals},
        {"thousands with points, and a point before a fraction", {"1.234,50", "9.5"}, TextContents::other},
        {"both kinds of thousands", {"1,234.50", "1.234,50"}, TextContents::other},
        {"thousands of another size", {"12,34,567.00", "9.00"}, TextContents::other},
        {"versions with commas", {"1,234.5.6"}, TextContents::other},
        {"points and commas", {"1.50", "1,50"}, TextContents::other},
        {"whole numbers", {"9", "10", "-3"}, TextContents::whole_numbers},
        {"years", {"1984", "2024"}, TextContents::other},
        {"codes", {"007", "12"}, TextContents::other},
        {"bar codes", {"5412345678908", "5412345678915"}, TextContents::other},
        {"identifiers beyond 64 bits", {"12345678901234567890", "9"}, TextContents::other},
        {"telephone numbers", {"+3225551234", "+32475551234"}, TextContents::other},
        {"words", {"Waffle", "Fries"}, TextContents::other},
        {"ISO dates", {"2024-01-06", "2023-12-31"}, TextContents::other},
        {"days first", {"31.12.2024", "01.02.2024"}, TextContents::days_first},
        {"days first, with a time", {"31/12/2024 06:00", "01/02/2024 07:00"}, TextContents::days_first},
        {"months first", {"12/31/2024", "01/02/2024"}, TextContents::months_first},
        {"either first", {"01/02/2024", "03/04/2024"}, TextContents::days_or_months_first},
        {"both first", {"31/12/2024", "12/31/2024"}, TextContents::other},
        {"no dates", {"99.99.2024", "31.12.2024"}, TextContents::other},
        {"times of one offset", {"2024-01-06T06:00:00Z", "2024-01-07T06:00:00Z"}, TextContents::other},
        {"local times", {"2024-01-06T06:00:00", "2024-01-07T06:00:00"}, TextContents::other},
        {"times of two offsets", {"2024-01-06T06:00:00Z", "2024-01-06T06:00:00+02:00"}, TextContents::mixed_offsets},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        CHECK(contents_of(row.texts) == row.contents);
    }
}

TEST_CASE("each kind of contents has words, and a wrong order that is wrong")
{
    for (const auto contents :
         {TextContents::decimals, TextContents::comma_decimals, TextContents::grouped_decimals,
          TextContents::dotted_decimals, TextContents::whole_numbers, TextContents::days_first,
          TextContents::months_first, TextContents::days_or_months_first, TextContents::mixed_offsets}) {
        CHECK_FALSE(to_string(contents).empty());
        const std::string order(wrong_order(contents));
        const auto sign = order.find(" < ");
        REQUIRE(sign != std::string::npos);
        CHECK(order.substr(0, sign) < order.substr(sign + 3));
    }
    CHECK(to_string(TextContents::other).empty());
    CHECK(comparable(TextContents::days_or_months_first, "day").empty());
}

}  // namespace
}  // namespace shelfd
