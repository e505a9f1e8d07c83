#include "base/state/mirror_schema.hpp"
#include "support/catch.hpp"

#include <string>

namespace shelfd {
namespace {

TEST_CASE("a version of a mirror is read as it is written")
{
    CHECK(parse_mirror_schema("1") == MirrorSchema{1, 0});
    CHECK(parse_mirror_schema("1.18") == MirrorSchema{1, 18});
    CHECK(to_text(MirrorSchema{1, 0}) == "1");
    CHECK(to_text(MirrorSchema{2, 3}) == "2.3");
    for (const std::string text : {"", ".", "1.", ".1", "one", "1.2.3", "-1", "1.-2", " 1", "1 "}) {
        CAPTURE(text);
        CHECK_FALSE(parse_mirror_schema(text));
    }
}

TEST_CASE("a program uses a mirror unless the mirror asks for a later version")
{
    const auto later_minor = MirrorSchema{own_mirror_schema.major, own_mirror_schema.minor + 1};
    CHECK(may_read_mirror("1"));
    CHECK(may_read_mirror(to_text(own_mirror_schema)));
    CHECK(may_read_mirror(""));
    CHECK(may_read_mirror("nobody knows"));
    CHECK_FALSE(may_read_mirror(to_text(later_minor)));
    CHECK_FALSE(may_read_mirror("2"));
    // What this version writes, it and all others of its major version can use.
    CHECK(oldest_reader <= MirrorSchema{own_mirror_schema.major, 0});
}

}  // namespace
}  // namespace shelfd
