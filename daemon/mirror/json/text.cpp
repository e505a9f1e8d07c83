#include "mirror/json/text.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace shelfd::mirror {

namespace {

std::uint32_t hex4(std::string_view digits)
{
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + 4, value, 16);
    return value;
}

void append_utf8(std::string& out, std::uint32_t code)
{
    const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | code >> 6);
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3f));
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

// `at` is the position after "\u". Returns the number of characters used.
std::size_t append_code_point(std::string& out, std::string_view raw, std::size_t at, Fidelity& fidelity)
{
    const std::uint32_t first = hex4(raw.substr(at, 4));
    if (first < 0xd800 || first > 0xdfff) {
        append_utf8(out, first);
        return 4;
    }
    if (first < 0xdc00 && raw.substr(at + 4, 2) == "\\u") {
        const std::uint32_t second = hex4(raw.substr(at + 6, 4));
        if (second >= 0xdc00 && second <= 0xdfff) {
            append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            return 10;
        }
    }
    append_utf8(out, 0xfffd);
    fidelity = Fidelity::replaced;
    return 4;
}

char simple_escape(char letter)
{
    switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return letter;  // quote, backslash, slash
    }
}

// The parts of "-1.25e+22", as to_chars writes it.
struct Scientific {
    bool negative = false;
    std::string digits;
    int exponent = 0;
};

Scientific split_digits(double value)
{
    std::array<char, 40> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
    std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    Scientific parts;
    if (text.front() == '-') {
        parts.negative = true;
        text.remove_prefix(1);
    }
    const auto mark = text.find('e');
    for (const char digit : text.substr(0, mark)) {
        if (digit != '.') {
            parts.digits += digit;
        }
    }
    const auto power = text.substr(mark + (text[mark + 1] == '+' ? 2 : 1));
    std::from_chars(power.data(), power.data() + power.size(), parts.exponent);
    return parts;
}

// The power of ten of the first digit other than 0: -3 for 0.0025 and for 25e-4.
std::int64_t power_of(std::string_view number)
{
    const auto mark = std::min(number.find_first_of("eE"), number.size());
    const auto mantissa = number.substr(0, mark);
    auto exponent = number.substr(std::min(mark + 1, number.size()));
    const bool is_negative = exponent.starts_with('-');
    exponent.remove_prefix(is_negative || exponent.starts_with('+') ? 1 : 0);
    std::int64_t power = 0;
    if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec ==
        std::errc::result_out_of_range) {
        power = std::numeric_limits<std::int32_t>::max() * std::int64_t{1'000'000};
    }
    power = is_negative ? -power : power;
    const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    const auto first = static_cast<std::int64_t>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
    return power + (first < point ? point - first - 1 : point - first);
}

}  // namespace

Fidelity unescape(std::string_view raw, std::string& out)
{
    out.clear();
    Fidelity fidelity = Fidelity::exact;
    for (std::size_t at = 0; at < raw.size();) {
        const auto slash = raw.find('\\', at);
        out.append(raw, at, slash == std::string_view::npos ? raw.size() - at : slash - at);
        if (slash == std::string_view::npos) {
            break;
        }
        if (raw[slash + 1] == 'u') {
            at = slash + 2 + append_code_point(out, raw, slash + 2, fidelity);
        } else {
            out += simple_escape(raw[slash + 1]);
            at = slash + 2;
        }
    }
    return fidelity;
}

void append_quoted(std::string& out, std::string_view text)
{
    constexpr std::string_view hex = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        default:
            if (static_cast<unsigned char>(c) < 0x20) {
                out += "\\u00";
                out += hex[static_cast<unsigned char>(c) >> 4];
                out += hex[static_cast<unsigned char>(c) & 15];
            } else {
                out += c;
            }
        }
    }
    out += '"';
}

std::string quoted_json(std::string_view text)
{
    std::string out;
    append_quoted(out, text);
    return out;
}

std::string real_text(double value)
{
    // The shortest text is the result if it has a point and no exponent, as most values do.
    std::array<char, 32> shortest{};
    const auto [end, fault] = std::to_chars(shortest.data(), shortest.data() + shortest.size(), value);
    const std::string_view text(shortest.data(), static_cast<std::size_t>(end - shortest.data()));
    if (fault == std::errc() && text.find('.') != text.npos && text.find('e') == text.npos) {
        return std::string(text);
    }
    const auto parts = split_digits(value);
    const auto& digits = parts.digits;
    const int size = static_cast<int>(digits.size());
    const int point = parts.exponent + 1;  // number of digits before the point
    std::string out = parts.negative ? "-" : "";
    if (parts.exponent < -4 || parts.exponent >= 16) {
        out += digits[0];
        if (size > 1) {
            out.append(1, '.').append(digits, 1);
        }
        const int power = parts.exponent < 0 ? -parts.exponent : parts.exponent;
        out.append(parts.exponent < 0 ? "e-" : "e+").append(power < 10 ? "0" : "").append(std::to_string(power));
    } else if (point <= 0) {
        out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
    } else if (size <= point) {
        out.append(digits).append(static_cast<std::size_t>(point - size), '0').append(".0");
    } else {
        const auto before = static_cast<std::size_t>(point);
        out.append(digits, 0, before).append(1, '.').append(digits, before);
    }
    return out;
}

double real_of(std::string_view number)
{
    double value = 0;
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (code != std::errc::result_out_of_range) {
        return value;
    }
    // from_chars does not report which end of the range was exceeded.
    const double size = power_of(number) < 0 ? 0.0 : std::numeric_limits<double>::infinity();
    return number.starts_with('-') ? -size : size;
}

}  // namespace shelfd::mirror
