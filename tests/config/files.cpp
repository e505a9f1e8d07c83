#include "files.hpp"

#include "support/catch.hpp"

#include <filesystem>
#include <fstream>

namespace shelfd::test {

const char* const good_library = R"(
[library.good]
base_url = "https://good.example.com"
client_id = "good"
client_secret = { command = ["/bin/true"] }
[library.good.resource.good]
path = "/good/"
every = "15m"
)";

std::string ConfigFiles::path(const std::string& name) const
{
    return (std::filesystem::path(directory_.path()) / name).string();
}

std::string ConfigFiles::write(const std::string& name, const std::string& text, unsigned mode) const
{
    const auto whole = path(name);
    std::filesystem::create_directories(std::filesystem::path(whole).parent_path());
    std::ofstream file(whole, std::ios::binary);
    file << text;
    file.close();
    REQUIRE(file);
    std::filesystem::permissions(whole, static_cast<std::filesystem::perms>(mode));
    return whole;
}

config::LoadOutcome ConfigFiles::load(const config::Environment& environment) const
{
    return config::load(path("shelfd.toml"), environment, config::KeepOrigins::yes);
}

std::string list(const ConfigFiles& files, const std::vector<config::Fault>& faults)
{
    std::string text;
    const auto folder = files.path("");
    for (const auto& fault : faults) {
        auto line = config::to_text(fault);
        for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder)) {
            line.erase(at, folder.size());
        }
        text += line + '\n';
    }
    return text;
}

}  // namespace shelfd::test
