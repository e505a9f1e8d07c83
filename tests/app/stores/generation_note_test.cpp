#include "app/stores/generation_note.hpp"

#include "support/catch.hpp"
#include "support/temp_directory.hpp"

namespace shelfd::app {
namespace {

TEST_CASE("the newest generation that was noted stays, whatever older set is found later")
{
    const TempDirectory directory;
    const GenerationNote note(directory / "antwerp.generation");
    CHECK(note.read() == 0);
    REQUIRE(note.raise(7));
    REQUIRE(note.raise(6));
    CHECK(note.read() == 7);
    REQUIRE(note.raise(8));
    CHECK(note.read() == 8);
    write_file(directory / "antwerp.generation", "seven\n");
    CHECK(note.read() == 0);
    REQUIRE(note.raise(9));
    CHECK(note.read() == 9);
    REQUIRE(GenerationNote("").raise(1));
    CHECK(GenerationNote("").read() == 0);
}

}  // namespace
}  // namespace shelfd::app
