#include "ctl/hostile_text.hpp"

#include <fmt/core.h>

#include <clocale>
#include <cwchar>

namespace shelfd::ctl {
namespace {

// Written down here anew, so that the program's own table is not what it is tested with.
bool is_obeyed(wchar_t c)
{
    const bool is_control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f);
    const bool is_direction =
        c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    return is_control || is_direction || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::string what_a_terminal_would_obey(std::string output, const std::vector<std::string>& ours)
{
    for (const auto& one : ours) {
        for (auto at = output.find(one); at != std::string::npos; at = output.find(one)) {
            output.erase(at, one.size());
        }
    }
    std::setlocale(LC_CTYPE, "C.UTF-8");
    std::mbstate_t state{};
    for (std::size_t at = 0; at < output.size();) {
        wchar_t c = 0;
        const auto length = std::mbrtowc(&c, output.data() + at, output.size() - at, &state);
        const bool is_character = length > 0 && length <= output.size() - at;
        if (!is_character || is_obeyed(c)) {
            return fmt::format("{:02x} at {}: ...{}", static_cast<unsigned char>(output[at]), at,
                               output.substr(at > 20 ? at - 20 : 0, 20));
        }
        at += length;
    }
    return "";
}

}  // namespace shelfd::ctl
