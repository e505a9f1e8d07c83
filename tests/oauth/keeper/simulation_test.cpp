// Lives of a token set under random trouble, each from its seed.
#include "oauth/keeper_rig.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

http::Answer html(int status)
{
    return http::Answer::of(status, "<html>", {{"Content-Type", "text/html"}});
}

struct FaultKind {
    const char* name;
    http::Answer answer;
    bool may_have_acted;   // the service may have rotated behind it
    bool carries_the_set;  // what arrives of the real answer is enough
};

std::vector<FaultKind> all_faults()
{
    const auto cut = [](std::size_t bytes) { return http::Answer::cut(200, std::string(bytes, '.')); };
    return {
        {"connection refused", http::Answer::failed(ErrorKind::network, Delivery::not_sent), false, false},
        {"reset after sending", http::Answer::failed(ErrorKind::network, Delivery::perhaps_sent), true, false},
        {"closed after sending", http::Answer::failed(ErrorKind::network, Delivery::perhaps_sent).after(3s), true,
         false},
        {"header cut", http::Answer::failed(ErrorKind::network, Delivery::answered), true, false},
        {"time-out", http::Answer::failed(ErrorKind::timeout, Delivery::perhaps_sent).after(120s), true, false},
        {"silence", http::Answer::never(), true, false},
        {"cut before the body", cut(0), true, false},
        {"cut inside the access token", cut(30), true, false},
        {"cut behind the scope", cut(130), true, false},
        {"cut inside the refresh token", cut(160), true, false},
        {"cut at the last brace", cut(1'000), true, true},
        {"500", html(500), true, false},
        {"502", html(502), true, false},
        {"503", html(503), true, false},
        {"504 after a minute", html(504).after(60s), true, false},
        {"408", http::Answer::of(408, "{}"), true, false},
        {"200 with HTML", html(200), true, false},
        {"200 with nothing", http::Answer::ok(""), true, false},
        {"200 with an empty object", http::Answer::ok("{}"), true, false},
        {"400 with HTML", html(400), true, false},
        {"401 invalid_client", http::Answer::of(401, R"({"error": "invalid_client"})"), false, false},
        {"400 invalid_request", http::Answer::of(400, R"({"error": "invalid_request"})"), false, false},
        {"403", html(403), true, false},
        {"404", html(404), true, false},
        {"401 without a word", http::Answer::of(401, ""), true, false},
        {"301", http::Answer::of(301, ""), true, false},
        {"429", http::Answer::of(429, "{}", {{"Retry-After", "30"}}), true, false},
        {"200 with other JSON", http::Answer::ok(R"({"status": "ok"})"), true, false},
        {"late but whole", http::Answer().after(100s), true, true},
        {"whole in single bytes", http::Answer().in_pieces_of(1), true, true},
    };
}

// One life: weeks of refreshes among crashes, cut answers, bad disks and a service that comes and goes.
class Life {
public:
    explicit Life(std::uint64_t seed) : random_(seed) {}

    // What went wrong; "" when nothing did.
    std::string live();
    struct Figures {
        std::uint64_t hours = 0;
        std::size_t exchanges = 0;                  // POSTs
        std::size_t refreshes = 0;                  // sets that the service made
        std::size_t ambiguous = 0;                  // exchanges whose answer did not tell whether it did
        std::size_t replays = 0;                    // of a token that was presented before
        std::map<std::string, std::size_t> losses;  // by what destroyed the answer
        std::size_t max_a_day = 0;  // POSTs in any 24 hours, for access tokens that live a day or longer

        void add(const Figures& life);
    };
    Figures figures() const;
    // The last lines of the log, for a life that went wrong.
    std::string story() const;

private:
    bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
    void choose_service();
    void make_trouble();
    void crash_soon();
    void die();
    std::string check();
    std::string renew_if_lost();
    void watch(const http::SeenRequest& request);
    void destroy_answer(const char* cause);
    http::Answer answer(const http::SeenRequest& request);

    std::mt19937_64 random_;
    KeeperRig rig_;
    Figures figures_;
    std::vector<BootTime> posts_at_;
    std::string presented_;          // the refresh token of the newest POST
    std::string double_use_;         // a token that was presented after its successor
    bool rotated_ = false;           // the newest POST made the service give a new set
    bool answer_destroyed_ = false;  // since the last set was given
    const char* cause_ = "";         // by what
    bool disk_is_bad_ = false;
    bool destroys_ = false;  // the fault that waits takes the answer with it
    bool dies_soon_ = false;
    int boot_ = 1;
};

std::string Life::story() const
{
    std::string text;
    const auto count = rig_.log_lines.size();
    for (auto i = count - std::min<std::size_t>(count, 12); i < count; ++i) {
        text += "\n  " + rig_.log_lines[i];
    }
    return text;
}

void Life::choose_service()
{
    // The shortest make as many refreshes as all the others together.
    constexpr std::array<std::int64_t, 8> lifetimes = {3'600,  36'000,  36'000,  86'400,
                                                       86'400, 604'800, 604'800, 604'800};
    rig_.service.lifetime = lifetimes[random_() % lifetimes.size()];
    rig_.service.grace = chance(30) ? Duration(120s) : Duration(0);
    rig_.service.revokes_family = chance(30);
    rig_.service.kills_old_access = !chance(15);
    rig_.service.issue();
}

void Life::Figures::add(const Figures& life)
{
    hours += life.hours;
    exchanges += life.exchanges;
    refreshes += life.refreshes;
    ambiguous += life.ambiguous;
    replays += life.replays;
    for (const auto& [cause, times] : life.losses) {
        losses[cause] += times;
    }
    max_a_day = std::max(max_a_day, life.max_a_day);
}

Life::Figures Life::figures() const
{
    auto figures = figures_;
    figures.exchanges = posts_at_.size();
    figures.refreshes = rig_.service.rotations;
    for (std::size_t first = 0, last = 0; rig_.service.lifetime >= 86'400 && last < posts_at_.size(); ++last) {
        while (posts_at_[last] - posts_at_[first] >= 24h) {
            ++first;
        }
        figures.max_a_day = std::max(figures.max_a_day, last - first + 1);
    }
    return figures;
}

void Life::destroy_answer(const char* cause)
{
    answer_destroyed_ = true;
    cause_ = cause;
}

// Tokens carry their number: "refresh-0007-…".
void Life::watch(const http::SeenRequest& request)
{
    posts_at_.push_back(rig_.clock.boot_now());
    const auto at = request.body.find("refresh_token=refresh-");
    const auto token = at == std::string::npos ? presented_ : request.body.substr(at + 14, 12);
    figures_.replays += token == presented_ ? 1 : 0;
    if (token < presented_) {
        double_use_ = token + " after " + presented_;
    }
    presented_ = token;
}

bool tells_what_became(const http::Answer& answer)
{
    const auto not_sent = answer.error && answer.error->delivery == Delivery::not_sent;
    const auto status = answer.response ? answer.response->status : 0;
    const auto grants = answer.response && answer.response->body.find("refresh_token") != std::string::npos;
    return not_sent || (!answer.error && !answer.silent &&
                        ((status == 200 && grants) ||
                         (status / 100 == 4 && answer.response->body.find("\"error\"") != std::string::npos)));
}

http::Answer Life::answer(const http::SeenRequest& request)
{
    if (request.method == http::Method::get) {
        return chance(4) ? html(502) : rig_.service.answer(request);
    }
    watch(request);
    const auto before = rig_.service.rotations;
    const auto is_fault = !rig_.service.faults.empty();
    auto real = rig_.service.answer(request);
    figures_.ambiguous += tells_what_became(real) ? 0 : 1;
    rotated_ = rig_.service.rotations != before;
    if (is_fault && destroys_ && rotated_) {
        destroy_answer("a fault on the line");
    }
    if (dies_soon_ && chance(50)) {
        // The machine goes down while the service works on it, or its answer is on the way.
        die();
        if (rotated_) {
            destroy_answer("a crash before its arrival");
        }
        return http::Answer::failed(ErrorKind::network, Delivery::not_sent);
    }
    return chance(30) ? std::move(real).in_pieces_of(1 + random_() % 60) : real;
}

void Life::make_trouble()
{
    if (chance(25)) {
        const auto faults = all_faults();
        const auto& fault = faults[random_() % faults.size()];
        rig_.service.faults.clear();
        const auto acts = fault.may_have_acted && (fault.carries_the_set || chance(40));
        rig_.service.faults.push_back({acts, fault.answer});
        destroys_ = acts && !fault.carries_the_set;
    }
    if (chance(10)) {
        const auto times = chance(50) ? std::size_t{1} + random_() % 5 : SIZE_MAX;
        disk_is_bad_ = true;
        rig_.disk.fail_after(random_() % 20, chance(50) ? EIO : ENOSPC, times);
    }
    if (chance(5)) {
        rig_.disk.fail_file(random_() % 2, EIO);
    }
    if (chance(15)) {
        crash_soon();
    }
    if (chance(5)) {
        rig_.clock.step_wall(std::chrono::hours(static_cast<std::int64_t>(random_() % 2000) - 1000));
    }
}

void Life::crash_soon()
{
    dies_soon_ = true;
    auto left = std::make_shared<std::size_t>(random_() % 14);
    rig_.disk.on_call = [this, left](const storage::DiskCall& call) {
        if ((*left)-- > 0) {
            return;
        }
        // Death at the write of a piece takes what has arrived with it, unless enough of it was written before.
        const auto is_piece = call.kind == storage::DiskCall::Kind::write && call.bytes.size() < header_size;
        if (is_piece) {
            destroy_answer("a crash at its first write");
        }
        die();
    };
}

// A process that dies while no disk takes anything may take a new set with it: that is why it shouts.
void Life::die()
{
    // The disk may be well again, and the next try to write the set not come yet.
    const auto in_memory = rig_.is_running() && rig_.keeper().status().state == TokenState::unstored;
    if (disk_is_bad_ || in_memory) {
        destroy_answer("a crash while no disk took it");
    }
    rig_.die();
}

std::string Life::check()
{
    const auto status = rig_.keeper().status();
    if (status.state == TokenState::foreign) {
        return "took its own trouble for somebody else: " + status.reason;
    }
    if (status.state == TokenState::lost && !answer_destroyed_) {
        return "lost a set that nobody destroyed: " + status.reason;
    }
    if (status.state == TokenState::none || status.state == TokenState::unreadable ||
        status.state == TokenState::copied) {
        return fmt::format("forgot its set: {}", to_string(status.state));
    }
    return "";
}

std::string Life::renew_if_lost()
{
    if (rig_.keeper().status().state != TokenState::lost) {
        return "";
    }
    ++figures_.losses[cause_];
    answer_destroyed_ = false;
    rig_.service.issue();
    for (int tries = 0; tries < 20; ++tries) {
        const auto given = rig_.import(rig_.service.response(), ImportMode::leave_alone);
        if (given) {
            return "";
        }
        if (given.error().kind() != ErrorKind::network) {
            return "a new set was not taken: " + given.error().text();
        }
    }
    return "a new set was not taken, although it could be tried";
}

std::string Life::live()
{
    rig_.has_refuge = chance(50);
    rig_.start();
    choose_service();
    rig_.give_set();
    rig_.client.handle([this](const http::SeenRequest& request) {
        return rig_.is_dead() ? http::Answer::failed(ErrorKind::network, Delivery::not_sent) : answer(request);
    });
    for (int phase = 0; phase < 12; ++phase) {
        make_trouble();
        const auto hours = 1 + random_() % 48;
        rig_.clock.advance_by(std::chrono::hours(hours));
        figures_.hours += hours;
        if (chance(30) && !rig_.is_dead()) {
            static_cast<void>(rig_.run(rig_.keeper().reject(rig_.keeper().status().generation, "Bearer")));
        }
        const auto is_killed = rig_.is_dead() || chance(20);
        if (is_killed) {
            const auto reboots = chance(50);
            const auto refuge_is_empty = rig_.disk.content(2) == std::vector<std::byte>(journal_size);
            const auto in_memory = rig_.keeper().status().state == TokenState::unstored;
            if (in_memory && (reboots || refuge_is_empty)) {
                destroy_answer("a crash while no disk took it");
            }
            if (!rig_.is_dead() && rotated_ && rig_.keeper().exchange_in_flight()) {
                destroy_answer("a crash before its arrival");
            }
            rig_.kill();
            rig_.settings.boot_id[0] = static_cast<std::byte>(reboots ? ++boot_ : boot_);
            if (reboots) {
                rig_.disk.set_content(2, std::vector<std::byte>(journal_size));
            }
        }
        rig_.disk.heal();
        rig_.disk.forget_history();
        disk_is_bad_ = false;
        rig_.disk.on_call = {};
        if (is_killed) {
            dies_soon_ = false;
            rig_.start();
        }
        dies_soon_ = false;
        if (auto wrong = check(); !wrong.empty()) {
            return wrong;
        }
        if (auto wrong = renew_if_lost(); !wrong.empty()) {
            return wrong;
        }
    }
    // All trouble ends: so must all consequences of it.
    rig_.service.faults.clear();
    rig_.client.handle([this](const http::SeenRequest& request) {
        return rig_.is_dead() ? http::Answer::failed(ErrorKind::network, Delivery::not_sent)
                              : rig_.service.answer(request);
    });
    rig_.clock.advance_by(std::chrono::hours(30));
    if (auto wrong = check() + renew_if_lost(); !wrong.empty()) {
        return wrong;
    }
    const auto token = rig_.access_text();
    const auto status = rig_.keeper().status();
    if (token != rig_.service.access() || status.state != TokenState::good) {
        return fmt::format("did not recover: {} ({}), token {}", to_string(status.state), status.reason, token);
    }
    if (!double_use_.empty()) {
        return "presented a token again after its successor: " + double_use_;
    }
    const auto lives_a_day = 86'400 / static_cast<std::uint64_t>(rig_.service.lifetime);
    const auto days = figures_.hours / 24 + 2;
    if (rig_.service.rotations > days * std::max<std::uint64_t>(24, 4 * lives_a_day)) {
        return fmt::format("a storm: {} refreshes in {} days", rig_.service.rotations, days);
    }
    if (figures().max_a_day > 40) {
        return fmt::format("a storm: {} exchanges in 24 hours", figures().max_a_day);
    }
    return "";
}

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise)
{
    const auto* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// SHELFD_SEEDS=100000 for the long form; SHELFD_SEED=N repeats one life.
TEST_CASE("no life of a set ends in an avoidable loss, a wrong verdict or a storm, whatever its seed")
{
    const auto only = number_from_environment("SHELFD_SEED", 0);
    const auto seeds = only != 0 ? only : number_from_environment("SHELFD_SEEDS", 150);
    const auto first = only != 0 ? only : 1;
    Life::Figures all;
    std::vector<std::string> complaints;
    std::atomic<std::uint64_t> next = first;
    std::mutex results;
    const auto live_some = [&] {
        for (auto seed = next++; seed <= seeds; seed = next++) {
            Life life(seed);
            const auto wrong = life.live();
            const std::lock_guard lock(results);
            all.add(life.figures());
            if (!wrong.empty()) {
                complaints.push_back(fmt::format("SHELFD_SEED={}: {}{}", seed, wrong, life.story()));
            }
        }
    };
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (unsigned i = 1; is_long_form() && i < std::thread::hardware_concurrency(); ++i) {
        others.emplace_back(live_some);
    }
    live_some();
    for (auto& other : others) {
        other.join();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    for (const auto& complaint : complaints) {
        FAIL_CHECK(complaint);
    }
    std::string losses;
    for (const auto& [cause, times] : all.losses) {
        losses += fmt::format("{}{} by {}", losses.empty() ? "" : ", ", times, cause);
    }
    const auto years = static_cast<double>(all.hours) / 8766;
    const auto lives = seeds - first + 1;
    WARN(fmt::format("{} lives ({:.0f} a second), {:.0f} simulated years, {} refreshes, {} ambiguous exchanges, {} "
                     "replays; sets lost: {}; at most {} exchanges in 24 hours of a token that lives a day or longer",
                     lives, static_cast<double>(lives) / took.count(), years, all.refreshes, all.ambiguous, all.replays,
                     losses.empty() ? "none" : losses, all.max_a_day));
    REQUIRE(all.exchanges > seeds - first + 1);
    CHECK((only != 0 || years * 1000 >= 10 * static_cast<double>(seeds)));
}

}  // namespace
}  // namespace shelfd::oauth
