#include "mirror/file/open_passes.hpp"
#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("an error breaks every open pass that has none yet, and none that has ended")
{
    mirror::OpenPasses passes;
    CHECK(passes.empty());
    std::optional<Error> whole;
    std::optional<Error> broken = Error(ErrorKind::storage, "disk full");
    std::optional<Error> ended;
    passes.open("whole", whole);
    passes.open("broken", broken);
    passes.open("ended", ended);
    passes.close("ended");
    CHECK(passes.contains("whole"));
    CHECK_FALSE(passes.contains("ended"));
    passes.break_all(Error(ErrorKind::corrupt, "malformed"));
    REQUIRE(whole);
    CHECK(whole->kind() == ErrorKind::corrupt);
    CHECK(broken->kind() == ErrorKind::storage);
    CHECK_FALSE(ended);
}
