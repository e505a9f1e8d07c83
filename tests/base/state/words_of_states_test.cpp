#include "base/state/phase.hpp"
#include "base/state/token_state.hpp"
#include "base/state/trouble.hpp"

#include "support/catch.hpp"

#include <set>
#include <string>

using namespace shelfd;

namespace {

// Each value has a word of its own that reads back; `last` is the last value.
template <typename Value, typename Parse>
void check_words(Value last, Parse parse)
{
    std::set<std::string> seen;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        const auto value = static_cast<Value>(i);
        INFO(to_string(value));
        CHECK(parse(to_string(value)) == value);
        CHECK(seen.insert(to_string(value)).second);
    }
    CHECK_FALSE(parse("weather"));
    CHECK_FALSE(parse(""));
}

}  // namespace

TEST_CASE("troubles, states of token sets and phases read back from their words")
{
    check_words(Trouble::storage, parse_trouble);
    check_words(TroubleSource::expired_certificate, parse_trouble_source);
    check_words(TokenState::good, parse_token_state);
    check_words(Phase::queued, parse_phase);
    CHECK(std::string(to_string(TokenState::wrong_library)) == "wrong_library");
    CHECK(needs_person(TokenState::foreign));
    CHECK_FALSE(needs_person(TokenState::waiting));
}
