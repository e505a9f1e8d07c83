#include "control/api/requests.hpp"

#include "support/catch.hpp"

#include <functional>
#include <vector>

namespace shelfd::control {
namespace {

Call call_of(std::string body, std::string query = "")
{
    Call call;
    call.body = Secret(std::move(body));
    call.query = std::move(query);
    return call;
}

template <typename Request>
std::function<std::string(Call&)> complaint(Result<Request> (*read)(Call&))
{
    return [read](Call& call) {
        const auto request = read(call);
        return request ? std::string() : request.error().text();
    };
}

TEST_CASE("a request without what it needs, or with what nobody knows, is refused by the name of the member")
{
    struct Row {
        std::function<std::string(Call&)> read;
        std::string body;
        std::string query;
        std::string says;
    };
    const std::vector<Row> rows = {
        {complaint(read_library), "{}", "", "\"library\" is missing"},
        {complaint(read_library), R"({"library":"antwerp","ful":true})", "", "unknown member \"ful\""},
        {complaint(read_sync), R"({"library":"antwerp","from":"2026-01-01"})", "",
         "\"from\" and \"to\" must be given together"},
        {complaint(read_sync), R"({"library":"antwerp","from":"a","to":"b"})", "", "name the resource"},
        {complaint(read_retype), R"({"library":"antwerp","resource":"recipes"})", "", "\"column\" is missing"},
        {complaint(read_decide), R"({"library":"a","resource":"r","fate":"burn"})", "", "must be accept or keep"},
        {complaint(read_verify), R"({"library":"a","resource":"r"})", "", "give either"},
        {complaint(read_verify), R"({"library":"a","resource":"r","keys":["1"],"sample":2})", "", "give either"},
        {complaint(read_import), "", "library=antwerp", "no token set was given"},
        {complaint(read_import), "set", "library=antwerp&seal=no", "unknown member \"seal\""},
        {complaint(read_code), "code=1", "", "\"library\" is missing"},
        {complaint(read_code), "code=1\ncode_verifier=2", "library=antwerp", "is missing"},
        {complaint(read_code), "token=1", "library=antwerp", "only"},
        {complaint(read_move_in), "set", "library=", "\"library\" is missing"},
        {complaint(read_get), R"({"library":"antwerp"})", "", "\"path\" is missing"},
        {complaint(read_wait), R"({"timeout_seconds":-1})", "", "\"timeout_seconds\" must be between"},
        {complaint(read_wait), R"({"as_of":"yesterday"})", "", "\"as_of\" must be an instant"},
        {complaint(read_wait), R"({"as_of":"2026-01-31T13:00:00Z","fresh_seconds":5})", "", "without"},
        {complaint(read_sync), "{}", "", "\"library\" is missing"},
        {complaint(read_sync), R"({"all":true,"library":"antwerp"})", "", "\"all\" goes with neither"},
        {complaint(read_sync), R"({"all":true,"resource":"recipes"})", "", "\"all\" goes with neither"},
    };
    for (const auto& row : rows) {
        INFO(row.body << " " << row.query);
        auto call = call_of(row.body, row.query);
        const auto text = row.read(call);
        CAPTURE(text);
        CHECK(text.find(row.says) != std::string::npos);
    }
}

TEST_CASE("a sync of all libraries, and how long a caller waits")
{
    auto call = call_of(R"({"all":true,"timeout_seconds":90})");
    const auto request = read_sync(call);
    REQUIRE(request);
    CHECK(request->library.empty());
    CHECK(request->timeout == std::chrono::seconds(90));
    auto wait = call_of(R"({"as_of":"2026-01-31T14:00:00+01:00"})");
    const auto waited = read_wait(wait);
    REQUIRE(waited);
    CHECK(waited->as_of == Instant::from_rfc3339("2026-01-31T13:00:00Z"));
}

TEST_CASE("a pasted set is moved out of the request, not copied")
{
    auto call = call_of("the set", "library=antwerp&sealing=access_only&force=true");
    const auto request = read_import(call);
    REQUIRE(request);
    CHECK(request->library == "antwerp");
    CHECK(request->sealing == Sealing::access_only);
    CHECK(request->force);
    CHECK(request->pasted.reveal() == "the set");
    CHECK(call.body.empty());
    auto move = call_of("the set", "library=antwerp");
    REQUIRE(read_move_in(move));
    CHECK(move.body.empty());
}

TEST_CASE("what is left out of a sync or a wait has its usual value")
{
    auto call = call_of(R"({"library":"antwerp"})");
    const auto sync = read_sync(call);
    REQUIRE(sync);
    CHECK(sync->extent == Extent::ordinary);
    CHECK(sync->waiting == Waiting::until_done);
    CHECK_FALSE(sync->if_older);
    CHECK_FALSE(sync->dry_run);
    auto nothing = call_of("");
    const auto wait = read_wait(nothing);
    REQUIRE(wait);
    CHECK(wait->library.empty());
    CHECK(wait->timeout == std::chrono::minutes(10));
}

}  // namespace
}  // namespace shelfd::control
