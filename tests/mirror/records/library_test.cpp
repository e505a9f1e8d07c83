#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {
namespace {

const Instant noon = Instant::from_seconds(1'704'542'400);  // 2024-01-06T12:00:00Z

LibraryRecord good_record()
{
    LibraryRecord record;
    record.token_state = "good";
    record.token_since = noon;
    record.token_expires_at = noon + std::chrono::hours(168);
    record.token_next_refresh = noon + std::chrono::hours(84);
    record.limit_group = "tills";
    record.request_limit = 100;
    record.requests_used = 12;
    record.consumers = {{"warehouse", "a1:42", 0, std::nullopt, ""}};
    return record;
}

TEST_CASE("a mirror says in SQL how its token set and its request limit are, and how far its consumers are")
{
    MirrorFixture fixture;
    CHECK(fixture.one("SELECT count(*) FROM _library") == "0");
    CHECK(must(fixture.mirror->record_library(good_record())));
    CHECK(fixture.sql("SELECT token_state, token_needs_person, token_since, token_why, token_expires_at, "
                      "token_next_refresh, token_deadline, do_this FROM _library") ==
          std::vector<std::string>{fmt::format("good|0|{}|null|{}|{}|null|null", noon.to_text(),
                                               (noon + std::chrono::hours(168)).to_text(),
                                               (noon + std::chrono::hours(84)).to_text())});
    CHECK(fixture.one("SELECT limit_group || ' ' || request_limit || ' ' || requests_used FROM _library") ==
          "tills 100 12");
    CHECK(fixture.one("SELECT paused_until FROM _library") == "null");
    CHECK(fixture.one("SELECT written_at FROM _library") == fixture.clock.now().to_text());
    CHECK(fixture.one("SELECT library = (SELECT value FROM _meta WHERE key = 'library') FROM _library") == "1");
    CHECK(fixture.sql("SELECT hook, position, waiting, waiting_since, why FROM _consumers") ==
          std::vector<std::string>{"warehouse|a1:42|0|null|null"});

    auto lost = good_record();
    lost.token_state = "lost";
    lost.token_needs_person = true;
    lost.token_why = "the answer to a refresh was lost";
    lost.token_deadline = noon + std::chrono::hours(1);
    lost.do_this = "shelfctl auth import antwerp";
    lost.request_limit = std::nullopt;
    lost.paused_until = noon + std::chrono::minutes(5);
    lost.consumers.reset();
    CHECK(must(fixture.mirror->record_library(lost)));
    CHECK(fixture.sql("SELECT token_state, token_needs_person, token_why, token_deadline, do_this, request_limit, "
                      "paused_until FROM _library") ==
          std::vector<std::string>{fmt::format("lost|1|the answer to a refresh was lost|{}|shelfctl auth import "
                                               "antwerp|null|{}",
                                               (noon + std::chrono::hours(1)).to_text(),
                                               (noon + std::chrono::minutes(5)).to_text())});
    CHECK(fixture.one("SELECT count(*) FROM _consumers") == "1");
    lost.consumers.emplace();
    CHECK_FALSE(must(fixture.mirror->record_library(lost)));
    CHECK(fixture.one("SELECT count(*) FROM _consumers") == "0");
}

TEST_CASE("a mirror of an earlier version gets the tables about its library")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1},{"id":2})"});
    {
        auto earlier = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(earlier.execute("DROP TABLE _library; DROP TABLE _consumers; UPDATE _meta SET value = '17' "
                             "WHERE key = 'schema_minor'"));
    }
    fixture.reopen();
    CHECK(fixture.one("SELECT rows FROM freshness") == "2");
    must(fixture.mirror->record_library(good_record()));
    CHECK(fixture.one("SELECT token_state FROM _library") == "good");
}

}  // namespace
}  // namespace shelfd::mirror
