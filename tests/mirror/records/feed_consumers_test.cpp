#include "base/state/feed_position.hpp"
#include "mirror/mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {
namespace {

using namespace std::chrono_literals;

std::string items(int last, int value)
{
    std::string page;
    for (int id = 1; id <= last; ++id) {
        page += fmt::format("{}{{\"id\":{},\"v\":{}}}", page.empty() ? "" : ",", id, value);
    }
    return page;
}

// A feed with a first load, and `changes` of one row after it.
struct Feed : MirrorFixture {
    explicit Feed(int changes = 3, ChangeLimits limits = {.keep = 24h, .max_rows = std::nullopt})
    {
        change_limits = limits;
        reopen();
        for (int i = 0; i <= changes; ++i) {
            change(i);
        }
    }
    void change(int value) { load({items(1, value)}); }
    std::string at(std::int64_t seq) const
    {
        return Position{one("SELECT value FROM _meta WHERE key = 'feed'"), seq}.to_text();
    }
    Result<void> acknowledge(const std::string& position, const std::string& consumer = "bi",
                             const std::string& user = "etl", bool is_admin = false)
    {
        return mirror->acknowledge({consumer, position, user, is_admin});
    }
    std::string kept() const { return one("SELECT min(seq), max(seq) FROM _changes"); }
};

TEST_CASE("a mirror knows how far each named consumer of its feed is, and since when changes wait for it")
{
    Feed feed;
    CHECK(must(feed.mirror->feed_consumers()).empty());
    must(feed.acknowledge(feed.at(1)));
    must(feed.acknowledge(feed.at(3), "archive", "erik"));
    const auto consumers = must(feed.mirror->feed_consumers());
    REQUIRE(consumers.size() == 2);
    CHECK(consumers[0].name == "archive");
    CHECK(consumers[0].waiting == 0);
    CHECK_FALSE(consumers[0].waiting_since);
    CHECK(consumers[1].name == "bi");
    CHECK(consumers[1].position == feed.at(1));
    CHECK(consumers[1].waiting == 2);
    CHECK_FALSE(consumers[1].must_read_tables);
    CHECK(consumers[1].waiting_since->to_text() == feed.one("SELECT seen_at FROM _changes WHERE seq = 2"));
    CHECK(consumers[1].acknowledged_by == "etl");
    CHECK(consumers[1].acknowledged_at == feed.clock.now());
    CHECK(feed.one("SELECT position, seq, owner FROM _feed_consumers WHERE consumer = 'bi'") == feed.at(1) + "|1|etl");
    must(feed.acknowledge(feed.at(3)));
    CHECK(must(feed.mirror->feed_consumers())[1].waiting == 0);
    feed.reopen();
    CHECK(must(feed.mirror->feed_consumers())[1].position == feed.at(3));
}

TEST_CASE("what a named consumer has not acknowledged is kept longer by age, twice as long and not for ever")
{
    Feed feed;
    must(feed.acknowledge(feed.at(1)));
    feed.clock.step_wall(25h);
    feed.change(10);
    CHECK(feed.kept() == "2|4");
    must(feed.acknowledge(feed.at(2)));
    feed.change(11);
    CHECK(feed.kept() == "3|5");
    SECTION("it does not come back")
    {
        feed.clock.step_wall(24h);
        feed.change(12);
        CHECK(feed.kept() == "4|6");
    }
    SECTION("the slowest consumer counts")
    {
        must(feed.acknowledge(feed.at(5), "archive"));
        feed.change(12);
        CHECK(feed.kept() == "3|6");
        must(feed.mirror->forget_feed_consumer({"bi", "", "etl"}));
        feed.change(13);
        CHECK(feed.kept() == "4|7");
    }
}

TEST_CASE("max_rows limits the feed whatever consumers have acknowledged")
{
    Feed feed(0, {.keep = 24h, .max_rows = 1000});
    feed.load({items(600, 0)});
    must(feed.acknowledge(feed.at(1)));
    feed.load({items(600, 7)});
    feed.load({items(600, 8)});
    CHECK(feed.one("SELECT count(*) FROM _changes") == "1000");
    CHECK(must(feed.mirror->feed_consumers()).front().must_read_tables);
    must(feed.acknowledge(feed.at(std::stoll(feed.one("SELECT max(seq) FROM _changes")))));
    CHECK_FALSE(must(feed.mirror->feed_consumers()).front().must_read_tables);
}

TEST_CASE("of a consumer is known which tables received rows that no change tells of")
{
    Feed feed;
    must(feed.acknowledge(feed.at(1)));
    must(feed.acknowledge(feed.at(3), "archive"));
    CHECK(must(feed.mirror->feed_consumers())[1].loaded.empty());
    feed.specs.push_back({.name = "units"});
    feed.reopen();
    feed.load({items(5, 0)}, "units");
    const auto consumers = must(feed.mirror->feed_consumers());
    CHECK(consumers[0].loaded == std::vector<std::string>{"units"});
    CHECK(consumers[1].loaded == std::vector<std::string>{"units"});
    CHECK_FALSE(consumers[0].must_read_tables);
    must(feed.acknowledge(feed.at(3) + ".1", "archive"));
    CHECK(must(feed.mirror->feed_consumers())[0].loaded.empty());
}

TEST_CASE("only a position of this feed can be acknowledged")
{
    Feed feed;
    for (const auto& [position, says] : {std::pair(std::string("0:1"), "a position in another feed"),
                                         std::pair(feed.at(4), "is after the newest change"),
                                         std::pair(std::string("nothing"), "is not a position")}) {
        const auto refused = feed.acknowledge(position);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind() == ErrorKind::usage);
        CHECK(refused.error().text().find(says) != std::string::npos);
    }
    CHECK(must(feed.mirror->feed_consumers()).empty());
}

TEST_CASE("the name of a consumer belongs to the user who used it first, and to admins")
{
    Feed feed;
    must(feed.acknowledge(feed.at(1), "bi", "etl"));
    const auto refused = feed.acknowledge(feed.at(3), "bi", "erik");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::permission);
    CHECK(refused.error().text().find("belongs to etl") != std::string::npos);
    CHECK(feed.one("SELECT seq FROM _feed_consumers") == "1");
    CHECK(feed.mirror->forget_feed_consumer({"bi", "", "erik"}).error().kind() == ErrorKind::permission);
    must(feed.acknowledge(feed.at(2), "bi", "root", true));
    CHECK(feed.one("SELECT seq, owner, acknowledged_by FROM _feed_consumers") == "2|etl|root");
    must(feed.acknowledge(feed.at(3), "bi", "etl"));
    must(feed.mirror->forget_feed_consumer({"bi", "", "etl"}));
    CHECK(feed.mirror->forget_feed_consumer({"bi", "", "etl"}).error().kind() == ErrorKind::not_found);
}

TEST_CASE("a mirror takes a hundred named consumers and says how to make room for more")
{
    Feed feed;
    for (int i = 0; i < 100; ++i) {
        must(feed.acknowledge(feed.at(1), fmt::format("consumer-{}", i)));
    }
    const auto refused = feed.acknowledge(feed.at(1), "one_more");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("--forget") != std::string::npos);
    must(feed.acknowledge(feed.at(2), "consumer-7"));
}

}  // namespace
}  // namespace shelfd::mirror
