// Turns with the token endpoint: alone, and with crowds of keepers.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <deque>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

struct Turns {
    asio::io_context loop;
    SimulatedClock clock{loop};
    ExchangeGate gate{clock};
    TaskGroup tasks{loop.get_executor()};
    std::vector<std::pair<std::string, Duration>> entered;
    BootTime start = clock.boot_now();

    ~Turns()
    {
        tasks.cancel();
        clock.run(tasks.join());
    }

    void spawn(std::string name, Haste haste, Duration takes) { tasks.spawn(go(std::move(name), haste, takes)); }

    asio::awaitable<void> go(std::string name, Haste haste, Duration takes)
    {
        const auto permit = co_await gate.enter(haste);
        entered.emplace_back(permit ? name : name + " gave up", clock.boot_now() - start);
        if (permit) {
            co_await clock.sleep_for(takes);
        }
    }
};

TEST_CASE("exchanges of one haste follow each other in the order in which they came")
{
    const auto haste = GENERATE(Haste::calm, Haste::urgent);
    Turns turns;
    for (const auto* name : {"a", "b", "c"}) {
        turns.spawn(name, haste, 2s);
    }
    turns.clock.advance_by(1min);
    const std::vector<std::pair<std::string, Duration>> wanted = {{"a", 0s}, {"b", 2s}, {"c", 4s}};
    REQUIRE(turns.entered == wanted);
    REQUIRE(turns.gate.under_way() == 0);
}

TEST_CASE("what is in doubt goes at once, what is urgent passes a slow one, what is calm waits for a minute")
{
    Turns turns;
    turns.spawn("slow", Haste::calm, 120s);
    turns.spawn("calm", Haste::calm, 1s);
    turns.spawn("urgent 1", Haste::urgent, 1s);
    turns.spawn("urgent 2", Haste::urgent, 30s);
    turns.spawn("urgent 3", Haste::urgent, 1s);
    turns.spawn("in doubt", Haste::in_doubt, 120s);
    turns.clock.advance_by(5min);
    const std::vector<std::pair<std::string, Duration>> wanted = {
        {"slow", 0s}, {"in doubt", 0s}, {"urgent 1", 10s}, {"urgent 2", 11s}, {"urgent 3", 21s}, {"calm gave up", 60s}};
    REQUIRE(turns.entered == wanted);
}

TEST_CASE("of hundreds in doubt at once, sixteen begin within a second, whatever the others do")
{
    Turns turns;
    turns.spawn("slow", Haste::urgent, 120s);
    for (int i = 0; i < 100; ++i) {
        turns.spawn("in doubt", Haste::in_doubt, 60s);
    }
    turns.clock.advance_by(0s);
    REQUIRE(turns.entered.size() == 16);
    turns.clock.advance_by(7s);
    REQUIRE(turns.entered.size() == 101);
}

TEST_CASE("who stops waiting leaves no trace, and the next one goes")
{
    Turns turns;
    turns.spawn("first", Haste::urgent, 5s);
    turns.clock.settle();
    TaskGroup impatient(turns.loop.get_executor());
    impatient.spawn(turns.go("impatient", Haste::urgent, 5s));
    turns.clock.settle();
    turns.spawn("next", Haste::urgent, 1s);
    turns.clock.settle();
    REQUIRE(turns.gate.waiting() == 2);
    impatient.cancel();
    turns.clock.run(impatient.join());
    turns.clock.advance_by(6s);
    REQUIRE(turns.entered.back() == std::pair(std::string("next"), Duration(5s)));
    REQUIRE(turns.gate.waiting() == 0);
}

// Libraries of one service, each with a set and a keeper of its own.
class Crowd {
public:
    explicit Crowd(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            auto& library = libraries.emplace_back(clock);
            library.client.handle([&library](const http::SeenRequest& request) { return library.answer(request); });
            library.service.grace = 25s;
            start(library, Gated::yes);
            auto set = parse_paste(library.service.response());
            REQUIRE(clock.run(library.keeper->import(std::move(*set), ImportMode::leave_alone)));
        }
    }
    ~Crowd()
    {
        for (auto& library : libraries) {
            library.is_dead = true;
            stop(library);
        }
    }

    struct Library {
        explicit Library(SimulatedClock& clock_given) : clock(clock_given), service(clock_given), client(clock_given) {}

        http::Answer answer(const http::SeenRequest& request)
        {
            if (is_dead) {
                return http::Answer::failed(ErrorKind::network, Delivery::not_sent);
            }
            if (request.url.find("/oauth/token/") != std::string::npos) {
                posts.push_back(clock.boot_now());
                auto answer = service.answer(request);
                service.canary_fault = canary_after_post ? canary_after_post : service.canary_fault;
                return answer;
            }
            return service.answer(request);
        }
        bool is_saved() const
        {
            return keeper->status().state == TokenState::good &&
                   keeper->status().fingerprint == fingerprint(Secret(service.refresh()));
        }

        SimulatedClock& clock;
        storage::ScriptedDisk disk{3, journal_size};
        TokenService service;
        http::ScriptedClient client;
        std::vector<BootTime> posts;
        std::optional<http::Answer> canary_after_post;
        bool is_dead = false;
        std::unique_ptr<TokenKeeper> keeper;
        std::unique_ptr<TaskGroup> group;
    };
    enum class Gated { no, yes };

    void start(Library& library, Gated gated)
    {
        TokenKeeper::Settings settings;
        settings.library = "antwerp";
        settings.endpoint.base_url = "https://api.example.com";
        settings.endpoint.client_id = "client";
        settings.endpoint.timeouts.idle = 120s;
        settings.endpoint.timeouts.total = 180s;
        settings.client_secret = [] { return Result<Secret>(Secret("client secret")); };
        settings.canary.url = "https://api.example.com/api/v2/accounts/libraries/current/";
        settings.canary.identity_field = "id";
        settings.canary.library_id = "42";
        settings.canary_timeouts.total = 60s;
        settings.boot_id[0] = std::byte{1};
        Store store;
        const auto opener = [&library](std::size_t file) {
            return [&library, file]() -> Result<std::unique_ptr<storage::JournalFile>> {
                return library.is_dead ? Result(library.disk.open_abandoned(file)) : library.disk.open(file);
            };
        };
        store.a = opener(0);
        store.b = opener(1);
        auto enter = [this](Haste haste) { return gate.enter(haste); };
        std::function<asio::awaitable<TokenKeeper::Permit>(Haste)> permit;
        permit = gated == Gated::yes ? decltype(permit)(enter) : decltype(permit)();
        TokenKeeper::Services services{clock,
                                       library.client,
                                       Lane(),
                                       Lane(),
                                       Log([](const LogRecord&) {}),
                                       [] { return 0.5; },
                                       loop.get_executor(),
                                       {},
                                       permit};
        library.is_dead = false;
        library.keeper = clock.run(TokenKeeper::open(settings, services, std::move(store)));
        library.group = std::make_unique<TaskGroup>(loop.get_executor());
        library.group->spawn(library.keeper->run());
        clock.settle();
    }
    void die(Library& library)
    {
        library.is_dead = true;
        library.disk.abandon_files();
    }
    void stop(Library& library)
    {
        library.group->cancel();
        clock.run(library.group->join());
        library.keeper.reset();
    }
    void go_to_refresh() { clock.advance_to(began + 84h); }

    asio::io_context loop;
    SimulatedClock clock{loop};
    BootTime began = clock.boot_now();
    ExchangeGate gate{clock};
    std::deque<Library> libraries;
};

TEST_CASE("a replay waits for no other library's exchange and for no canary, so that a short grace saves the set")
{
    const auto canary = GENERATE(values<http::Answer>({http::Answer::of(502, "<html>"), http::Answer::never(),
                                                       http::Answer::of(429, "{}", {{"Retry-After", "60"}})}));
    const bool stalls = GENERATE(true, false);
    Crowd crowd(3);
    auto& lost = crowd.libraries[0];
    auto& slow = crowd.libraries[1];
    // The one whose answer is lost is the first, and those who come next take the turn that it leaves.
    lost.service.faults.push_back({true, http::Answer::failed(ErrorKind::network, Delivery::perhaps_sent)});
    lost.canary_after_post = canary;
    if (stalls) {
        slow.service.faults.push_back({true, http::Answer().after(45s)});
    }
    crowd.go_to_refresh();
    crowd.clock.advance_by(10s);
    REQUIRE(lost.posts.size() == 2);
    REQUIRE(lost.posts[1] - lost.posts[0] <= 8s);
    REQUIRE(lost.is_saved());
    REQUIRE(lost.service.reuses == 0);
    REQUIRE(slow.posts.size() == 1);
    crowd.clock.advance_by(3min);
    for (const auto& library : crowd.libraries) {
        REQUIRE(library.is_saved());
        REQUIRE(library.service.rotations == 1);
    }
}

TEST_CASE("a first replay that cannot be sent is tried every few seconds as long as a grace may last")
{
    Crowd crowd(1);
    auto& library = crowd.libraries[0];
    const auto no_connection = http::Answer::failed(ErrorKind::network, Delivery::not_sent);
    library.service.faults.push_back({true, http::Answer::failed(ErrorKind::network, Delivery::perhaps_sent)});
    for (int i = 0; i < 4; ++i) {
        library.service.faults.push_back({false, no_connection});
    }
    library.canary_after_post = no_connection;
    crowd.go_to_refresh();
    crowd.clock.advance_by(25s);
    REQUIRE(library.posts.size() == 6);
    REQUIRE(library.is_saved());
}

// Somebody gets a 401 with the present access token.
asio::awaitable<void> report_expired(Crowd::Library& library)
{
    auto reporting = library.keeper->reject(1, "Bearer error_description=\"has expired\"");
    static_cast<void>(co_await std::move(reporting));
}

TEST_CASE("an exchange that stalls for two minutes holds up nobody who is in need, and puts nobody who is not in doubt")
{
    const bool in_need = GENERATE(false, true);
    Crowd crowd(40);
    TaskGroup reports(crowd.loop.get_executor());
    // The one that stalls is under way when the others become due.
    crowd.clock.advance_to(crowd.began + 84h - 1s);
    crowd.libraries[0].service.faults.push_back({true, http::Answer().after(119s)});
    crowd.libraries[0].service.expire_access();
    reports.spawn(report_expired(crowd.libraries[0]));
    crowd.clock.settle();
    REQUIRE(crowd.gate.under_way() == 1);
    crowd.go_to_refresh();
    for (std::size_t i = 1; in_need && i < crowd.libraries.size(); ++i) {
        crowd.libraries[i].service.expire_access();
        reports.spawn(report_expired(crowd.libraries[i]));
    }
    crowd.clock.advance_by(117s);
    const auto is_renewed = [](const auto& library) { return library.service.rotations == 1 && library.is_saved(); };
    CHECK(std::count_if(crowd.libraries.begin(), crowd.libraries.end(), is_renewed) == (in_need ? 39 : 0));
    crowd.clock.advance_by(1h);
    crowd.clock.run(reports.join());
    for (const auto& library : crowd.libraries) {
        REQUIRE(library.is_saved());
        REQUIRE(library.posts.size() == 1);
    }
}

TEST_CASE(
    "a hundred libraries that were killed in mid-refresh have all their sets within a short grace after the start")
{
    Crowd crowd(100);
    for (auto& library : crowd.libraries) {
        crowd.stop(library);
        crowd.start(library, Crowd::Gated::no);
        library.service.faults.push_back({true, http::Answer().after(1s)});
    }
    crowd.go_to_refresh();
    std::size_t number = 0;
    for (auto& library : crowd.libraries) {
        REQUIRE(library.service.rotations == 1);
        crowd.die(library);
    }
    for (auto& library : crowd.libraries) {
        crowd.stop(library);
        if (number++ % 2 == 0) {
            library.service.canary_fault = http::Answer::of(503, "<html>");
        }
        crowd.start(library, Crowd::Gated::yes);
    }
    crowd.clock.advance_by(15s);
    for (const auto& library : crowd.libraries) {
        REQUIRE(library.is_saved());
        REQUIRE(library.posts.size() == 2);
    }
}

}  // namespace
}  // namespace shelfd::oauth
