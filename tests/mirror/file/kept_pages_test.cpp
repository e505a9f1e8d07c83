// The pages of a walk that was left unfinished.
#include "mirror/file/kept_pages.hpp"
#include "mirror/json/content_hash.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>

#include <sys/stat.h>

using namespace shelfd;
using namespace shelfd::mirror;
using namespace std::chrono_literals;

namespace {

const Instant noon = Instant::from_seconds(1'704'542'400);

RecordedPage page(int number, Instant at = noon)
{
    return {at, fmt::format("page={}", number), fmt::format("counted 450 {}", number + 1),
            fmt::format("[{{\"id\":{},\"text\":\"two\\nlines\n\"}}]", number)};
}

std::unique_ptr<KeptPages> record_of(const std::string& file, int pages)
{
    auto begun = KeptPages::begin(file, {"the plan", noon, 7});
    REQUIRE(begun);
    for (int number = 1; number <= pages; ++number) {
        REQUIRE((*begun)->append(page(number)));
    }
    return std::move(*begun);
}

}  // namespace

TEST_CASE("pages come back in the order they came, whatever is in them, and more can be put behind them")
{
    const TempDirectory files;
    const auto file = files / "walk";
    record_of(file, 3).reset();
    for (int life = 0; life < 2; ++life) {
        const auto resumed = KeptPages::resume(file, "the plan", noon + 59min);
        REQUIRE(resumed);
        CHECK(resumed->walk().as_of == noon);
        CHECK(resumed->walk().token_generation == 7);
        CHECK(resumed->pages() == static_cast<std::uint64_t>(3 + life));
        for (int number = 1; number <= 3 + life; ++number) {
            const auto again = resumed->next();
            REQUIRE(again);
            CHECK(again->query == page(number).query);
            CHECK(again->frame == page(number).frame);
            CHECK(again->results == page(number).results);
        }
        CHECK_FALSE(resumed->next());
        REQUIRE(resumed->append(page(4 + life)));
    }
}

TEST_CASE("pages of another plan, of an hour ago, or of the future are gone when somebody would go on with them")
{
    const TempDirectory files;
    const auto file = files / "walk";
    record_of(file, 2).reset();
    const auto* plan = GENERATE("the plan", "another plan");
    const auto now = std::string(plan) == "the plan" ? GENERATE(noon + 61min, noon - 61min) : noon;
    CHECK_FALSE(KeptPages::resume(file, plan, now));
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK_FALSE(KeptPages::resume(file, plan, now));
}

TEST_CASE("a record that was cut or damaged at any byte gives the pages before that byte, and no other")
{
    const TempDirectory files;
    const auto file = files / "walk";
    record_of(file, 3).reset();
    const auto whole = read_file(file);
    const auto first = page(1).results;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const bool is_cut : {true, false}) {
            auto bytes = is_cut ? whole.substr(0, at) : whole;
            if (!is_cut) {
                bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
            }
            write_file(file, bytes);
            const auto resumed = KeptPages::resume(file, "the plan", noon);
            if (!resumed) {
                CHECK(at < whole.find(first) + first.size());
                continue;
            }
            CHECK(resumed->pages() < 3);
            for (int number = 1; const auto again = resumed->next(); ++number) {
                REQUIRE(again->results == page(number).results);
                REQUIRE(again->query == page(number).query);
            }
            // What comes next takes the place of the damage.
            REQUIRE(resumed->append(page(9)));
            const auto once_more = KeptPages::resume(file, "the plan", noon);
            REQUIRE(once_more);
            REQUIRE(once_more->pages() == resumed->pages() + 1);
        }
    }
}

TEST_CASE("a record goes on exactly where it is there to see, also with a number that nobody wrote so")
{
    const TempDirectory files;
    const auto file = files / "walk";
    const auto* zeros = GENERATE("", "0000", "000000");
    record_of(file, 1).reset();
    const auto text = zeros + std::to_string(noon.micros()) + "\npage=2\n{}\n[]";
    const std::array<std::uint64_t, 2> header = {text.size(), content_hash(text, 4).first};
    std::string entry(sizeof header, '\0');
    std::memcpy(entry.data(), header.data(), sizeof header);
    write_file(file, read_file(file) + entry + text);
    const bool is_there = KeptPages::look_at(file, "the plan", noon).has_value();
    CHECK((KeptPages::resume(file, "the plan", noon) != nullptr) == is_there);
}

TEST_CASE("a page takes the place of an entry that is too short for one")
{
    const TempDirectory files;
    const auto file = files / "walk";
    REQUIRE(record_of(file, 1)->append({Instant(), "", "", "[]"}));
    const auto resumed = KeptPages::resume(file, "the plan", noon);
    REQUIRE(resumed);
    CHECK(resumed->next());
    CHECK_FALSE(resumed->next());
    REQUIRE(resumed->append(page(2)));
    const auto again = KeptPages::resume(file, "the plan", noon);
    REQUIRE(again);
    CHECK(again->pages() == 2);
}

TEST_CASE("a record is for its owner alone, begins anew where there was one, and does not follow a link")
{
    const TempDirectory files;
    const auto file = files / "walk";
    record_of(file, 3).reset();
    const auto begun = record_of(file, 1);
    struct stat found {};
    REQUIRE(::stat(file.c_str(), &found) == 0);
    CHECK((found.st_mode & 07777U) == 0600);
    CHECK(KeptPages::resume(file, "the plan", noon)->pages() == 1);
    begun->remove();
    CHECK_FALSE(std::filesystem::exists(file));
    std::filesystem::create_symlink(files / "elsewhere", file);
    CHECK_FALSE(KeptPages::begin(file, {"the plan", noon, 7}));
}

TEST_CASE("pages of a resource that goes, or of which more is excluded, go at the next start")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "pairs"}, {.name = "others"}});
    for (const auto* name : {"things", "pairs", "others"}) {
        record_of(page_record_name(fixture.file(), name), 2);
    }
    fixture.mirror.reset();
    fixture.specs = {{.name = "things"}, {.name = "pairs", .exclude = {"email"}}};
    fixture.reopen();
    CHECK(std::filesystem::exists(page_record_name(fixture.file(), "things")));
    CHECK_FALSE(std::filesystem::exists(page_record_name(fixture.file(), "pairs")));
    CHECK_FALSE(std::filesystem::exists(page_record_name(fixture.file(), "others")));
}

TEST_CASE("while pages with a member that is excluded now cannot be removed, it does not count as excluded")
{
    MirrorFixture fixture;
    const auto pages = page_record_name(fixture.file(), "things");
    // What keeps even root from removing it.
    std::filesystem::create_directory(pages);
    write_file(pages + "/in the way", "");
    fixture.specs.front().exclude = {"email"};
    fixture.mirror = std::make_unique<Mirror>(fixture.options());
    const auto refused = fixture.mirror->declare(fixture.specs);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::storage);
    CHECK(refused.error().text().starts_with("cannot remove " + pages));
    CHECK(fixture.one("SELECT exclude FROM _resources WHERE resource = 'things'") == "null");
    CHECK_FALSE(fixture.mirror->take_notice());

    std::filesystem::remove(pages + "/in the way");
    must(fixture.mirror->declare(fixture.specs));
    CHECK_FALSE(std::filesystem::exists(pages));
    CHECK(fixture.one("SELECT exclude FROM _resources WHERE resource = 'things'") == R"(["email"])");
    CHECK(fixture.mirror->take_notice().value_or("").find("exclude of things got more members") != std::string::npos);
}
