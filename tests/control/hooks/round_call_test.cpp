#include "control/hooks/round_call.hpp"

#include "control/hooks/call_queue.hpp"
#include "control/hooks/hook_rule.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

LibraryRounds rounds_of(std::vector<TableRounds> tables, std::string before = "f:1", std::string after = "f:2")
{
    return {"antwerp",         "https://api.example.com", "/m/antwerp.db",
            std::move(before), std::move(after),          std::move(tables)};
}

TableRounds table_of(std::string name, std::uint64_t added)
{
    return {std::move(name), "run-" + std::to_string(added), 1, 100, added, 2, 1, sample_now};
}

std::string body_of(const LibraryRounds& rounds)
{
    return rounds_body("feed", rounds, {"mirror1", sample_now});
}

TEST_CASE("the body for rounds names library, tables, counts and positions")
{
    const auto body = boost::json::parse(body_of(rounds_of({table_of("recipes", 3)})));
    CHECK(body.at("event") == "published");
    CHECK(body.at("library") == "antwerp");
    CHECK(body.at("mirror") == "/m/antwerp.db");
    CHECK(body.at("position_before") == "f:1");
    CHECK(body.at("position") == "f:2");
    CHECK(body.at("text") == "antwerp: recipes 3 added, 2 changed, 1 deleted");
    const auto& table = body.at("tables").at(0);
    CHECK(table.at("table") == "recipes");
    CHECK(table.at("run") == "run-3");
    CHECK(table.at("rounds") == 1);
    CHECK(table.at("rows") == 100);
    CHECK(table.at("as_of") == "2024-01-06T06:00:00.000000Z");
    CHECK(boost::json::parse(body_of(rounds_of({}, ""))).at("position_before").is_null());
}

TEST_CASE("a program finds the names of tables and the positions in its environment")
{
    const auto variables = notification_environment(body_of(rounds_of({table_of("recipes", 3), table_of("stock", 1)})));
    REQUIRE(variables);
    for (const auto* variable : {"SHELFD_EVENT=published", "SHELFD_LIBRARY=antwerp", "SHELFD_TABLES=recipes stock",
                                 "SHELFD_POSITION_BEFORE=f:1", "SHELFD_POSITION=f:2"}) {
        INFO(variable);
        CHECK(std::find(variables->begin(), variables->end(), variable) != variables->end());
    }
}

TEST_CASE("rounds that wait take up later ones: sums of counts, positions from the first to the last")
{
    CallQueue queue;
    const auto add = [&queue](const LibraryRounds& rounds) {
        PendingCall call;
        call.hook = "feed";
        call.incident = rounds_name(rounds.library);
        call.event = CallEvent::published;
        call.body = body_of(rounds);
        call.made = sample_now;
        queue.add(std::move(call));
    };
    add(rounds_of({table_of("recipes", 3)}));
    add(rounds_of({table_of("recipes", 4), table_of("stock", 1)}, "f:2", "f:5"));
    REQUIRE(queue.calls().size() == 1);
    const auto body = boost::json::parse(queue.calls().front().body);
    CHECK(body.at("position_before") == "f:1");
    CHECK(body.at("position") == "f:5");
    REQUIRE(body.at("tables").as_array().size() == 2);
    CHECK(body.at("tables").at(0).at("added") == 7);
    CHECK(body.at("tables").at(0).at("rounds") == 2);
    CHECK(body.at("text") == "antwerp: recipes 7 added, 4 changed, 2 deleted; stock 1 added, 2 changed, 1 deleted");
    // What may have arrived is not changed any more.
    queue.begin(queue.calls().front().number, sample_now);
    add(rounds_of({table_of("recipes", 1)}, "f:5", "f:6"));
    CHECK(queue.calls().size() == 2);
    CHECK(queue.waiting_rounds("feed").size() == 2);
    CHECK(library_of_rounds(queue.calls().front().incident) == "antwerp");
}

TEST_CASE("calls for rounds do not use up the calls that trouble may need")
{
    CallQueue queue;
    for (int i = 0; i < 40; ++i) {
        PendingCall call;
        call.hook = "feed";
        call.incident = rounds_name(std::to_string(i));
        call.event = CallEvent::published;
        call.made = sample_now;
        queue.add(std::move(call));
        const auto* next = queue.next("feed", sample_now);
        REQUIRE(next != nullptr);
        const auto number = next->number;
        queue.begin(number, sample_now);
        queue.accepted(number);
    }
    PendingCall trouble;
    trouble.hook = "feed";
    trouble.incident = "20240106-1";
    trouble.made = sample_now;
    queue.add(std::move(trouble));
    CHECK(queue.next("feed", sample_now) != nullptr);
}

TEST_CASE("a body that cannot be read is replaced by the later one")
{
    const auto later = body_of(rounds_of({table_of("recipes", 3)}));
    CHECK(join_rounds("{", later) == later);
    CHECK(join_rounds("{\"tables\":[1]}", later) == later);
}

TEST_CASE("a hook is called for the tables and libraries that it names")
{
    const auto rounds = rounds_of({table_of("recipes", 3), table_of("stock", 1)});
    const auto seen = [&rounds](std::vector<std::string> words, std::vector<std::string> libraries = {}) {
        HookRule rule;
        rule.on_publish = std::move(words);
        rule.libraries = std::move(libraries);
        std::string names;
        if (const auto view = view_of(rounds, rule)) {
            for (const auto& table : view->tables) {
                names += table.table + " ";
            }
        }
        return names;
    };
    CHECK(seen({}).empty());
    CHECK(seen({"*"}) == "recipes stock ");
    CHECK(seen({"stock"}) == "stock ");
    CHECK(seen({"-stock"}) == "recipes ");
    CHECK(seen({"*", "-recipes"}) == "stock ");
    CHECK(seen({"loans"}).empty());
    CHECK(seen({"*"}, {"ghent"}).empty());
    CHECK(seen({"*"}, {"antwerp"}) == "recipes stock ");
}

}  // namespace
}  // namespace shelfd::control
