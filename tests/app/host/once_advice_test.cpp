#include "app/host/once_advice.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("without a daemon, advice names no command that needs one")
{
    struct Row {
        const char* with;
        const char* without;
    };
    const auto row = GENERATE(values<Row>({
        {"the file is empty: correct it, then: shelfctl reload", "the file is empty: correct it, then: shelfd --once"},
        {"correct what it names; then, to try at once: shelfctl reload",
         "correct what it names; then, to try at once: shelfd --once"},
        {"ask the owner of antwerp for the scope, then: shelfctl sync antwerp recipes; next try at 12:00",
         "ask the owner of antwerp for the scope, then: shelfd --once; next try at 12:00"},
        {"; to try at once: shelfctl sync antwerp", "; to try at once: shelfd --once"},
        {"`shelfctl sync antwerp recipes --full` accepts it", "`shelfctl sync antwerp recipes --full` accepts it"},
        {"ask the owner for a new token set (shelfctl auth ask antwerp prints a letter), then: shelfctl auth import "
         "antwerp",
         "ask the owner for a new token set (shelfctl auth ask antwerp prints a letter), then, with the daemon "
         "running: shelfctl auth import antwerp"},
        {"nothing to type", "nothing to type"},
        {"", ""},
    }));
    CHECK(app::advice_without_daemon(row.with) == row.without);
}
