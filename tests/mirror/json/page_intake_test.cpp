#include "mirror/json/page_intake.hpp"
#include "mirror/json/pieces.hpp"
#include "support/catch.hpp"

using namespace shelfd;

namespace {

std::vector<std::string> texts(const mirror::Page& page)
{
    std::vector<std::string> found;
    for (const auto& item : page.items) {
        found.emplace_back(item.text);
    }
    return found;
}

mirror::Slice list_of(const std::string& parent)
{
    mirror::Slice slice;
    slice.name = parent;
    slice.member = "outlet";
    slice.value = parent;
    slice.past = 1;
    return slice;
}

}  // namespace

TEST_CASE("a page is read as it was sent where nothing is excluded and no slice adds anything")
{
    mirror::PageIntake intake("things", {"id"}, nullptr, mirror::Exclusion({}));
    std::string text;
    const auto page = intake.read(R"([{"id":1,"a":2}])", {}, 0, text);
    REQUIRE(page);
    CHECK(text.empty());
    CHECK(texts(*page) == std::vector<std::string>{R"({"id":1,"a":2})"});
}

TEST_CASE("what is excluded is gone from the items, and the parent of a list by parent is in them")
{
    const auto slice = list_of("7");
    mirror::PageIntake intake("things", {"outlet", "id"}, &slice, mirror::Exclusion({"email"}));
    std::string text;
    const auto page = intake.read(R"([{"id":1,"email":"a@b"}])", {}, 0, text);
    REQUIRE(page);
    CHECK(texts(*page) == std::vector<std::string>{R"({"outlet":7,"id":1})"});
    CHECK(page->items.front().key.to_json() == "[7,1]");
    CHECK(intake.without_excluded(R"([{"id":1,"email":"a@b"}])").value() == R"([{"id":1}])");
}

TEST_CASE("an item of another slice is an error of the configuration")
{
    mirror::Slice window;
    window.name = "2024-01-06";
    window.past = 10;
    window.field = "at";
    window.place_of = [](std::string_view at) { return std::optional<std::int64_t>(at == "in" ? 5 : 50); };
    mirror::PageIntake intake("things", {"id"}, &window, mirror::Exclusion({}));
    std::string text;
    CHECK(intake.read(R"([{"id":1,"at":"in"}])", {}, 0, text));
    const auto refused = intake.read(R"([{"id":1,"at":"out"}])", {}, 0, text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::config);
}

TEST_CASE("a large page comes in pieces that are arrays, with the number of the items before")
{
    std::string results = "[";
    std::size_t items = 0;
    while (results.size() < 3 * mirror::max_piece) {
        results += (items == 0 ? "" : ",") + std::string(R"({"id":)") + std::to_string(items) + R"(,"t":")" +
                   std::string(1000, 'x') + "\"}";
        ++items;
    }
    results += "]";
    mirror::PageIntake intake("things", {"id"}, nullptr, mirror::Exclusion({}));
    std::size_t read = 0;
    std::size_t pieces = 0;
    const auto done = intake.each_piece(results, [&](std::string_view array, std::size_t before) -> Result<void> {
        CHECK(before == read);
        std::string text;
        SHELFD_TRY_ASSIGN(page, intake.read(array, {}, before, text));
        read += page.items.size();
        ++pieces;
        return {};
    });
    CHECK(done);
    CHECK(read == items);
    CHECK(pieces >= 3);
}

TEST_CASE("an item too large to be read is refused before it is copied, unless members of it are excluded")
{
    const std::string results = R"([{"id":1,"t":")" + std::string(mirror::max_piece + mirror::max_row, 'x') + R"("}])";
    const bool excluded = GENERATE(false, true);
    const std::vector<std::string> paths = excluded ? std::vector<std::string>{"t"} : std::vector<std::string>{};
    mirror::PageIntake intake("things", {"id"}, nullptr, mirror::Exclusion(paths));
    bool taken = false;
    const auto done = intake.each_piece(results, [&](std::string_view, std::size_t) {
        taken = true;
        return Result<void>();
    });
    CHECK(taken == excluded);
    CHECK(done.has_value() == excluded);
    CHECK((excluded || done.error().kind() == ErrorKind::config));
}
