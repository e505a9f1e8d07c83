#include "app/configuration/fixed_settings.hpp"

#include <fmt/core.h>

namespace shelfd::app {
namespace {

struct Setting {
    const char* key;
    std::string now;
    std::string next;
};

std::vector<Setting> fixed_settings(const config::Configuration& now, const config::Configuration& next)
{
    const auto word = [](bool value) { return std::string(value ? "true" : "false"); };
    return {
        {"storage.mirrors", now.storage.mirrors, next.storage.mirrors},
        {"storage.tokens", now.storage.tokens, next.storage.tokens},
        {"storage.tokens_copy", now.storage.tokens_copy, next.storage.tokens_copy},
        {"storage.machine_id", now.storage.machine_id, next.storage.machine_id},
        {"storage.allow_unsafe", word(now.storage.allow_unsafe), word(next.storage.allow_unsafe)},
        {"control.socket", now.control.socket, next.control.socket},
        {"control.readers", now.control.readers, next.control.readers},
        {"control.admins", now.control.admins, next.control.admins},
    };
}

}  // namespace

std::vector<config::Fault> find_fixed_changes(const config::Configuration& now, const config::Configuration& next,
                                              const std::string& main_file)
{
    std::vector<config::Fault> faults;
    for (const auto& setting : fixed_settings(now, next)) {
        if (setting.now == setting.next) {
            continue;
        }
        const auto written = next.origins.find(setting.key);
        const config::Position first_line{main_file, 1, 1};
        faults.push_back({written == next.origins.end() ? first_line : written->second,
                          fmt::format("{} cannot change while the daemon runs (it uses \"{}\"): restore that value, or "
                                      "restart the daemon: sudo systemctl restart shelfd, or systemctl --user restart "
                                      "shelfd for your own",
                                      setting.key, setting.now)});
    }
    return faults;
}

}  // namespace shelfd::app
