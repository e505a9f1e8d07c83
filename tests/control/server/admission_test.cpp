#include "control/server/admission.hpp"

#include "support/catch.hpp"

#include <map>

namespace shelfd::control {
namespace {

constexpr uid_t own = 990;

Peer user(uid_t uid)
{
    return {uid, 1, {}};
}

// Those who ask one after the other, each as often as it is let in.
class Door {
public:
    std::size_t crowd_in(uid_t uid, Right right)
    {
        while (admit(user(uid), right, own, crowd(uid)).kind != Admission::Kind::none) {
            ++open_[uid];
            ++all_;
            lookers_ += right == Right::look ? 1 : 0;
        }
        return open_[uid];
    }
    Crowd crowd(uid_t uid) { return {all_, lookers_, open_[uid]}; }

private:
    std::map<uid_t, std::size_t> open_;
    std::size_t all_ = 0;
    std::size_t lookers_ = 0;
};

}  // namespace

TEST_CASE("whatever readers do, other readers get in, and so do admins, root and the daemon's own user")
{
    Door door;
    for (uid_t reader = 1000; reader < 1008; ++reader) {
        INFO(reader);
        CHECK(door.crowd_in(reader, Right::look) >= 4);
    }
    for (uid_t reader = 1008; reader < 1100; ++reader) {
        door.crowd_in(reader, Right::look);
    }
    CHECK(door.crowd(0).all == 192);
    CHECK(door.crowd_in(2000, Right::act) >= 16);
    CHECK(door.crowd_in(2001, Right::act) >= 8);
    for (uid_t admin = 2002; admin < 2100; ++admin) {
        door.crowd_in(admin, Right::act);
    }
    CHECK(door.crowd(0).all == 256);
    CHECK(door.crowd_in(own, Right::act) >= 32);
    CHECK(admit(user(0), Right::act, own, {300, 192, 0}).kind == Admission::Kind::whole);
}

TEST_CASE("one user gets no more than a share, and is told which")
{
    Door door;
    CHECK(door.crowd_in(1000, Right::look) == 64);
    const auto more = admit(user(1000), Right::look, own, door.crowd(1000));
    CHECK(more.why.find("64 connections of uid 1000 to the daemon are open, the limit for one user") == 0);
    const auto streams = admit(user(1001), Right::look, own, {40, 40, 32});
    CHECK(streams.kind == Admission::Kind::short_answers);
    CHECK(streams.why.find("the most that one user may use for sync") != std::string::npos);
    const auto full = admit(user(1002), Right::look, own, {192, 192, 0});
    CHECK(full.kind == Admission::Kind::none);
    CHECK(full.why.find("192 connections to the daemon are open") == 0);
}

}  // namespace shelfd::control
