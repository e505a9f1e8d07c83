#include "sync/library/walk_memory.hpp"

#include "support/catch.hpp"

#include <memory>

using shelfd::sync::ByteRoom;

TEST_CASE("what walks keep in memory shares a number of bytes, and gives them back")
{
    ByteRoom room(100);
    auto first = room.take(60);
    REQUIRE(first);
    CHECK_FALSE(room.take(41));
    auto second = room.take(40);
    REQUIRE(second);
    CHECK(room.taken() == 100);
    first.reset();
    CHECK(room.taken() == 40);
    CHECK(room.take(60));
    CHECK(room.taken() == 40);
}

TEST_CASE("an answer that is larger than was thought leaves less room, a smaller one more")
{
    ByteRoom room(100);
    auto share = room.take(10);
    REQUIRE(share);
    share->resize(250);
    CHECK(room.taken() == 250);
    CHECK_FALSE(room.take(1));
    share->resize(20);
    CHECK(room.taken() == 20);
    auto moved = std::move(*share);
    share.reset();
    CHECK(room.taken() == 20);
    moved.resize(0);
    CHECK(room.taken() == 0);
}

TEST_CASE("a share may outlive the room")
{
    auto room = std::make_unique<ByteRoom>(100);
    auto share = room->take(10);
    room.reset();
    share->resize(5);
    share.reset();
}
