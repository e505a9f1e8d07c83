#include "budget/tally.hpp"
#include "support/catch.hpp"

#include <set>
#include <string>

using namespace shelfd;
using budget::Reason;

TEST_CASE("a request that the network layer sent three times is one of ours and two silent ones")
{
    budget::Tally tally;
    tally.count(Reason::page, 3);
    tally.count(Reason::closing);
    CHECK(tally.of(Reason::page) == 1);
    CHECK(tally.of(Reason::resent) == 2);
    CHECK(tally.total() == 4);
    CHECK(tally.to_json() == R"({"page":1,"closing":1,"resent":2})");
}

TEST_CASE("a request that was never sent is counted nowhere")
{
    budget::Tally tally;
    tally.count(Reason::page, 0);
    CHECK(tally.total() == 0);
    CHECK(tally.to_json().empty());
}

TEST_CASE("every reason has a word of its own")
{
    std::set<std::string> words;
    for (std::size_t i = 0; i < budget::reasons; ++i) {
        words.insert(to_string(static_cast<Reason>(i)));
    }
    CHECK(words.size() == budget::reasons);
}
