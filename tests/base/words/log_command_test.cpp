#include "base/words/log_command.hpp"

#include "support/catch.hpp"

using namespace shelfd;

TEST_CASE("the log of a daemon without root is in the journal of its user")
{
    CHECK(journal_command("/run/user/1000/shelfd/control.sock") == "journalctl --user -u shelfd");
    CHECK(journal_command("/run/shelfd/control.sock") == "journalctl -u shelfd");
    CHECK(journal_command("/run/shelfd-two/control.sock") == "journalctl -u shelfd@two");
    CHECK(unit_of("/run/shelfd-/control.sock") == "shelfd");
    CHECK(unit_of("/srv/run/shelfd-two/control.sock") == "shelfd");
    CHECK(is_of_user("/run/user/1000/shelfd"));
    CHECK_FALSE(is_of_user("/run/users/control.sock"));
}
