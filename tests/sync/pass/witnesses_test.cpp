#include "sync/pass/pass_machine.hpp"
#include "sync/service/page_answer.hpp"

#include "support/catch.hpp"
#include "sync/pages.hpp"

using namespace shelfd::sync;

namespace {

enum class Identity { configured, absent };
enum class Kind { full, other };

PassMachine begun(Kind kind = Kind::full, Identity identity = Identity::absent)
{
    PassMachine::Settings settings;
    settings.has_identity = identity == Identity::configured;
    settings.first_query = "page_size=2";
    settings.seeks_missing = kind == Kind::full;
    PassMachine machine(settings);
    machine.resume(PassEvent::begin, 0);
    if (identity == Identity::configured) {
        machine.resume(PassEvent::identity_ours, 0);
    }
    return machine;
}

// The walk is over and proven: one page with all there is.
PassMachine seeking(Identity identity = Identity::absent)
{
    auto machine = begun(Kind::full, identity);
    REQUIRE(machine.page_arrived(page(2, 2, std::nullopt)) == PassAction::find_missing);
    REQUIRE(machine.state() == PassState::seeking);
    return machine;
}

PassMachine witnessing(std::size_t rows, Identity identity = Identity::absent)
{
    auto machine = seeking(identity);
    REQUIRE(machine.missing_found({true, rows}) == PassAction::ask_witness);
    return machine;
}

}  // namespace

TEST_CASE("rows that a proven full pass lacked are asked for before it is published")
{
    SECTION("none are missing")
    {
        auto machine = seeking();
        CHECK(machine.missing_found({}) == PassAction::publish);
        CHECK(machine.state() == PassState::publishing);
    }
    SECTION("the canary comes after them, for their answers count, too")
    {
        auto machine = seeking(Identity::configured);
        CHECK(machine.missing_found({true, 1}) == PassAction::ask_witness);
        CHECK(machine.resume(PassEvent::row_gone, 0) == PassAction::ask_identity);
        CHECK(machine.state() == PassState::confirming);
        CHECK(machine.resume(PassEvent::identity_ours, 0) == PassAction::publish);
    }
    SECTION("each in its turn")
    {
        auto machine = witnessing(3);
        CHECK(machine.witness_number() == 0);
        CHECK(machine.resume(PassEvent::row_gone, 0) == PassAction::ask_witness);
        CHECK(machine.witness_number() == 1);
        CHECK(machine.resume(PassEvent::row_unclear, 0) == PassAction::ask_witness);
        CHECK(machine.witness_number() == 2);
        CHECK(machine.resume(PassEvent::row_gone, 0) == PassAction::publish);
    }
    SECTION("one that is there is enough: all are held, nobody else is asked")
    {
        auto machine = witnessing(50);
        CHECK(machine.resume(PassEvent::row_there, 0) == PassAction::publish);
    }
}

TEST_CASE("a walk that proves nothing asks for no missing row, nor does one over what changed")
{
    SECTION("incremental")
    {
        auto machine = begun(Kind::other);
        CHECK(machine.page_arrived(page(2, 2, std::nullopt)) == PassAction::publish);
    }
    SECTION("unproven: fewer keys than the service counts")
    {
        auto machine = begun();
        CHECK(machine.page_arrived(page(3, 2, "page=2")) == PassAction::fetch_page);
        CHECK(machine.resume(PassEvent::page_past_end, 0) == PassAction::publish);
        CHECK_FALSE(machine.proof().complete());
    }
}

TEST_CASE("what goes wrong while a missing row is asked for is dealt with as for a page")
{
    auto machine = witnessing(2);
    SECTION("a 401 renews the token once, and the row is asked for again")
    {
        CHECK(machine.resume(PassEvent::unauthorized, 0) == PassAction::renew_token);
        CHECK(machine.state() == PassState::renewing);
        CHECK(machine.resume(PassEvent::token_renewed, 0) == PassAction::ask_witness);
        CHECK(machine.witness_number() == 0);
        SECTION("a second one for the same row ends the pass")
        {
            CHECK(machine.resume(PassEvent::unauthorized, 0) == PassAction::give_up);
        }
        SECTION("for the next row it is a new 401")
        {
            CHECK(machine.resume(PassEvent::row_gone, 0) == PassAction::ask_witness);
            CHECK(machine.resume(PassEvent::unauthorized, 0) == PassAction::renew_token);
        }
    }
    SECTION("a keeper that cannot be reached is asked again after a wait")
    {
        machine.resume(PassEvent::unauthorized, 0);
        CHECK(machine.resume(PassEvent::passing_trouble, 0) == PassAction::wait);
        CHECK(machine.resume(PassEvent::waited, 0) == PassAction::renew_token);
        CHECK(machine.resume(PassEvent::token_renewed, 0) == PassAction::ask_witness);
    }
    SECTION("a 429 asks for the same row again, and not for ever")
    {
        CHECK(machine.resume(PassEvent::throttled, 0) == PassAction::ask_witness);
        CHECK(machine.witness_number() == 0);
        auto action = PassAction::ask_witness;
        for (int i = 0; i < 19; ++i) {
            action = machine.resume(PassEvent::throttled, 0);
        }
        CHECK(action == PassAction::give_up);
    }
    SECTION("passing trouble waits and asks for the same row again")
    {
        CHECK(machine.resume(PassEvent::passing_trouble, 0) == PassAction::wait);
        CHECK(machine.resume(PassEvent::waited, 0) == PassAction::ask_witness);
        CHECK(machine.state() == PassState::witnessing);
    }
    SECTION("anything final ends the pass")
    {
        CHECK(machine.resume(PassEvent::failed, 0) == PassAction::give_up);
        CHECK(seeking().resume(PassEvent::failed, 0) == PassAction::give_up);
    }
}

TEST_CASE("only the service's own words about a row are a witness")
{
    struct Row {
        const char* name;
        int status;
        const char* body;
        RowAnswer answer;
    };
    const Row rows[] = {
        {"the item", 200, R"({"id":1})", RowAnswer::there},
        {"an item behind white space", 200, "\n {\"id\":1}", RowAnswer::there},
        {"the row, in part of a range", 206, R"({"id":1})", RowAnswer::there},
        {"the row, changed by a proxy", 203, R"({"id":1})", RowAnswer::there},
        {"a login page", 200, "<html>", RowAnswer::unclear},
        {"nothing at all", 200, "", RowAnswer::unclear},
        {"no such row", 404, R"({"detail":"Not found."})", RowAnswer::gone},
        {"no such path", 404, "<h1>Not Found</h1>", RowAnswer::unclear},
        {"gone for good", 410, R"({"detail":"This recipe was removed."})", RowAnswer::gone},
        {"gone for good, says a proxy", 410, "<h1>Gone</h1>", RowAnswer::unclear},
        {"no permission", 403, R"({"detail":"no"})", RowAnswer::unclear},
        {"a redirect", 301, "", RowAnswer::unclear},
        {"a failure", 500, R"({"detail":"oops"})", RowAnswer::unclear},
        {"a token that is refused", 401, R"({"detail":"no"})", RowAnswer::unauthorized},
        {"too many requests", 429, R"({"detail":"slowly"})", RowAnswer::throttled},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        shelfd::http::Response response;
        response.status = row.status;
        response.body = row.body;
        CHECK(classify_row(response) == row.answer);
    }
    CHECK(classify_row(shelfd::Error(shelfd::ErrorKind::timeout, "no answer")) == RowAnswer::unclear);
}
