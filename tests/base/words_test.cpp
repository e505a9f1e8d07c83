#include "base/backoff.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include "support/catch.hpp"

#include <memory>
#include <new>
#include <string>
#include <type_traits>

namespace shelfd {
namespace {

using namespace std::chrono_literals;

// Something that can hold a Secret and shows the bytes it leaves behind.
std::string bytes_left_by(std::string_view text)
{
    alignas(Secret) char storage[sizeof(Secret)] = {};
    auto* secret = new (storage) Secret{std::string(text)};
    secret->~Secret();
    return {storage, sizeof storage};
}

}  // namespace

TEST_CASE("a backoff doubles up to its cap, and its jitter stays within half of each wait")
{
    for (const double random : {0.0, 0.5, 0.999}) {
        Backoff backoff(1s, 60s);
        for (const Duration whole : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
            const auto wait = backoff.next(random);
            CHECK(wait >= whole / 2);
            CHECK(wait <= whole);
        }
        CHECK(backoff.failures() == 8);
        backoff.reset();
        CHECK(backoff.failures() == 0);
        CHECK(backoff.next(random) <= Duration(1s));
    }
    Backoff same(1s, 1h);
    Backoff again(1s, 1h);
    for (int i = 0; i < 100; ++i) {
        CHECK(same.next(0.25) == again.next(0.25));
    }
}

TEST_CASE("a pause doubles as often as asked and stays at its cap, however often that is")
{
    CHECK(doubled(10s, 0, 15min) == 10s);
    CHECK(doubled(10s, 3, 15min) == 80s);
    CHECK(doubled(10s, 7, 15min) == 15min);
    CHECK(doubled(10s, UINT32_MAX, 15min) == 15min);
    CHECK(doubled(1h, 0, 1min) == 1min);
}

TEST_CASE("a secret moves, never copies, and cannot be printed")
{
    static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);
    static_assert(!std::is_convertible_v<Secret, std::string> && !std::is_convertible_v<std::string, Secret>);
    for (const auto& text : {std::string("short"), std::string(200, 's')}) {
        Secret first{text};
        Secret second = std::move(first);
        CHECK(first.empty());
        CHECK(second.reveal() == text);
        Secret third{"other"};
        third = std::move(second);
        CHECK(second.empty());
        CHECK(third.reveal() == text);
        auto copy = third.clone();
        CHECK(copy.equals(third));
        auto& same = copy;
        copy = std::move(same);
        CHECK(copy.reveal() == text);
    }
}

TEST_CASE("secrets are equal when every byte is")
{
    CHECK(Secret("abc").equals(Secret("abc")));
    CHECK(!Secret("abc").equals(Secret("abd")));
    CHECK(!Secret("abc").equals(Secret("abcd")));
    CHECK(!Secret("abc").equals(Secret()));
    CHECK(Secret().equals(Secret("")));
}

TEST_CASE("a secret that goes leaves nothing behind, short ones inside the object included")
{
    CHECK(bytes_left_by("hush-hush").find("hush") == std::string::npos);
    std::string wiped = "a secret of some length, beyond the small buffer";
    const auto capacity = wiped.capacity();
    Secret::wipe(wiped);
    CHECK(wiped.empty());
    const std::string_view whole(wiped.data(), capacity);
    CHECK(whole.find_first_not_of('\0') == std::string_view::npos);
}

TEST_CASE("a result is its value or its error, and keeps the facts of an error on the way up")
{
    const Result<int> good = 7;
    CHECK(good.has_value());
    CHECK(*good == 7);
    Result<std::unique_ptr<int>> moved = std::make_unique<int>(3);
    CHECK(*std::move(moved).value() == 3);

    auto fail = []() -> Result<int> {
        return Error(ErrorKind::network, "connection refused").with(Delivery::not_sent).with_errno(111).with_status(5);
    };
    const auto failed = fail();
    CHECK(!failed);
    CHECK(failed.value_or(9) == 9);
    const auto above = Error(failed.error()).in("cannot refresh");
    CHECK(above.text() == "cannot refresh: connection refused");
    CHECK(above.kind() == ErrorKind::network);
    CHECK(above.delivery == Delivery::not_sent);
    CHECK(above.system_errno == 111);
    CHECK(above.status == 5);

    const Result<void> done;
    CHECK(done.has_value());
    const Result<void> not_done = Error(ErrorKind::busy, "somebody else");
    CHECK(not_done.error().kind() == ErrorKind::busy);
}

}  // namespace shelfd
