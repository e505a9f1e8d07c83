#include "config/show.hpp"
#include "files.hpp"

#include "support/catch.hpp"

#include <array>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace shelfd;
using namespace shelfd::config;
using test::ConfigFiles;

namespace {

using Lines = std::vector<std::string>;

Lines sample_lines(const std::string& secret)
{
    std::ifstream file(std::string(SHELFD_SOURCE_DIR) + "/config/shelfd.toml");
    Lines lines;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("client_secret")) {
            line = "client_secret = { file = \"" + secret + "\" }";
        } else if (line.starts_with("#command ")) {
            line = "command = [\"/bin/true\"]";  // what stands there is not installed yet
        } else if (line.starts_with("#post ")) {
            line = "post = { file = \"" + secret + "\" }";
        } else if (line.starts_with("#headers ") && line.find("/secrets/") != line.npos) {
            line = "headers = { X = { file = \"" + secret + "\" } }";
        } else if (line.starts_with("#readers ") && line.find('[') != line.npos) {
            line = "readers = [\"root\", \"sync\"]";  // who stands there is not on every machine
        } else if (line.size() > 1 && line.starts_with('#') && line[1] != ' ' && !line.starts_with("#ca_file")) {
            line.erase(0, 1);  // keys that are commented out take part
        }
        lines.push_back(line);
    }
    return lines;
}

// What a tired person does to a file: drops, repeats and swaps lines, mistypes, writes another kind of value.
void damage(Lines& lines, std::mt19937& random)
{
    constexpr std::array values = {
        "5",   "\"x\"",    "[]",    "{}",         "true",   "[1]",  "[\"*\", \"-a\"]", "{ a = 1 }",
        "1.5", "\"${X}\"", "\"-\"", "2024-01-01", "\"{}\"", "\"\"", "{ file = [] }",   "[[1]]"};
    const auto pick = [&random](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    const auto line = pick(lines.size());
    auto& text = lines[line];
    switch (pick(5)) {
    case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line)); break;
    case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line), Lines(lines)[pick(lines.size())]); break;
    case 2: std::swap(text, lines[pick(lines.size())]); break;
    case 3:
        if (!text.empty()) {
            text[pick(text.size())] = static_cast<char>(' ' + static_cast<char>(pick(95)));
        }
        break;
    default:
        if (const auto equals = text.find('='); equals != std::string::npos) {
            text = text.substr(0, equals + 1) + " " + values[pick(values.size())];
        }
    }
}

std::string joined(const Lines& lines)
{
    std::string text;
    for (const auto& line : lines) {
        text += line + '\n';
    }
    return text;
}

}  // namespace

TEST_CASE("a damaged file is refused with a reason, or loads, is shown, and loads again to the same")
{
    const ConfigFiles files;
    const auto lines = sample_lines(files.write("secret", "hush"));
    std::mt19937 random(20'261'121);
    int loaded = 0;
    int refused = 0;
    for (int round = 0; round < 400; ++round) {
        auto damaged = lines;
        for (auto count = 1 + random() % 3; count > 0; --count) {
            damage(damaged, random);
        }
        files.write("shelfd.toml", joined(damaged));
        const auto outcome = files.load({{"X", "y"}});
        INFO(joined(damaged));
        REQUIRE(outcome.configuration.has_value() == outcome.faults.empty());
        for (const auto& fault : outcome.faults) {
            REQUIRE(fault.position.line >= 1);
            REQUIRE(fault.position.column >= 1);
            REQUIRE(fault.text.find("hush") == std::string::npos);
        }
        if (outcome.configuration) {
            const auto shown = show(*outcome.configuration, ShowOrigin::no);
            const ConfigFiles again(shown);
            const auto second = again.load();
            INFO(test::list(again, second.faults));
            REQUIRE(second.configuration);
            REQUIRE(show(*second.configuration, ShowOrigin::no) == shown);
        }
        ++(outcome.configuration ? loaded : refused);
    }
    CHECK(loaded > 20);
    CHECK(refused > 20);
}
