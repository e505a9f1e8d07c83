#include "control/hooks/joined_ends.hpp"

#include "control/hooks/notification.hpp"
#include "control/sample_status.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>

namespace shelfd::control {
namespace {

using namespace std::chrono_literals;

std::string end_of(const std::string& id, std::vector<std::string> libraries, Severity severity = Severity::ticket)
{
    Announcement one;
    one.hook = "chat";
    one.event = CallEvent::recovered;
    one.incident.id = id;
    one.incident.opened = sample_now - 1h;
    one.incident.clear_since = sample_now;
    one.incident.cause.kind = CauseKind::permission;
    one.incident.cause.severity = severity;
    for (auto& name : libraries) {
        one.incident.cause.affected.push_back({std::move(name), {}, "", "", {}, {}});
    }
    return notification_body(one, {"mirror1", sample_now});
}

TEST_CASE("a call for one end names it in the list, too")
{
    const auto body = boost::json::parse(end_of("20240106-1", {"antwerp"}));
    const auto& over = body.at("over").as_array();
    REQUIRE(over.size() == 1);
    CHECK(over[0].at("incident") == body.at("incident"));
    CHECK(over[0].at("libraries").as_array().size() == 1);
    CHECK(over[0].at("recovered_at") == body.at("recovered_at"));
    CHECK(body.at("text").as_string().starts_with("[ok] antwerp: "));
}

TEST_CASE("ends are one call with every incident, the libraries of all, and the worst severity")
{
    const auto text = join_ends({end_of("20240106-1", {"antwerp", "ghent"}),
                                 end_of("20240106-2", {"ghent", "ypres"}, Severity::page), end_of("20240106-3", {""})});
    const auto body = boost::json::parse(text);
    CHECK(body.at("event") == "recovered");
    CHECK(body.at("incident") == "20240106-1");
    CHECK(body.at("severity") == "page");
    CHECK(boost::json::value_to<std::vector<std::string>>(body.at("libraries")) ==
          std::vector<std::string>{"antwerp", "ghent", "ypres"});
    CHECK(body.at("library_count") == 3);
    std::vector<std::string> ids;
    for (const auto& end : body.at("over").as_array()) {
        ids.emplace_back(end.at("incident").as_string());
    }
    CHECK(ids == std::vector<std::string>{"20240106-1", "20240106-2", "20240106-3"});
    const std::string line(body.at("text").as_string());
    CHECK(line.starts_with("[ok] 3 incidents are over: antwerp, ghent: "));
    CHECK(line.ends_with("(incidents 20240106-1, 20240106-2, 20240106-3 on mirror1)"));
    const auto variables = notification_environment(text);
    REQUIRE(variables);
    CHECK(std::find(variables->begin(), variables->end(), "SHELFD_OVER=20240106-1 20240106-2 20240106-3") !=
          variables->end());
}

TEST_CASE("ends that cannot name all libraries say how many they leave out, at least")
{
    std::vector<std::string> first;
    std::vector<std::string> second;
    for (int i = 0; i < 250; ++i) {
        first.push_back("lib" + std::to_string(i));
        second.push_back("lib" + std::to_string(i + 150));
    }
    const auto text = join_ends({end_of("20240106-1", first), end_of("20240106-2", second)});
    const auto body = boost::json::parse(text);
    // 200 of each are named, 50 of them in both.
    CHECK(body.at("libraries").as_array().size() == max_listed);
    CHECK(body.at("library_count") == 350 + 50);
    CHECK(body.at("left_out") == 150 + 50);
    CHECK(body.at("over").as_array()[0].at("left_out") == 50);
    CHECK(body.at("text").as_string().find("lib0, lib1, lib2 and 247 more: ") != std::string_view::npos);
}

TEST_CASE("the line of many ends counts the rest, and a body that is none is left out")
{
    std::vector<std::string> bodies;
    for (int i = 1; i <= 40; ++i) {
        bodies.push_back(end_of("20240106-" + std::to_string(i), {"lib" + std::to_string(i)}));
    }
    bodies.insert(bodies.begin() + 3, "no JSON");
    const auto body = boost::json::parse(join_ends(bodies));
    CHECK(body.at("over").as_array().size() == 40);
    const std::string line(body.at("text").as_string());
    CHECK(line.find("; and 35 more (incidents ") != std::string::npos);
    CHECK(line.size() < 600);
    CHECK(join_ends({"no JSON"}) == "no JSON");
}

}  // namespace
}  // namespace shelfd::control
