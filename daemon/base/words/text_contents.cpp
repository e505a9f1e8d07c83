#include "base/words/text_contents.hpp"

#include "base/words/digits.hpp"

#include <algorithm>

namespace shelfd {
namespace {

bool are_digits(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Beyond that a text of digits is a name, not an amount, and no longer fits an integer of SQLite.
constexpr std::size_t max_digits = 18;
// That many lengths or offsets show as much as more would.
constexpr std::size_t enough = 8;

// "2024-01-06T06:00:00.5+02:00" and the like.
bool is_instant(std::string_view text)
{
    return text.size() >= 17 && are_digits(text.substr(0, 4)) && text[4] == '-' && are_digits(text.substr(5, 2)) &&
           text[7] == '-' && are_digits(text.substr(8, 2)) && (text[10] == 'T' || text[10] == ' ') &&
           are_digits(text.substr(11, 2)) && text[13] == ':' && are_digits(text.substr(14, 2));
}

// "Z", "+02:00"; "" without one.
std::string_view offset_of(std::string_view instant)
{
    const auto at = instant.find_first_of("Zz+-", 16);
    return at == std::string_view::npos ? std::string_view() : instant.substr(at);
}

// "31.12.2024", also with a time behind it.
bool is_ordinary_date(std::string_view text)
{
    return text.size() >= 10 && are_digits(text.substr(0, 2)) && (text[2] == '.' || text[2] == '/' || text[2] == '-') &&
           are_digits(text.substr(3, 2)) && text[5] == text[2] && are_digits(text.substr(6, 4)) &&
           (text.size() == 10 || text[10] == ' ' || text[10] == 'T');
}

// "5" of "5e-3". Without a point before it, "12e4" may be a code.
std::string_view without_exponent(std::string_view fraction)
{
    const auto at = fraction.find_first_of("eE");
    auto power = at == std::string_view::npos ? std::string_view() : fraction.substr(at + 1);
    power.remove_prefix(power.starts_with('-') || power.starts_with('+') ? 1 : 0);
    return are_digits(power) ? fraction.substr(0, at) : fraction;
}

// "1,234.50" with ',' and '.': marks between thousands for certain, since there are two of them, or a fraction behind
// one.
bool is_grouped(std::string_view number, char mark, char point)
{
    const auto end = number.find(point);
    auto rest = number.substr(0, end);
    std::size_t marks = 0;
    for (auto at = rest.find(mark); at != std::string_view::npos; at = rest.find(mark)) {
        const auto group = rest.substr(0, at);
        if (!are_digits(group) || group.size() > 3 || (marks > 0 && group.size() != 3)) {
            return false;
        }
        rest.remove_prefix(at + 1);
        ++marks;
    }
    const bool has_fraction = end != std::string_view::npos;
    return marks > 0 && are_digits(rest) && rest.size() == 3 && (marks > 1 || has_fraction) &&
           (!has_fraction || are_digits(number.substr(end + 1)));
}

int number_of(std::string_view two_digits)
{
    return (two_digits[0] - '0') * 10 + (two_digits[1] - '0');
}

}  // namespace

std::string_view to_string(TextContents contents)
{
    switch (contents) {
    case TextContents::other: return "";
    case TextContents::decimals: return "decimals";
    case TextContents::comma_decimals: return "decimals with a comma";
    case TextContents::grouped_decimals: return "decimals with commas between thousands";
    case TextContents::dotted_decimals: return "decimals with points between thousands";
    case TextContents::whole_numbers: return "whole numbers";
    case TextContents::days_first: return "dates that begin with the day";
    case TextContents::months_first: return "dates that begin with the month";
    case TextContents::days_or_months_first: return "dates that begin with the day or the month";
    case TextContents::mixed_offsets: return "times with different offsets from UTC";
    }
    return "";
}

std::string_view wrong_order(TextContents contents)
{
    switch (contents) {
    case TextContents::other: return "";
    case TextContents::decimals: return "'10.00' < '9.00'";
    case TextContents::comma_decimals: return "'10,00' < '9,00'";
    case TextContents::grouped_decimals: return "'1,234.50' < '9.00'";
    case TextContents::dotted_decimals: return "'1.234,50' < '9,00'";
    case TextContents::whole_numbers: return "'10' < '9'";
    case TextContents::days_first: return "'01.12.2024' < '31.01.2023'";
    case TextContents::months_first:
    case TextContents::days_or_months_first: return "'01/12/2024' < '12/01/2023'";
    case TextContents::mixed_offsets: return "'…T06:00:00Z' < '…T07:00:00+02:00'";
    }
    return "";
}

std::string_view misread(TextContents contents)
{
    switch (contents) {
    case TextContents::comma_decimals: return "'89,50' as 89";
    case TextContents::grouped_decimals: return "'1,234.50' as 1";
    case TextContents::dotted_decimals: return "'1.234,50' as 1.234";
    default: return "";
    }
}

std::string comparable(TextContents contents, const std::string& column)
{
    const auto date = [&column](const char* day, const char* month) {
        return "substr(" + column + ", 7, 4) || '-' || substr(" + column + ", " + month + ", 2) || '-' || substr(" +
               column + ", " + day + ", 2) || substr(" + column + ", 11)";
    };
    switch (contents) {
    case TextContents::decimals: return "CAST(" + column + " AS REAL)";
    case TextContents::comma_decimals: return "CAST(replace(" + column + ", ',', '.') AS REAL)";
    case TextContents::grouped_decimals: return "CAST(replace(" + column + ", ',', '') AS REAL)";
    case TextContents::dotted_decimals: return "CAST(replace(replace(" + column + ", '.', ''), ',', '.') AS REAL)";
    case TextContents::whole_numbers: return "CAST(" + column + " AS INTEGER)";
    case TextContents::days_first: return date("1", "4");
    case TextContents::months_first: return date("4", "1");
    case TextContents::mixed_offsets: return "julianday(" + column + ")";
    case TextContents::days_or_months_first:
    case TextContents::other: break;
    }
    return "";
}

void TextSurvey::add(std::string_view text)
{
    if (text.empty()) {
        return;
    }
    ++texts_;
    if (is_instant(text)) {
        ++instants_;
        if (offsets_.size() < enough) {
            offsets_.emplace(offset_of(text));
        }
    } else if (is_ordinary_date(text)) {
        add_date(text);
    } else {
        add_number(text);
    }
}

void TextSurvey::add_number(std::string_view text)
{
    text.remove_prefix(text.front() == '-' ? 1 : 0);
    text.remove_suffix(text.ends_with('%') ? 1 : 0);  // SQL's CAST ends there, too
    const auto mark = text.find_first_of(".,");
    const auto whole = text.substr(0, mark);
    // "007" is a code.
    if (!are_digits(whole) || whole.size() > max_digits || (whole.size() > 1 && whole.front() == '0')) {
        return;
    }
    if (mark == std::string_view::npos) {
        ++whole_;
        if (lengths_.size() < enough) {
            lengths_.insert(whole.size());
        }
        return;
    }
    if (is_grouped(text, ',', '.')) {
        ++grouped_;
        return;
    }
    if (is_grouped(text, '.', ',')) {
        ++dotted_;
        return;
    }
    auto fraction = text.substr(mark + 1);
    fraction = text[mark] == '.' ? without_exponent(fraction) : fraction;
    if (!are_digits(fraction)) {
        return;
    }
    ++(text[mark] == '.' ? points_ : commas_);
    const bool may_be_thousand = fraction.size() == 3 && whole.size() <= 3 && whole != "0";
    thousands_ = thousands_ && (text[mark] == '.' || may_be_thousand);
    point_thousands_ = point_thousands_ && (text[mark] == ',' || may_be_thousand);
}

void TextSurvey::add_date(std::string_view text)
{
    const int first = number_of(text.substr(0, 2));
    const int second = number_of(text.substr(3, 2));
    const bool is_date = first >= 1 && first <= 31 && second >= 1 && second <= 31 && (first <= 12 || second <= 12);
    ordinary_dates_ += is_date ? 1 : 0;
    late_first_ += first > 12 ? 1 : 0;
    late_second_ += second > 12 ? 1 : 0;
}

TextContents TextSurvey::contents() const
{
    if (texts_ == 0) {
        return TextContents::other;
    }
    if (points_ > 0 && points_ + whole_ == texts_) {
        return TextContents::decimals;
    }
    if (commas_ > 0 && commas_ + whole_ == texts_ && !thousands_) {
        return TextContents::comma_decimals;
    }
    if (grouped_ > 0 && thousands_ && grouped_ + points_ + commas_ + whole_ == texts_) {
        return TextContents::grouped_decimals;
    }
    if (dotted_ > 0 && point_thousands_ && dotted_ + points_ + commas_ + whole_ == texts_) {
        return TextContents::dotted_decimals;
    }
    if (whole_ == texts_ && lengths_.size() > 1) {
        return TextContents::whole_numbers;
    }
    if (ordinary_dates_ == texts_ && (late_first_ == 0 || late_second_ == 0)) {
        return late_first_ > 0    ? TextContents::days_first
               : late_second_ > 0 ? TextContents::months_first
                                  : TextContents::days_or_months_first;
    }
    if (instants_ == texts_ && offsets_.size() > 1 && offsets_.count("") == 0) {
        return TextContents::mixed_offsets;
    }
    return TextContents::other;
}

}  // namespace shelfd
