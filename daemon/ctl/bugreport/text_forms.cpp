#include "ctl/bugreport/text_forms.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

std::string percent_encoded(const std::string& value, const char* digits, bool form)
{
    constexpr unsigned low_half = 15;
    std::string out;
    for (const char c : value) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '.' || c == '_' || c == '~';
        if (plain) {
            out += c;
        } else if (form && c == ' ') {
            out += '+';
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += '%';
            out += digits[byte >> 4U];
            out += digits[byte & low_half];
        }
    }
    return out;
}

// Only the characters that `value` alone determines, when `skip` bytes stand before it in a group of three.
std::string base64(const std::string& value, std::size_t skip, const char* alphabet)
{
    constexpr unsigned bits = 6;
    constexpr unsigned mask = 63;
    std::string out;
    unsigned held = 0;
    unsigned held_bits = 0;
    std::size_t undetermined = skip * 8;
    for (const char c : std::string(skip, '\0') + value) {
        held = held << 8U | static_cast<unsigned char>(c);
        held_bits += 8;
        while (held_bits >= bits) {
            held_bits -= bits;
            if (undetermined == 0) {
                out += alphabet[held >> held_bits & mask];
            }
            undetermined -= undetermined < bits ? undetermined : bits;
        }
    }
    return out;
}

}  // namespace

std::vector<std::string> forms_of(const std::string& value)
{
    constexpr const char* standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr const char* for_urls = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::vector<std::string> forms = {value};
    for (const auto* digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
        for (const bool form : {false, true}) {
            forms.push_back(percent_encoded(value, digits, form));
        }
    }
    for (std::size_t skip = 0; skip < 3; ++skip) {
        forms.push_back(base64(value, skip, standard));
        forms.push_back(base64(value, skip, for_urls));
    }
    return forms;
}

std::string host_of(std::string_view url)
{
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) {
        return "";
    }
    auto rest = url.substr(scheme + 3);
    rest = rest.substr(0, rest.find_first_of("/?#"));
    if (const auto user = rest.rfind('@'); user != std::string_view::npos) {
        rest.remove_prefix(user + 1);
    }
    if (rest.starts_with('[')) {
        return std::string(rest.substr(0, rest.find(']') + 1));
    }
    return std::string(rest.substr(0, rest.find(':')));
}

}  // namespace shelfd::ctl
