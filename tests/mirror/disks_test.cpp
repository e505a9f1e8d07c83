#include "mirror_fixture.hpp"
#include "support/catch.hpp"
#include "support/scale.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <set>

using namespace shelfd;

namespace {

// A file that may not grow stands in for a disk that is full: write() fails, in the same places. As long as it lives.
class FullDisk {
public:
    explicit FullDisk(std::uint64_t bytes)
    {
        ::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
        const rlimit tight = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    }
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit before_ = {};
};

std::string items(int first, int last, const std::string& text)
{
    std::string page;
    for (int id = first; id <= last; ++id) {
        page += fmt::format("{}{{\"id\":{},\"url\":\"/{}\",\"v\":\"{}\"}}", page.empty() ? "" : ",", id, id, text);
    }
    return page;
}

// Every kind of thing that a mirror writes, in the order of a pass. The first that fails.
Result<void> write_everything(MirrorFixture& fixture, const std::string& run, mirror::Commit commit)
{
    auto& mirror = *fixture.mirror;
    if (auto declared = mirror.declare(fixture.specs); !declared) {
        return declared;
    }
    const auto now = fixture.clock.now();
    auto begun = mirror.begin_pass("things", {.run_id = run, .started = now, .as_of = now});
    if (!begun) {
        return begun.error();
    }
    auto& pass = **begun;
    const std::string text(300, 'n');
    // Some rows change and one has a new column, some are new, some are missing: 1 … 50.
    // Where pages may wait, one brings a row again that does, and one makes the key's column another one.
    for (const auto& page : {items(51, 120, text), items(121, 200, "old"), items(201, 300, text), items(300, 300, text),
                             std::string(R"({"id":301,"more":true})"), std::string(R"({"id":"t","v":"text"})")}) {
        if (auto added = pass.add_page("[" + page + "]", commit); !added) {
            return added.error();
        }
    }
    auto missing = pass.missing(50, {"url"});
    if (!missing) {
        return missing.error();
    }
    pass.add_evidence({.key = "7", .address = ""}, mirror::Witness::there);
    if (auto published = pass.publish(complete_proof()); !published) {
        return published.error();
    }
    if (auto decided = mirror.decide("things", {mirror::HeldFate::accept, {"7", "8"}}); !decided) {
        return decided.error();
    }
    if (auto kept = mirror.decide("things", {mirror::HeldFate::keep, {}}); !kept) {
        return kept.error();
    }
    if (auto told = mirror.record_run({.run_id = run + "-b", .resource = "things", .error = "no"}); !told) {
        return told;
    }
    if (auto told = mirror.set_state("things", {.blocked = mirror::Blocked::forbidden, .why = "no"}); !told) {
        return told;
    }
    auto emptied = mirror.checkpoint(storage::CheckpointMode::truncate);
    return emptied ? Result<void>() : emptied.error();
}

// What a reader sees is one of the states between two publications, never a mixture.
std::string seen_by_readers(const MirrorFixture& fixture)
{
    return fixture.one("SELECT count(*), sum(v = 'old'), min(id) FROM things");
}

}  // namespace

TEST_CASE(
    "a disk that is full at any moment fails a write, leaves the old rows readable, and is got over by room alone")
{
    std::set<std::string> states;
    bool went_through = false;
    int failures = 0;
    for (std::uint64_t room = 0; !went_through; room += sanitized ? 65536 : 8192) {
        INFO("room for " << room << " bytes");
        REQUIRE(room < 4'000'000);
        MirrorFixture fixture({{.name = "things", .keep_deleted = true}});
        fixture.load({items(1, 200, "old")});
        must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
        Result<void> outcome = Result<void>();
        {
            const FullDisk disk(room);
            const auto commit = failures % 2 == 0 ? mirror::Commit::now : mirror::Commit::may_wait;
            outcome = write_everything(fixture, "tight", commit);
            states.insert(seen_by_readers(fixture));
        }
        went_through = outcome.has_value();
        if (!outcome) {
            ++failures;
            REQUIRE(outcome.error().kind() == ErrorKind::storage);
            INFO(outcome.error().text());
        }
        // Room again, and nothing else: no restart, no help.
        must(fixture.mirror->set_state("things", {}));
        const auto again = fixture.load({items(51, 300, "new")});
        CHECK(again.rows >= 250);
        CHECK(fixture.one("SELECT count(*) FROM things WHERE v = 'new'") == "250");
        CHECK(fixture.one("PRAGMA integrity_check") == "ok");
        CHECK(fixture.one("SELECT count(*) FROM sqlite_master WHERE name LIKE '\\_staging%' ESCAPE '\\'") == "0");
        CHECK(fixture.one("SELECT max(seq) - min(seq) + 1 = count(*) FROM _changes") == "1");
    }
    CHECK(failures > (sanitized ? 2 : 10));
    for (const auto& state : states) {
        INFO(state);
        CHECK((state == "200|200|1" || state == "302|130|1" || state == "300|128|1"));
    }
    CHECK(states.size() >= 2);
}

TEST_CASE("a disk that turns read-only fails a pass with its name, and is got over without a restart")
{
    if (::geteuid() != 0) {
        WARN("skipped: only root may mount");
        return;
    }
    MirrorFixture fixture;
    fixture.load({items(1, 50, "old")});
    must(fixture.mirror->checkpoint(storage::CheckpointMode::truncate));
    must(fixture.mirror->close_idle());
    const std::string place = fixture.directory / "antwerp";
    if (::mount(place.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) != 0) {
        WARN("skipped: this place allows no mounts");
        return;
    }
    REQUIRE(::mount(nullptr, place.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0);
    const auto begun = fixture.mirror->begin_pass("things", {.run_id = "ro"});
    Result<void> outcome = begun ? Result<void>() : Result<void>(begun.error());
    if (begun) {
        const auto added = (*begun)->add_page("[" + items(1, 50, "new") + "]");
        outcome = added ? Result<void>() : Result<void>(added.error());
    }
    const auto told = fixture.mirror->set_state("things", {.why = "x"});
    const auto readable = fixture.one("SELECT count(*), sum(v = 'old') FROM things");
    must(fixture.mirror->close_idle());
    REQUIRE(::umount(place.c_str()) == 0);
    REQUIRE_FALSE(outcome);
    CHECK((outcome.error().kind() == ErrorKind::permission || outcome.error().kind() == ErrorKind::storage));
    INFO(outcome.error().text());
    CHECK(outcome.error().text().find("read") != std::string::npos);
    CHECK_FALSE(told);
    CHECK(readable == "50|50");
    CHECK(fixture.load({items(1, 50, "new")}).changed == 50);
    CHECK(fixture.one("PRAGMA integrity_check") == "ok");
}
