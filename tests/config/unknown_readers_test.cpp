#include "config/unknown_readers.hpp"

#include "base/accounts/unknown_account.hpp"
#include "files.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace shelfd;
using namespace shelfd::config;
using test::ConfigFiles;

namespace {

constexpr const char* text = R"([library.l]
base_url = "https://l.example.com"
client_id = "l"
client_secret = { command = ["/bin/true"] }
readers = ["root", "shelfd-nobody", "shelfd-gone"]
[resource.r]
path = "/r/"
every = "1h"
)";

}  // namespace

TEST_CASE("a reader whom this machine does not know is no fault of a load, and keeps his place among the others")
{
    const ConfigFiles files(std::string(text) + test::good_library);
    const auto loaded = files.load();
    INFO(test::list(files, loaded.faults));
    REQUIRE(loaded.configuration);
    const auto& readers = loaded.configuration->find_library("l")->readers;
    REQUIRE(readers.size() == 3);
    CHECK(is_known(readers[0]));
    CHECK_FALSE(is_known(readers[1]));
    CHECK(readers[1] == unknown_account("shelfd-nobody"));
}

TEST_CASE("unknown readers are told with their place and the cure to who checks a configuration")
{
    const ConfigFiles files(std::string(text) + test::good_library);
    const auto loaded = files.load();
    REQUIRE(loaded.configuration);
    const auto faults = find_unknown_readers(*loaded.configuration);
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].position.line == 5);
    CHECK(faults[0].position.column == 20);
    CHECK(faults[0].text ==
          "readers names \"shelfd-nobody\", which is neither a group nor a user of this machine: sudo "
          "groupadd shelfd-nobody, or correct the name");
    CHECK(faults[1].position.column == 37);
    const auto gone = find_unknown_readers(*loaded.configuration, [](const Library& library, const Account& reader) {
        return library.name == "l" && reader.name == "shelfd-gone";
    });
    REQUIRE(gone.size() == 1);
    CHECK(gone[0].position.column == 37);
}

TEST_CASE("without origins an unknown reader is told at its library")
{
    const ConfigFiles files(std::string(text) + test::good_library);
    const auto loaded = load(files.path("shelfd.toml"), {});
    REQUIRE(loaded.configuration);
    const auto faults = find_unknown_readers(*loaded.configuration);
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].position.line == 1);
}
