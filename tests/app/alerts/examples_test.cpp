// The programs in contrib/hooks, with what a hook gives them.
#include "control/hooks/joined_ends.hpp"
#include "control/hooks/notification.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <fstream>

namespace shelfd::app {
namespace {

constexpr auto now = Instant::from_seconds(1'704'520'800);

std::string body_of(control::CallEvent event, const std::string& incident = "20240106-3")
{
    auto one = control::test_announcement("x", now);
    one.event = event;
    one.incident.id = incident;
    one.incident.cause.kind = control::CauseKind::token_lost;
    one.incident.cause.severity = control::Severity::page;
    one.incident.cause.affected.front().library = "antwerp";
    one.incident.cause.affected.front().do_this = "shelfctl auth import antwerp";
    return notification_body(one, {"mirror1", now});
}

// What the example would send for that body.
std::string printed_for(const std::string& body, const std::string& name, const std::vector<std::string>& arguments)
{
    std::map<std::string, std::string> environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/"}, {"LANG", "C"}};
    const auto variables = control::notification_environment(body);
    REQUIRE(variables);
    for (const auto& variable : *variables) {
        const auto equals = variable.find('=');
        environment[variable.substr(0, equals)] = variable.substr(equals + 1);
    }
    std::vector<std::string> argv = {std::string(SHELFD_SOURCE_DIR) + "/contrib/hooks/" + name, "--print"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const auto ran = run_program(argv, environment, body);
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    return ran.out;
}

std::string printed(const std::string& name, const std::vector<std::string>& arguments,
                    control::CallEvent event = control::CallEvent::opened)
{
    return printed_for(body_of(event), name, arguments);
}

TEST_CASE("the example for e-mail names the trouble in its subject")
{
    const auto mail = printed("mail", {"desk@example.com"});
    CHECK(mail.find("To: desk@example.com\n") != std::string::npos);
    CHECK(mail.find("Subject: [shelfd page] there is no usable token set (20240106-3)") != std::string::npos);
    CHECK(mail.find("Do this: shelfctl auth import antwerp") != std::string::npos);
    CHECK(printed("mail", {"desk@example.com"}, control::CallEvent::recovered).find("Subject: [shelfd over] ") !=
          std::string::npos);
}

TEST_CASE("the example for chats sends the line and nothing else")
{
    const auto body = boost::json::parse(printed("chat", {}));
    CHECK(body.as_object().size() == 1);
    CHECK(body.at("text").as_string().starts_with("[page] antwerp: there is no usable token set"));
}

TEST_CASE("the example for ntfy is urgent where somebody has to get up")
{
    CHECK(printed("ntfy", {}).find("'Priority': 'urgent'") != std::string::npos);
    CHECK(printed("ntfy", {}, control::CallEvent::recovered).find("'Priority': 'default'") != std::string::npos);
}

TEST_CASE("the example for PagerDuty opens and resolves one incident, and prints no key")
{
    const TempDirectory directory;
    std::ofstream(directory / "key") << "hush\n";
    const auto opened = printed("pagerduty", {directory / "key"});
    CHECK(opened.find("hush") == std::string::npos);
    const auto trigger = boost::json::parse(opened);
    const auto resolve = boost::json::parse(printed("pagerduty", {directory / "key"}, control::CallEvent::recovered));
    CHECK(trigger.at("event_action") == "trigger");
    CHECK(trigger.at("payload").at("severity") == "critical");
    CHECK(resolve.at("event_action") == "resolve");
    CHECK(trigger.at("dedup_key") == resolve.at("dedup_key"));

    // Nobody has to resolve by hand what a test opened.
    const auto tried = printed("pagerduty", {directory / "key"}, control::CallEvent::test);
    const auto end = tried.find('\n');
    REQUIRE(end != std::string::npos);
    const auto first = boost::json::parse(tried.substr(0, end));
    const auto second = boost::json::parse(tried.substr(end + 1));
    CHECK(first.at("event_action") == "trigger");
    CHECK(second.at("event_action") == "resolve");
    CHECK(first.at("dedup_key") == second.at("dedup_key"));
}

TEST_CASE("the example for Alertmanager ends an alert with the labels that it began with")
{
    const auto opened = boost::json::parse(printed("alertmanager", {"http://127.0.0.1:9093"}));
    const auto over =
        boost::json::parse(printed("alertmanager", {"http://127.0.0.1:9093"}, control::CallEvent::recovered));
    CHECK(opened.at(0).at("labels") == over.at(0).at("labels"));
    CHECK(opened.at(0).at("endsAt") == "2024-01-06T12:00:00+00:00");
    CHECK(over.at(0).at("endsAt") == "2024-01-06T06:00:00+00:00");
    const auto tried = boost::json::parse(printed("alertmanager", {"http://127.0.0.1:9093"}, control::CallEvent::test));
    CHECK(tried.at(0).at("endsAt") == "2024-01-06T06:05:00+00:00");
}

TEST_CASE("the examples for PagerDuty and Alertmanager end every incident of a call for several")
{
    const TempDirectory directory;
    std::ofstream(directory / "key") << "hush\n";
    const auto body = control::join_ends(
        {body_of(control::CallEvent::recovered, "20240106-3"), body_of(control::CallEvent::recovered, "20240106-4")});
    const auto sent = printed_for(body, "pagerduty", {directory / "key"});
    for (const auto* key : {"\"shelfd/mirror1/20240106-3\"", "\"shelfd/mirror1/20240106-4\""}) {
        CHECK(sent.find(key) != std::string::npos);
    }
    CHECK(sent.find("trigger") == std::string::npos);
    const auto alerts = boost::json::parse(printed_for(body, "alertmanager", {"http://127.0.0.1:9093"}));
    REQUIRE(alerts.as_array().size() == 2);
    CHECK(alerts.at(0).at("labels").at("incident") == "20240106-3");
    CHECK(alerts.at(1).at("labels").at("incident") == "20240106-4");
    const auto mail = printed_for(body, "mail", {"desk@example.com"});
    CHECK(mail.find("Subject: [shelfd over] 2 incidents (20240106-3)\n") != std::string::npos);
    CHECK(mail.find("<20240106-4@mirror1>") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::app
