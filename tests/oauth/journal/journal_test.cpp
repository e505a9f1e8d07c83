// Records, slots, and copies: whatever the bytes.
#include "oauth/journal/journal_pair.hpp"
#include "support/catch.hpp"
#include "support/scripted_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <random>

namespace shelfd::oauth {
namespace {

using storage::ScriptedDisk;

TokenSet some_set(std::uint64_t generation)
{
    TokenSet set;
    set.generation = generation;
    set.access = Secret("access-" + std::to_string(generation));
    set.refresh = Secret("refresh-" + std::to_string(generation));
    set.token_type = "Bearer";
    set.scope = "accounts library";
    set.issued = {Instant::from_seconds(1'700'000'000), BootTime::from_micros(77), Id{std::byte{9}}};
    set.lifetime = std::chrono::hours(168);
    set.origin = Origin::rotated;
    set.service = "https://api.example.com";
    set.client_id = "client";
    set.library_id = "42";
    set.learned = {true, std::nullopt, false, "canary-mark", std::chrono::seconds(3)};
    set.pace = {Instant::from_seconds(5), 6, 7};
    return set;
}

Note some_note()
{
    Note note;
    note.standing = Standing::in_doubt;
    note.earlier_doubt = true;
    note.access_was_alive = true;
    note.replays = 3;
    note.server_errors = 2;
    note.since = Instant::from_seconds(11);
    note.first_sent = {Instant::from_seconds(12), BootTime::from_micros(-13), Id{std::byte{14}}};
    note.last_sent = {Instant::from_seconds(15), BootTime::from_micros(16), Id{std::byte{17}}};
    note.reason = "HTTP 500";
    return note;
}

Moment some_moment()
{
    return {Instant::from_seconds(100), BootTime::from_micros(200), Id{std::byte{3}}};
}

struct Pair {
    ScriptedDisk disk{2, journal_size};
    JournalPair journals{[this] { return disk.open(0); }, [this] { return disk.open(1); }, "antwerp"};

    Pair() { journals.identify({"antwerp", Id{std::byte{1}}, Id{std::byte{2}}}); }
    Recovered open()
    {
        auto known = journals.open();
        REQUIRE(known);
        return std::move(*known);
    }
};

bool same(const TokenSet& a, const TokenSet& b)
{
    return a.generation == b.generation && a.access.equals(b.access) && a.refresh.equals(b.refresh) &&
           a.token_type == b.token_type && a.scope == b.scope && a.issued.wall == b.issued.wall &&
           a.issued.boot == b.issued.boot && a.issued.boot_id == b.issued.boot_id && a.lifetime == b.lifetime &&
           a.origin == b.origin && a.keep == b.keep && a.service == b.service && a.client_id == b.client_id &&
           a.library_id == b.library_id && a.learned.rotates == b.learned.rotates &&
           a.learned.old_token_dies == b.learned.old_token_dies &&
           a.learned.canary_refuses == b.learned.canary_refuses && a.learned.canary == b.learned.canary &&
           a.learned.grace == b.learned.grace && a.pace.day_start == b.pace.day_start &&
           a.pace.day_count == b.pace.day_count && a.pace.hurried == b.pace.hurried;
}

TEST_CASE("a set and a note come back from the disk as they were written")
{
    Pair pair;
    pair.open();
    REQUIRE(pair.journals.write_token(some_set(4), some_moment()).copies == 2);
    REQUIRE(pair.journals.write_note(RecordKind::intent, 4, 9, some_note(), some_moment()).copies == 2);
    const auto known = pair.open();
    REQUIRE(same(*known.set, some_set(4)));
    REQUIRE(known.intent_open);
    REQUIRE(known.attempt == 9);
    REQUIRE(known.installation == Id{std::byte{1}});
    REQUIRE(known.machine == Id{std::byte{2}});
    const auto& note = *known.note;
    const auto wanted = some_note();
    REQUIRE(note.standing == wanted.standing);
    REQUIRE(note.earlier_doubt);
    REQUIRE(note.access_was_alive);
    REQUIRE_FALSE(note.committed);
    REQUIRE(note.replays == 3);
    REQUIRE(note.server_errors == 2);
    REQUIRE(note.since == wanted.since);
    REQUIRE(note.first_sent.boot == wanted.first_sent.boot);
    REQUIRE(note.first_sent.boot_id == wanted.first_sent.boot_id);
    REQUIRE(note.last_sent.wall == wanted.last_sent.wall);
    REQUIRE(note.reason == wanted.reason);
}

TEST_CASE("a thousand records later the newest set is still there, whatever was written in between")
{
    Pair pair;
    pair.open();
    std::mt19937 random(7);
    std::uint64_t generation = 0;
    std::uint32_t attempt = 0;
    for (int i = 0; i < 1000; ++i) {
        switch (generation == 0 ? 0 : random() % 4) {
        case 0: pair.journals.write_token(some_set(++generation), some_moment()); break;
        case 1: pair.journals.write_note(RecordKind::intent, generation, ++attempt, some_note(), some_moment()); break;
        case 2: pair.journals.write_note(RecordKind::verdict, generation, attempt, some_note(), some_moment()); break;
        default:
            pair.journals.open_raw(generation, ++attempt, some_moment());
            pair.journals.append_raw("{\"access_token\": \"abc");
            pair.journals.close_raw({200, true, 21}, some_moment());
            break;
        }
        if (i % 5 == 0) {  // a restart
            const auto known = pair.open();
            REQUIRE(known.set);
            REQUIRE(same(*known.set, some_set(generation)));
            REQUIRE(known.unreadable == 0);
        }
    }
}

TEST_CASE("the set that the newest one asks to keep stays beside it")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    auto pasted = some_set(2);
    pasted.keep = 1;
    pair.journals.write_token(pasted, some_moment());
    for (std::uint32_t attempt = 1; attempt < 100; ++attempt) {
        pair.journals.open_raw(2, attempt, some_moment());
        pair.journals.write_note(RecordKind::intent, 2, attempt, some_note(), some_moment());
        pair.journals.write_note(RecordKind::verdict, 2, attempt, some_note(), some_moment());
        if (attempt % 10 == 0) {
            const auto known = pair.open();
            REQUIRE(same(*known.set, pasted));
            REQUIRE(known.kept);
            REQUIRE(same(*known.kept, some_set(1)));
        }
    }
}

TEST_CASE("an answer that was not closed comes back as far as it had come, a closed one whole")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.journals.open_raw(1, 1, some_moment());
    pair.journals.write_note(RecordKind::intent, 1, 1, some_note(), some_moment());
    pair.journals.append_raw("{\"access_token\": \"abc\", ");
    pair.journals.append_raw("\"refresh");
    {
        const auto known = pair.open();
        REQUIRE(known.raw);
        REQUIRE_FALSE(known.raw->complete);
        REQUIRE(known.raw->status == 0);
        REQUIRE(known.raw->body.reveal() == "{\"access_token\": \"abc\", \"refresh");
    }
    pair.journals.write_note(RecordKind::verdict, 1, 1, some_note(), some_moment());
    pair.journals.open_raw(1, 2, some_moment());
    pair.journals.write_note(RecordKind::intent, 1, 2, some_note(), some_moment());
    const std::string whole = "{\"error\": \"invalid_grant\"}";
    pair.journals.append_raw(whole);
    pair.journals.close_raw({400, true, whole.size()}, some_moment());
    const auto known = pair.open();
    REQUIRE(known.raw);
    REQUIRE(known.raw->complete);
    REQUIRE(known.raw->status == 400);
    REQUIRE(known.raw->body.reveal() == whole);
}

TEST_CASE("an answer larger than its record is kept as far as it fits, and is not called complete")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.journals.open_raw(1, 1, some_moment());
    pair.journals.write_note(RecordKind::intent, 1, 1, some_note(), some_moment());
    const std::string piece(4000, 'x');
    for (int i = 0; i < 5; ++i) {
        pair.journals.append_raw(piece);
    }
    REQUIRE(pair.journals.close_raw({200, true, 20'000}, some_moment()).copies == 2);
    const auto known = pair.open();
    REQUIRE_FALSE(known.raw->complete);
    REQUIRE(known.raw->body.reveal() == std::string(raw_capacity, 'x'));
    REQUIRE(same(*known.set, some_set(1)));
}

TEST_CASE("an answer goes nowhere in a copy that was not mended before it, whatever was open there")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    const auto was_open = GENERATE(false, true);
    if (was_open) {  // and no answer came
        REQUIRE(pair.journals.open_raw(1, 1, some_moment()).copies == 2);
    }
    pair.journals.take_back(some_set(1));
    REQUIRE(pair.journals.open_raw(1, 2, some_moment()).copies == 0);
    const std::vector<std::vector<std::byte>> before = {pair.disk.content(0), pair.disk.content(1)};
    pair.journals.append_raw("an answer");
    REQUIRE(pair.journals.close_raw({200, true, 9}, some_moment()).copies == 0);
    REQUIRE(pair.disk.content(0) == before[0]);
    REQUIRE(pair.disk.content(1) == before[1]);
    REQUIRE(pair.journals.mend(some_set(1), std::nullopt, 0, some_moment()).copies == 2);
    REQUIRE(same(*pair.open().set, some_set(1)));
}

TEST_CASE("one damaged copy changes nothing, whichever byte it is")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.journals.open_raw(1, 1, some_moment());
    pair.journals.write_note(RecordKind::verdict, 1, 1, some_note(), some_moment());
    pair.journals.write_token(some_set(2), some_moment());
    const auto whole = pair.disk.content(0);
    for (std::size_t at = 0; at < journal_size; at += at < 4 * slot_size && at % slot_size < 700 ? 7 : 509) {
        auto bytes = whole;
        bytes[at] ^= std::byte{0x10};
        pair.disk.set_content(0, std::move(bytes));
        const auto known = pair.open();
        INFO("byte " << at);
        REQUIRE(known.barred.empty());
        REQUIRE(same(*known.set, some_set(2)));
    }
}

TEST_CASE("with both copies damaged alike, the newest set that is whole is found")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.journals.write_token(some_set(2), some_moment());
    for (std::size_t at = 0; at < 2 * slot_size; at += at % slot_size < 700 ? 5 : 613) {
        for (const auto file : {std::size_t{0}, std::size_t{1}}) {
            auto bytes = pair.disk.content(file);
            bytes[at] ^= std::byte{0x01};
            pair.disk.set_content(file, std::move(bytes));
        }
        const auto known = pair.open();
        INFO("byte " << at);
        REQUIRE(known.set);
        const auto generation = known.set->generation;
        REQUIRE((generation == 1 || generation == 2));
        REQUIRE(same(*known.set, some_set(generation)));
        for (const auto file : {std::size_t{0}, std::size_t{1}}) {
            auto bytes = pair.disk.content(file);
            bytes[at] ^= std::byte{0x01};
            pair.disk.set_content(file, std::move(bytes));
        }
    }
}

TEST_CASE("with one copy whole, no bit of any slot of the other one that is wrong keeps the set from being used")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.journals.write_note(RecordKind::verdict, 1, 1, some_note(), some_moment());
    pair.journals.write_token(some_set(2), some_moment());
    const auto damaged = GENERATE(std::size_t{0}, std::size_t{1});
    auto bytes = pair.disk.content(damaged);
    Journal journal([&pair, damaged] { return pair.disk.open(damaged); }, "antwerp");
    for (std::size_t at = 0; at < 4 * slot_size; at += at % slot_size < header_size ? 1 : 257) {
        for (int bit = 0; bit < 8; ++bit) {
            const auto wrong = std::byte{1} << bit;
            bytes[at] ^= wrong;
            pair.disk.set_content(damaged, bytes);
            bytes[at] ^= wrong;
            const auto found = journal.open();
            INFO("byte " << at << ", bit " << bit);
            REQUIRE(found);
            REQUIRE_FALSE(found->newer_version);
            REQUIRE(found->other_library.empty());
        }
    }
}

TEST_CASE("a slot that claims a later version, and whose checksum says otherwise, is a damaged slot")
{
    std::mt19937 random(7);
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.journals.write_token(some_set(2), some_moment());
    const auto whole = pair.disk.content(0);
    const auto damaged = GENERATE(std::size_t{0}, std::size_t{1});
    for (int round = 0; round < 200; ++round) {
        auto bytes = whole;
        const auto slot = static_cast<std::size_t>(round % 2) * slot_size;
        bytes[slot + 9] = std::byte{1};  // version 257 at least
        for (int more = 0; more < 1 + round % 40; ++more) {
            bytes[slot + 10 + random() % 500] = static_cast<std::byte>(random());
        }
        pair.disk.set_content(damaged, bytes);
        const auto known = pair.open();
        REQUIRE(known.barred.empty());
        REQUIRE(same(*known.set, some_set(2)));
        // Both copies alike: what is whole is used.
        pair.disk.set_content(1 - damaged, bytes);
        const auto both = pair.open();
        REQUIRE(both.barred.empty());
        REQUIRE(same(*both.set, some_set(round % 2 == 0 ? 2 : 1)));
        pair.disk.set_content(1 - damaged, whole);
    }
}

TEST_CASE("a journal in another file than the one that was written to is named, until a set is written for it")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    REQUIRE(pair.open().elsewhere.empty());
    const auto copied = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{2});
    for (const auto file : {std::size_t{0}, std::size_t{1}}) {
        if (copied == file || copied == 2) {
            pair.disk.copy_file(file);
        }
    }
    const std::string expected = copied == 0 ? "journal.a" : copied == 1 ? "journal.b" : "journal.a and journal.b";
    REQUIRE(pair.open().elsewhere == expected);
    // What is written before anybody adopts it does not hide it.
    pair.journals.set_marks(JournalPair::Marks::found);
    pair.journals.write_token(some_set(2), some_moment());
    REQUIRE(pair.open().elsewhere == expected);
    REQUIRE(same(*pair.open().set, some_set(2)));
    pair.journals.set_marks(JournalPair::Marks::own);
    pair.journals.write_token(some_set(3), some_moment());
    REQUIRE(pair.open().elsewhere.empty());
    REQUIRE(pair.disk.content(0) != pair.disk.content(1));
}

TEST_CASE("records of an older version are taken as they are and then say where they were written, what follows kept")
{
    Pair pair;
    pair.disk.has_marks = false;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.journals.write_note(RecordKind::intent, 1, 4, some_note(), some_moment());
    REQUIRE_FALSE(pair.journals.owes_marks());
    pair.disk.has_marks = true;
    auto known = pair.open();
    REQUIRE(known.elsewhere.empty());
    REQUIRE(pair.journals.owes_marks());
    pair.journals.record_files(*known.set, some_moment());
    for (int start = 0; start < 3; ++start) {
        known = pair.open();
        REQUIRE_FALSE(pair.journals.owes_marks());
        REQUIRE(known.elsewhere.empty());
        REQUIRE(known.intent_open);
        REQUIRE(known.attempt == 4);
        REQUIRE(same(*known.set, some_set(1)));
    }
    pair.disk.copy_file(0);
    REQUIRE(pair.open().elsewhere == "journal.a");
}

TEST_CASE("a record that came back with a backup counts as ours once the same one was written to this file")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    for (const auto file : {std::size_t{0}, std::size_t{1}}) {
        pair.disk.replace_file(file, pair.disk.content(file));
    }
    REQUIRE(pair.journals.mend(some_set(1), std::nullopt, 0, some_moment()).copies == 2);
    REQUIRE(pair.open().elsewhere.empty());
    for (int round = 0; round < 40; ++round) {
        pair.journals.open_raw(1, 1, some_moment());
        REQUIRE(pair.open().elsewhere.empty());
    }
}

TEST_CASE("any bytes at all are read without harm, and nothing is made of them")
{
    std::mt19937 random(3);
    Pair pair;
    for (int round = 0; round < 300; ++round) {
        for (const auto file : {std::size_t{0}, std::size_t{1}}) {
            std::vector<std::byte> bytes(journal_size);
            const auto density = random() % 4;
            for (auto& byte : bytes) {
                byte = random() % 4 < density ? static_cast<std::byte>(random()) : std::byte{0};
            }
            // Some slots begin as ours do, and go wrong afterwards.
            for (std::size_t slot = 0; slot < slot_count; slot += 1 + random() % 3) {
                Header header;
                header.kind = static_cast<RecordKind>(1 + random() % 4);
                header.closed = random() % 4 == 0;
                header.length = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : 100;
                header.library = "antwerp";
                header.sequence = random();
                header.generation = random() % 5;
                const auto head = encode_header(header);
                std::copy(head.begin(), head.end(), bytes.begin() + static_cast<std::ptrdiff_t>(slot * slot_size));
            }
            pair.disk.set_content(file, std::move(bytes));
        }
        const auto known = pair.open();
        REQUIRE_FALSE(known.set);
        REQUIRE_FALSE(known.note);
        REQUIRE(pair.journals.write_token(some_set(1), some_moment()).copies == 2);
        REQUIRE(same(*pair.open().set, some_set(1)));
        pair.journals =
            JournalPair([&pair] { return pair.disk.open(0); }, [&pair] { return pair.disk.open(1); }, "antwerp");
    }
}

TEST_CASE("damaged slots are overwritten last of all")
{
    Pair pair;
    std::vector<std::byte> bytes(journal_size);
    for (std::size_t slot = 0; slot < 10; ++slot) {
        bytes[slot * slot_size + 300] = std::byte{0x55};
    }
    pair.disk.set_content(0, bytes);
    REQUIRE(pair.open().unreadable == 10);
    for (std::uint64_t generation = 1; generation < 100; ++generation) {
        pair.journals.write_token(some_set(generation), some_moment());
        pair.journals.open_raw(generation, 1, some_moment());
    }
    REQUIRE(pair.open().unreadable == 10);
}

TEST_CASE("journals of a later version and of another library are left exactly as they are")
{
    Pair pair;
    pair.open();
    const auto other = GENERATE(false, true);
    if (other) {
        pair.journals.identify({"ghent", Id{}, Id{}});
        pair.journals.write_token(some_set(1), some_moment());
    } else {
        pair.journals.write_token(some_set(1), some_moment());
        auto bytes = pair.disk.content(0);
        bytes[8] = std::byte{2};
        bytes[300] ^= std::byte{1};
        const auto digest = sha256(std::span(bytes).first(192));
        std::copy(digest.begin(), digest.end(), bytes.begin() + 192);
        pair.disk.set_content(0, bytes);
    }
    const auto before = pair.disk.content(0);
    const auto known = pair.open();
    REQUIRE(known.barred.find(other ? "ghent" : "later version") != std::string::npos);
    REQUIRE_FALSE(known.set);
    REQUIRE(pair.journals.write_token(some_set(2), some_moment()).copies == 0);
    REQUIRE(pair.journals.open_raw(1, 1, some_moment()).copies == 0);
    pair.journals.append_raw("an answer");
    REQUIRE(pair.journals.close_raw({200, true, 9}, some_moment()).copies == 0);
    REQUIRE(pair.journals.mend(some_set(1), std::nullopt, 0, some_moment()).copies == 0);
    REQUIRE(pair.disk.content(0) == before);
}

TEST_CASE("a copy that failed is given what it missed before it counts again")
{
    Pair pair;
    pair.open();
    pair.journals.write_token(some_set(1), some_moment());
    pair.disk.fail_file(1, EIO);
    REQUIRE(pair.journals.write_token(some_set(2), some_moment()).copies == 1);
    REQUIRE(pair.journals.good_copies() == 1);
    REQUIRE_FALSE(pair.journals.trouble().empty());
    pair.disk.heal();
    REQUIRE(pair.journals.write_note(RecordKind::intent, 2, 1, some_note(), some_moment()).copies == 1);
    REQUIRE(pair.journals.mend(some_set(2), some_note(), 1, some_moment()).copies == 2);
    pair.disk.fail_file(0, EIO);
    const auto known = pair.open();
    REQUIRE(same(*known.set, some_set(2)));
    REQUIRE(known.note->reason == "HTTP 500");
}

TEST_CASE("however often a copy is mended, there is room for an answer beside what must stay")
{
    Pair pair;
    pair.open();
    auto kept = some_set(1);
    pair.journals.write_token(kept, some_moment());
    auto set = some_set(2);
    set.keep = 1;
    pair.journals.write_token(set, some_moment());
    for (int i = 0; i < 40; ++i) {
        pair.disk.fail_file(1, EIO);
        pair.journals.write_note(RecordKind::verdict, 2, 1, some_note(), some_moment());
        pair.disk.heal();
        REQUIRE(pair.journals.mend(set, some_note(), 1, some_moment()).copies == 2);
    }
    REQUIRE(pair.journals.open_raw(2, 2, some_moment()).copies == 2);
    REQUIRE(pair.journals.write_note(RecordKind::intent, 2, 2, some_note(), some_moment()).copies == 2);
    pair.journals.append_raw("an answer");
    pair.disk.fail_file(0, EIO);
    const auto known = pair.open();
    REQUIRE(known.intent_open);
    REQUIRE(known.raw);
    REQUIRE(known.raw->body.reveal() == "an answer");
    REQUIRE(same(*known.set, set));
    REQUIRE(same(*known.kept, kept));
}

TEST_CASE("a slot that takes no write is left for another one")
{
    Pair pair;
    pair.open();
    pair.disk.fail_after(0, EIO, 3);
    for (int tries = 0; tries < 4; ++tries) {
        pair.journals.reopen();
        pair.journals.write_token(some_set(1), some_moment());
    }
    REQUIRE(same(*pair.open().set, some_set(1)));
    for (const auto& call : pair.disk.history()) {
        REQUIRE((call.kind == storage::DiskCall::Kind::sync || call.offset >= slot_size));
    }
}

TEST_CASE("wiping leaves the newest record and not one byte of any other")
{
    Pair pair;
    pair.open();
    for (std::uint64_t generation = 1; generation < 8; ++generation) {
        pair.journals.write_token(some_set(generation), some_moment());
        pair.journals.open_raw(generation, 1, some_moment());
        pair.journals.append_raw("{\"access_token\": \"secret\"}");
    }
    TokenSet nothing;
    nothing.generation = 8;
    pair.journals.write_token(nothing, some_moment());
    REQUIRE(pair.journals.wipe_all_but_newest().copies == 2);
    for (const auto file : {std::size_t{0}, std::size_t{1}}) {
        std::string text;
        for (const auto byte : pair.disk.content(file)) {
            text += static_cast<char>(byte);
        }
        REQUIRE(text.find("access-") == std::string::npos);
        REQUIRE(text.find("refresh-") == std::string::npos);
        REQUIRE(text.find("secret") == std::string::npos);
    }
    REQUIRE(pair.open().set->generation == 8);
}

TEST_CASE("a set of two slots is as safe as one of a single slot, whatever is written around it")
{
    std::mt19937 random(5);
    Pair pair;
    pair.open();
    std::optional<TokenSet> before;
    for (std::uint64_t generation = 1; generation < 600; ++generation) {
        auto set = some_set(generation);
        set.keep = before && random() % 4 == 0 ? before->generation : 0;
        if (random() % 2 == 0) {
            set.access = Secret(std::string(3000 + random() % 6000, 'a'));
            set.refresh = Secret(std::string(5000, 'r'));
        }
        REQUIRE(pair.journals.write_token(set, some_moment()).copies == 2);
        for (auto left = random() % 4; left > 0; --left) {
            random() % 2 == 0
                ? pair.journals.open_raw(generation, 1, some_moment())
                : pair.journals.write_note(RecordKind::verdict, generation, 1, some_note(), some_moment());
        }
        const auto known = pair.open();
        REQUIRE(known.unreadable == 0);
        REQUIRE(same(*known.set, set));
        REQUIRE(known.kept.has_value() == (set.keep != 0));
        REQUIRE((!known.kept || same(*known.kept, *before)));
        before = std::move(set);
    }
}

TEST_CASE("a power cut while a set of two slots is written leaves it or the one before")
{
    for (const bool was_wide : {false, true}) {
        Pair pair;
        pair.open();
        auto first = some_set(1);
        first.scope = was_wide ? std::string(9000, 's') : first.scope;
        auto second = some_set(2);
        second.refresh = Secret(std::string(12'000, 'r'));
        for (int i = 0; i < 12; ++i) {  // until every slot was used
            pair.journals.write_token(first, some_moment());
        }
        const std::vector<std::vector<std::byte>> files = {pair.disk.content(0), pair.disk.content(1)};
        pair.disk.forget_history();
        REQUIRE(pair.journals.write_token(second, some_moment()).copies == 2);
        std::size_t states = 0;
        storage::for_each_power_cut(files, pair.disk.history(), [&](std::size_t done, const auto& left) {
            pair.disk.set_content(0, left[0]);
            pair.disk.set_content(1, left[1]);
            const auto known = pair.open();
            REQUIRE(known.set);
            REQUIRE(same(*known.set, known.set->generation == 1 ? first : second));
            REQUIRE((done < 2 || known.set->generation == 2));
            ++states;
        });
        REQUIRE(states > 10);
    }
}

TEST_CASE("wiping spares both slots of the newest set and no byte of an older one")
{
    Pair pair;
    pair.open();
    auto old = some_set(1);
    old.refresh = Secret(std::string(9000, 'o'));
    auto next = some_set(2);
    next.refresh = Secret(std::string(9000, 'n'));
    pair.journals.write_token(old, some_moment());
    pair.journals.write_token(next, some_moment());
    REQUIRE(pair.journals.wipe_all_but_newest().copies == 2);
    REQUIRE(same(*pair.open().set, next));
    const auto& bytes = pair.disk.content(0);
    REQUIRE(std::count(bytes.begin(), bytes.end(), std::byte{'o'}) < 100);
}

TEST_CASE("a scope that takes the tokens' place is left out, and tokens that fit nowhere are refused as too large")
{
    Pair pair;
    pair.open();
    auto talkative = some_set(1);
    talkative.scope = std::string(100'000, 's');
    talkative.token_type = std::string(100'000, 't');
    REQUIRE(pair.journals.write_token(talkative, some_moment()).copies == 2);
    const auto kept = pair.open();
    REQUIRE(kept.set->refresh.equals(talkative.refresh));
    REQUIRE(kept.set->scope.empty());
    auto large = some_set(2);
    large.access = Secret(std::string(16'000, 'x'));
    const auto written = pair.journals.write_token(large, some_moment());
    REQUIRE(written.copies == 0);
    REQUIRE(written.fit == Fit::too_large);
    REQUIRE(pair.open().set->generation == 1);
}

}  // namespace
}  // namespace shelfd::oauth
