#include "sync/pass/walk_token.hpp"

#include "support/catch.hpp"

using namespace shelfd::sync;

TEST_CASE("a set that came while the list was walked is not the one that page 1 was asked with")
{
    WalkToken token;
    token.answer_arrived(3);
    token.first_page_arrived();
    CHECK_FALSE(token.was_replaced(3));
    token.answer_arrived(4);
    CHECK(token.generation() == 4);
    CHECK(token.was_replaced(4));
    token.first_page_arrived();
    CHECK_FALSE(token.was_replaced(4));
}

TEST_CASE("a refusal of a set that was renewed meanwhile says nothing new")
{
    WalkToken token;
    token.answer_arrived(3);
    CHECK_FALSE(token.is_outdated(401, 3));
    token.refused("Bearer error=\"invalid_token\"", std::chrono::seconds(30));
    CHECK(token.challenge() == "Bearer error=\"invalid_token\"");
    CHECK(token.wait() == std::chrono::seconds(30));
    token.refused("Bearer", std::nullopt);
    CHECK_FALSE(token.wait());
    token.renewed(4);
    CHECK(token.is_outdated(401, 3));
    CHECK_FALSE(token.is_outdated(401, 4));
    CHECK_FALSE(token.is_outdated(200, 3));
}
