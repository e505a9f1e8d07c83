#include "app/host/machine_id.hpp"

#include "base/regular_file.hpp"

#include <sys/utsname.h>

namespace shelfd::app {
namespace {

std::string first_line(const char* path)
{
    constexpr std::size_t enough = 4'096;
    const auto text = read_regular_file(path, enough).value_or("");
    return text.substr(0, text.find('\n'));
}

int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::array<std::byte, 16> id_bytes(const std::string& text)
{
    std::array<std::byte, 16> bytes{};
    std::size_t digits = 0;
    for (const char c : text) {
        const int value = hex_value(c);
        if (value < 0 && c == '-') {
            continue;
        }
        if (value < 0 || digits >= 32) {
            return {};
        }
        auto& byte = bytes[digits / 2];
        byte = (byte << 4) | static_cast<std::byte>(value);
        ++digits;
    }
    return digits == 32 ? bytes : std::array<std::byte, 16>{};
}

std::string read_boot_id(const config::Environment& environment, const char* file)
{
    auto id = first_line(file);
    if (!id.empty()) {
        return id;
    }
    const auto given = environment.find("SHELFD_BOOT_ID");
    if (given == environment.end() || id_bytes(given->second) == std::array<std::byte, 16>{}) {
        return "";
    }
    id = given->second;
    // Records compare it as text: in the form of the kernel, whoever gave it.
    constexpr std::size_t hyphens[] = {8, 13, 18, 23};
    for (const auto place : hyphens) {
        if (id[place] != '-') {
            id.insert(place, 1, '-');
        }
    }
    return id;
}

std::string read_machine_id()
{
    return first_line("/etc/machine-id");
}

std::string read_host_name()
{
    utsname names{};
    return uname(&names) == 0 ? names.nodename : "";
}

}  // namespace shelfd::app
