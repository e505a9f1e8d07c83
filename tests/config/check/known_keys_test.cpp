#include "base/words/names.hpp"
#include "config/check/known_keys.hpp"
#include "config/files.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

using namespace shelfd;
using namespace shelfd::config;

namespace {

// The words of a text: what is not a letter, a digit or "_" separates them.
std::set<std::string> words_of(const std::string& text)
{
    std::set<std::string> words;
    std::string word;
    for (const char c : text + ' ') {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') {
            word += c;
        } else {
            words.insert(std::exchange(word, {}));
        }
    }
    return words;
}

}  // namespace

TEST_CASE("no key is listed twice")
{
    std::set<std::pair<Section, std::string_view>> seen;
    for (const auto& info : known_keys()) {
        INFO(info.name);
        CHECK(seen.emplace(info.section, info.name).second);
        CHECK_FALSE(info.meaning.empty());
        CHECK(find_key(info.section, info.name) == &info);
    }
    CHECK(find_key(Section::log, "base_url") == nullptr);
}

TEST_CASE("a library can hold the keys of service and application, because no name is in two of them")
{
    std::set<std::string_view> seen;
    for (const auto& info : known_keys()) {
        if (info.section == Section::library || info.section == Section::service ||
            info.section == Section::application) {
            INFO(info.name);
            CHECK(seen.insert(info.name).second);
        }
    }
}

TEST_CASE("every key appears in the sample configuration")
{
    std::ostringstream text;
    text << std::ifstream(std::string(SHELFD_SOURCE_DIR) + "/config/shelfd.toml").rdbuf();
    const auto words = words_of(text.str());
    for (const auto& info : known_keys()) {
        INFO(heading(info.section) << " " << info.name);
        CHECK(words.contains(std::string(info.name)));
    }
}

TEST_CASE("every key that is not built is refused as not supported yet, wherever it may stand")
{
    for (const auto& info : known_keys()) {
        const auto inner = heading(info.section).front() != '[';
        if (info.supported || inner) {
            continue;
        }
        auto title = std::string(heading(info.section));
        if (const auto name = title.find("NAME"); name != std::string::npos) {
            title.replace(name, 4, "x");
        }
        INFO(title << " " << info.name);
        const test::ConfigFiles files(title + "\n" + std::string(info.name) + " = 1\n" + test::good_library);
        const auto outcome = files.load();
        const auto refused = std::any_of(outcome.faults.begin(), outcome.faults.end(), [](const Fault& fault) {
            return fault.position.line == 2 && fault.text.find("is not supported yet") != std::string::npos;
        });
        CHECK(refused);
    }
}

TEST_CASE("the distance of two words counts insertions, deletions, replacements and swaps")
{
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("abc", "abc") == 0);
    CHECK(edit_distance("abc", "ab") == 1);
    CHECK(edit_distance("abc", "abxc") == 1);
    CHECK(edit_distance("abc", "axc") == 1);
    CHECK(edit_distance("abc", "acb") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("", "abc") == 3);
}
