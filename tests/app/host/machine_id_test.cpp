#include "app/host/machine_id.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

namespace shelfd::app {
namespace {

const std::string id = "0f9c31d6-5d2a-4b0e-9a39-2f6f6f2f7a11";
const std::string digits = "0f9c31d65d2a4b0e9a392f6f6f2f7a11";

TEST_CASE("in a sandbox without the kernel's boot id the service manager's counts and has the kernel's form")
{
    const TempDirectory directory;
    const auto absent = directory / "boot_id";
    CHECK(read_boot_id({{"SHELFD_BOOT_ID", digits}}, absent.c_str()) == id);
    CHECK(read_boot_id({{"SHELFD_BOOT_ID", id}}, absent.c_str()) == id);
    CHECK(read_boot_id({}, absent.c_str()).empty());
    for (const std::string text : {"", "%b", "0f9c", "0f9c31d65d2a4b0e9a392f6f6f2f7a1x"}) {
        CAPTURE(text);
        CHECK(read_boot_id({{"SHELFD_BOOT_ID", text}}, absent.c_str()).empty());
    }
}

TEST_CASE("where the kernel shows its boot id, nothing else is asked")
{
    const TempDirectory directory;
    const auto file = directory / "boot_id";
    write_file(file, id + "\n");
    CHECK(read_boot_id({{"SHELFD_BOOT_ID", "ffffffffffffffffffffffffffffffff"}}, file.c_str()) == id);
}

TEST_CASE("the host has a name in a sandbox, too")
{
    CHECK_FALSE(read_host_name().empty());
}

}  // namespace
}  // namespace shelfd::app
