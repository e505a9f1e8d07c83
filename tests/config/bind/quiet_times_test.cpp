#include "config/bind/quiet_times.hpp"

#include "config/files.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;
using namespace shelfd::config;

namespace {

std::vector<Fault> warnings_of(const std::string& service, const std::string& resource)
{
    const test::ConfigFiles files(fmt::format(R"([service]
base_url = "https://l.example.com"
{}
[resource.r]
path = "/r/"
{}
[library.l]
client_id = "l"
client_secret = {{ command = ["/bin/true"] }}
)",
                                              service, resource));
    auto loaded = files.load();
    INFO(test::list(files, loaded.faults));
    REQUIRE(loaded.configuration);
    return loaded.warnings;
}

constexpr const char* incremental =
    "every = \"15m\"\nincremental = { param = \"p\", field = \"f\", format = \"datetime\", overlap = \"1d\" }\n";

}  // namespace

TEST_CASE("a planned time in quiet hours is told with the time at which the pass begins instead")
{
    const auto warnings =
        warnings_of("quiet = [\"22:00-06:00\"]", std::string(incremental) + "full = { at = [\"03:30\", \"12:00\"] }");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].position.line == 8);
    CHECK(warnings[0].position.column == 16);
    CHECK(warnings[0].text == "full.at 03:30 lies in the quiet hours 22:00-06:00, so this pass begins at their end, "
                              "06:00: choose a time outside of them");
    const auto ordinary = warnings_of("quiet = [\"12:00-13:00\"]", "at = [\"11:59\", \"12:00\", \"13:00\"]");
    REQUIRE(ordinary.size() == 1);
    CHECK(ordinary[0].text.starts_with("at 12:00 lies in the quiet hours 12:00-13:00"));
}

TEST_CASE("times outside of quiet hours, intervals, and times of another zone are no reason to warn")
{
    CHECK(warnings_of("quiet = [\"22:00-06:00\"]", "at = [\"06:00\", \"21:59\"]").empty());
    CHECK(warnings_of("quiet = [\"22:00-06:00\"]", "every = \"15m\"").empty());
    CHECK(warnings_of("", std::string(incremental) + "full = { at = [\"03:30\"] }").empty());
    CHECK(warnings_of("quiet = [\"22:00-06:00\"]", "at = [\"03:30\"]\ntimezone = \"Asia/Tokyo\"").empty());
}

TEST_CASE("quiet hours of one library name it, and where its own time is written; those of all name none")
{
    const auto warnings_of_three = [](const char* shared, const char* of_liege, const char* of_mons) {
        const auto library = [](const char* name, const char* more) {
            return fmt::format("[library.{0}]\nclient_id = \"{0}\"\n"
                               "client_secret = {{ command = [\"/bin/true\"] }}\n{1}\n",
                               name, more);
        };
        const test::ConfigFiles files(
            fmt::format("[service]\nbase_url = \"https://l.example.com\"\n{}\n[resource.r]\npath = \"/r/\"\n"
                        "at = [\"03:30\"]\n{}{}{}",
                        shared, library("ghent", ""), library("liege", of_liege), library("mons", of_mons)));
        auto loaded = files.load();
        INFO(test::list(files, loaded.faults));
        REQUIRE(loaded.configuration);
        return loaded.warnings;
    };
    const std::string begin = "at 03:30 lies in the quiet hours ";
    const std::string end = "so this pass begins at their end, 06:00: choose a time outside of them";

    const auto one = warnings_of_three("", "quiet = [\"22:00-06:00\"]", "");
    REQUIRE(one.size() == 1);
    CHECK(one[0].text ==
          begin + "22:00-06:00 of library liege, " + end + "; for liege alone: in [library.liege.resource.r]");
    const auto two = warnings_of_three("", "quiet = [\"22:00-06:00\"]", "quiet = [\"02:00-06:00\"]");
    REQUIRE(two.size() == 2);
    CHECK(two[0].text == one[0].text);
    CHECK(two[1].text.starts_with(begin + "02:00-06:00 of library mons, "));
    const auto own =
        warnings_of_three("", "quiet = [\"22:00-06:00\"]\n[library.liege.resource.r]\nat = [\"03:30\"]", "");
    REQUIRE(own.size() == 1);
    CHECK(own[0].text == begin + "22:00-06:00 of library liege, " + end);
    const auto all = warnings_of_three("quiet = [\"22:00-06:00\"]", "", "");
    REQUIRE(all.size() == 1);
    CHECK(all[0].text == begin + "22:00-06:00, " + end);
    const auto most = warnings_of_three("quiet = [\"22:00-06:00\"]", "quiet = []", "quiet = [\"03:00-06:00\"]");
    REQUIRE(most.size() == 2);
    CHECK(most[0].text == all[0].text);
    CHECK(most[1].text.starts_with(begin + "03:00-06:00 of library mons, "));
}
