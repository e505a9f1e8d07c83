// What the journals say about the store that they lie in.
#include "oauth/stored/store_finding.hpp"
#include "support/catch.hpp"

namespace shelfd::oauth {
namespace {

struct Case {
    const char* name;
    void (*change)(Recovered&);
    StoreState state;
    const char* why;  // a part of it
};

TEST_CASE("a store is ours, barred, damaged or a copy, by what its journals say")
{
    const auto row = GENERATE(values<Case>({
        {"ours", [](Recovered&) {}, StoreState::open, ""},
        {"of no known machine", [](Recovered& known) { known.machine = Id{}; }, StoreState::open, ""},
        {"empty", [](Recovered& known) { known.set.reset(); }, StoreState::open, ""},
        {"of a later version", [](Recovered& known) { known.barred = "a later version"; }, StoreState::barred,
         "a later version"},
        {"unreadable",
         [](Recovered& known) {
             known.set.reset();
             known.unreadable = 3;
         },
         StoreState::damaged, "3 damaged slots"},
        {"damaged in part", [](Recovered& known) { known.unreadable = 3; }, StoreState::open, ""},
        {"of another machine", [](Recovered& known) { known.machine = machine_mark("other"); }, StoreState::copied,
         "on another machine"},
        {"of two stores", [](Recovered& known) { known.two_installations = true; }, StoreState::copied,
         "two different stores"},
        {"in other files", [](Recovered& known) { known.elsewhere = "journal.a"; }, StoreState::copied, "(journal.a)"},
    }));
    CAPTURE(row.name);
    Recovered known;
    known.set.emplace();
    known.machine = machine_mark("this");
    row.change(known);
    const auto found = assess_store(known, machine_mark("this"));
    REQUIRE(found.state == row.state);
    REQUIRE(found.why.find(row.why) != std::string::npos);
    REQUIRE(found.why.empty() == std::string(row.why).empty());
}

TEST_CASE("a machine id is stored as a hash, an unknown one as zeros")
{
    REQUIRE(machine_mark("") == Id{});
    REQUIRE(machine_mark("this") != Id{});
    REQUIRE(machine_mark("this") != machine_mark("other"));
}

}  // namespace
}  // namespace shelfd::oauth
