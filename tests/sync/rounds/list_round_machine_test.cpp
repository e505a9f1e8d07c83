#include "sync/rounds/list_round_machine.hpp"

#include "support/catch.hpp"

#include <string>

using namespace shelfd;
using sync::ListEnd;
using sync::ListRoundMachine;
using sync::RoundState;

namespace {

// w walked, r refused, f failed, n not asked; in capitals where the list behind it is sound.
RoundState after(const std::string& ends, bool good_elsewhere = false)
{
    ListRoundMachine machine({.good_elsewhere = good_elsewhere});
    auto state = machine.state();
    bool walked = good_elsewhere;
    for (const char end : ends) {
        REQUIRE(state != RoundState::stopped);
        walked = walked || end == 'w' || end == 'W';
        const bool sound = end < 'a';
        switch (sound ? end + 'a' - 'A' : end) {
        case 'w': state = machine.ended(ListEnd::walked, sound); break;
        case 'r': state = machine.ended(ListEnd::refused, sound); break;
        case 'f': state = machine.ended(ListEnd::failed, sound); break;
        default: state = machine.ended(ListEnd::not_asked, sound); break;
        }
        CHECK(machine.state() == state);
        CHECK(machine.any_good() == walked);
    }
    return state;
}

}  // namespace

TEST_CASE("a round over lists by parent goes on or stops, row by row")
{
    const std::string many(20, 'R');
    struct Row {
        const char* name;
        std::string ends;
        bool good_elsewhere;
        RoundState state;
    };
    const Row rows[] = {
        {"nothing yet", "", false, RoundState::trying},
        {"nothing yet, with a good list elsewhere", "", true, RoundState::proven},
        {"one that is walked", "W", false, RoundState::proven},
        {"one that is refused", "R", false, RoundState::trying},
        {"one that is refused among good ones", "WR", false, RoundState::proven},
        {"so many refusals that nothing fits", many, false, RoundState::stopped},
        {"one less", many.substr(1), false, RoundState::trying},
        {"as many where others are good", many, true, RoundState::proven},
        {"as many behind a good one", "W" + many, false, RoundState::proven},
        {"two that fail", "FF", false, RoundState::trying},
        {"three that fail, with a sound one ahead", "FFF", true, RoundState::stopped},
        {"three that fail, of which more is known to be wrong", "FFf", true, RoundState::proven},
        {"three that fail, not in a row", "FFWFF", false, RoundState::proven},
        {"three that fail behind good ones", "WWFFF", false, RoundState::stopped},
        {"a refusal is an answer of a service that works", "FFRFF", false, RoundState::trying},
        {"nothing can be asked", "WN", true, RoundState::stopped},
        {"nothing can be asked at all", "n", false, RoundState::stopped},
    };
    for (const auto& row : rows) {
        DYNAMIC_SECTION(row.name)
        {
            CHECK(after(row.ends, row.good_elsewhere) == row.state);
        }
    }
}
