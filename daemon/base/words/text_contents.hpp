// What the texts of a column hold: numbers and dates that do not compare as such while they are text.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace shelfd {

enum class TextContents {
    other,                 // anything else, such as dates in an order that sorts
    decimals,              // "89.00"
    comma_decimals,        // "89,00"
    grouped_decimals,      // "1,234.50"
    dotted_decimals,       // "1.234,50"
    whole_numbers,         // "9" and "10": of different lengths, without leading zeros
    days_first,            // "31.12.2024", "31/12/2024 06:00"
    months_first,          // "12/31/2024"
    days_or_months_first,  // "01/02/2024": no text shows which is the month
    mixed_offsets,         // "2024-01-06T06:00:00Z" and "2024-01-06T06:00:00+02:00"
};

// "decimals" or the like, for people and JSON; "" for `other`.
std::string_view to_string(TextContents contents);

// Two texts of such a column that sort in the wrong order: "'10.00' < '9.00'".
std::string_view wrong_order(TextContents contents);

// What a calculation of SQL takes such a text for: "'89,50' as 89"; "" where it takes the right number, or none is
// meant.
std::string_view misread(TextContents contents);

// An SQL expression that compares as the texts are meant; "" if there is none. `column`: as written in SQL.
std::string comparable(TextContents contents, const std::string& column);

// Judges texts one by one. Claims nothing that a single text contradicts; empty texts say nothing.
class TextSurvey {
public:
    void add(std::string_view text);
    TextContents contents() const;

private:
    void add_number(std::string_view text);
    void add_date(std::string_view text);

    std::uint64_t texts_ = 0;
    std::uint64_t points_ = 0;     // numbers with a decimal point
    std::uint64_t commas_ = 0;     // numbers with a decimal comma
    std::uint64_t whole_ = 0;      // numbers with neither
    std::uint64_t grouped_ = 0;    // "1,234.50", "1,234,567"
    std::uint64_t dotted_ = 0;     // "1.234,50", "1.234.567"
    bool thousands_ = true;        // each comma of a number with one mark may separate thousands
    bool point_thousands_ = true;  // likewise each point
    std::uint64_t ordinary_dates_ = 0;
    std::uint64_t late_first_ = 0;   // the first number is beyond 12
    std::uint64_t late_second_ = 0;  // the second number is
    std::uint64_t instants_ = 0;
    std::set<std::size_t> lengths_;  // of whole numbers, capped
    std::set<std::string, std::less<>> offsets_;
};

}  // namespace shelfd
