#include "support/catch.hpp"
#include "support/transition_table.hpp"
#include "sync/pages.hpp"
#include "sync/pass/pass_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace shelfd;
using namespace shelfd::sync;

namespace {

const char* name_of(PassState state)
{
    switch (state) {
    case PassState::before: return "before";
    case PassState::identifying: return "identifying";
    case PassState::walking: return "walking";
    case PassState::renewing: return "renewing";
    case PassState::waiting: return "waiting";
    case PassState::closing: return "closing";
    case PassState::seeking: return "seeking";
    case PassState::witnessing: return "witnessing";
    case PassState::confirming: return "confirming";
    case PassState::publishing: return "publishing";
    case PassState::ended: return "ended";
    }
    std::abort();
}

const char* name_of(PassAction action)
{
    switch (action) {
    case PassAction::ask_identity: return "ask_identity";
    case PassAction::fetch_page: return "fetch_page";
    case PassAction::start_over: return "start_over";
    case PassAction::find_missing: return "find_missing";
    case PassAction::ask_witness: return "ask_witness";
    case PassAction::renew_token: return "renew_token";
    case PassAction::wait: return "wait";
    case PassAction::publish: return "publish";
    case PassAction::give_up: return "give_up";
    case PassAction::finish: return "finish";
    }
    std::abort();
}

struct NamedEvent {
    const char* name;
    std::optional<PassEvent> event;  // nothing: it comes by a function of its own
};

// What the driver may answer the last action with.
std::vector<NamedEvent> answers_to(std::optional<PassAction> last, const PassMachine& machine)
{
    const NamedEvent failed{"failed", PassEvent::failed};
    const NamedEvent trouble{"passing_trouble", PassEvent::passing_trouble};
    const NamedEvent unauthorized{"unauthorized", PassEvent::unauthorized};
    const NamedEvent throttled{"throttled", PassEvent::throttled};
    if (!last) {
        return {{"begin", PassEvent::begin}, failed};
    }
    switch (*last) {
    case PassAction::ask_identity: return {{"identity_ours", PassEvent::identity_ours}, trouble, failed};
    case PassAction::fetch_page: {
        std::vector<NamedEvent> events = {{"page_arrived", std::nullopt},
                                          {"page_past_end", PassEvent::page_past_end},
                                          {"order_refused", PassEvent::order_refused},
                                          unauthorized,
                                          throttled,
                                          trouble,
                                          failed};
        if (machine.is_behind_first_page()) {
            events.push_back({"page_refused", PassEvent::page_refused});
        }
        return events;
    }
    case PassAction::start_over: return {{"dropped", PassEvent::dropped}, failed};
    case PassAction::find_missing: return {{"missing_found", std::nullopt}, failed};
    case PassAction::ask_witness:
        return {{"row_gone", PassEvent::row_gone},
                {"row_there", PassEvent::row_there},
                {"row_unclear", PassEvent::row_unclear},
                unauthorized,
                throttled,
                trouble,
                failed};
    case PassAction::renew_token: return {{"token_renewed", PassEvent::token_renewed}, throttled, trouble, failed};
    case PassAction::wait: return {{"waited", PassEvent::waited}, failed};
    case PassAction::publish: return {{"published", PassEvent::published}, failed};
    case PassAction::give_up:
    case PassAction::finish: break;
    }
    return {};
}

// Chance with a seed: lives of a pass, in which all that can be answered is.
class Explorer {
public:
    std::set<TableStep> explore(int lives)
    {
        for (int life = 0; life < lives; ++life) {
            live();
        }
        return std::move(steps_);
    }

private:
    bool maybe(int percent = 50) { return std::uniform_int_distribution<int>(1, 100)(random_) <= percent; }
    std::uint64_t pick(std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>(0, most)(random_); }

    PassMachine::Settings settings()
    {
        PassMachine::Settings settings;
        settings.has_identity = maybe();
        settings.seeks_missing = maybe(70);
        settings.newest_first = maybe();
        settings.first_query = "ordering=-id";
        settings.plain_query = maybe() ? "plain=1" : "";
        settings.previous_key_set = maybe() ? "keys" : "";
        settings.max_attempts = settings.max_first_attempts = settings.max_throttled = 3;
        settings.advance.max_idle_pages = 2;
        return settings;
    }

    PageSeen any_page(const PassMachine& machine)
    {
        const auto next = fmt_query(pick(maybe(90) ? 1'000'000 : 1));
        auto seen = page(counted_, 1 + pick(1), maybe() ? std::optional(next) : std::nullopt);
        seen.new_keys = maybe(85) ? seen.items : 0;
        seen.count = counts_ ? seen.count : std::nullopt;
        seen.highest_key = seen.lowest_key = 1000 - static_cast<std::int64_t>(machine.walk().pages);
        seen.descending = seen.falling = maybe(90);
        seen.key_set = "keys";
        seen.is_early = machine.walk().pages == 0 && machine.state() == PassState::walking && early_;
        seen.moved = maybe(20) ? 1 : 0;
        seen.is_chain = chain_;
        return seen;
    }

    static std::string fmt_query(std::uint64_t number) { return "page=" + std::to_string(number); }

    PassAction answer(PassMachine& machine, const NamedEvent& event)
    {
        if (event.event) {
            return machine.resume(*event.event, 0.5);
        }
        if (machine.state() == PassState::seeking) {
            const auto askable = pick(2);
            return machine.missing_found({.any = askable > 0 || maybe(20), .askable = askable});
        }
        const auto seen = any_page(machine);
        recalls_ = recalls_ && maybe(70) && machine.state() == PassState::walking;
        return recalls_ ? machine.page_recalled(seen) : machine.page_arrived(seen);
    }

    // What ends a life comes rarely: else few walks would get far. Some trouble goes on.
    const NamedEvent& choose(const std::vector<NamedEvent>& events)
    {
        const auto again = std::find_if(events.begin(), events.end(),
                                        [this](const NamedEvent& event) { return trouble_ == event.name; });
        if (again != events.end() && maybe(80)) {
            return *again;
        }
        const auto& chosen = maybe(70) ? events.front() : events[pick(events.size() - 1)];
        const std::string name = chosen.name;
        trouble_ = name == "throttled" || name == "passing_trouble" ? name : trouble_;
        return chosen;
    }

    void live()
    {
        trouble_.clear();
        PassMachine machine(settings());
        counts_ = maybe(70);
        counted_ = pick(4);
        early_ = maybe(30);
        chain_ = maybe(20);
        recalls_ = maybe(30);
        std::optional<PassAction> last;
        while (machine.state() != PassState::ended) {
            counted_ = maybe(5) ? counted_ + 1 : counted_;
            const auto events = answers_to(last, machine);
            const auto chosen = choose(events);
            const std::string state = name_of(machine.state());
            last = answer(machine, chosen);
            steps_.insert({state, chosen.name, name_of(machine.state()), name_of(*last)});
        }
    }

    std::mt19937_64 random_{42};
    std::set<TableStep> steps_;
    std::string trouble_;
    std::uint64_t counted_ = 0;
    bool counts_ = false;
    bool early_ = false;
    bool chain_ = false;
    bool recalls_ = false;
};

const std::set<std::string> events = {
    "begin",    "identity_ours", "page_arrived", "dropped",      "page_past_end", "page_refused",
    "row_gone", "row_there",     "row_unclear",  "unauthorized", "token_renewed", "passing_trouble",
    "waited",   "throttled",     "published",    "failed",       "missing_found", "order_refused",
};

const Groups groups = {
    {"any request", {"walking", "closing", "witnessing"}},
    {"any asking", {"walking", "closing", "witnessing", "identifying", "renewing", "confirming"}},
    {"any",
     {"before", "identifying", "walking", "renewing", "waiting", "closing", "seeking", "witnessing", "confirming",
      "publishing"}},
};

}  // namespace

TEST_CASE("the table in the header of the pass machine holds every step that the machine makes, and no other")
{
    const auto table = steps_of_table("daemon/sync/pass/pass_machine.hpp", events, groups);
    CHECK(compare_steps(table, Explorer().explore(30'000)) == "");
}

TEST_CASE("a row of a transition table that is wrong or missing is named")
{
    const std::set<TableStep> table = {{"a", "go", "b", "run"}, {"b", "stop", "a", "rest"}};
    CHECK(compare_steps(table, table) == "");
    CHECK(compare_steps(table, {{"a", "go", "b", "run"}, {"b", "stop", "b", "rest"}}) ==
          "no row for:    b | stop | b | rest\nnever happens: b | stop | a | rest\n");
}
