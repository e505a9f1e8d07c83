// What is kept of a library moves to its new name, whole, however often that is interrupted.
#include "app/stores/library_rename.hpp"

#include "app/stores/library_removal.hpp"
#include "oauth/journal/former_names.hpp"
#include "oauth/journal/journal_pair.hpp"
#include "oauth/journal/store.hpp"
#include "storage/posix_journal_file.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/temp_directory.hpp"

#include <filesystem>
#include <set>

using namespace shelfd;
namespace fs = std::filesystem;

namespace {

const app::LibraryRename to_antwerpen{"antwerp", "antwerpen"};

// Directories of a daemon, with what one library left in them.
struct Disks {
    TempDirectory directory;
    app::StorePlaces places;

    explicit Disks(bool has_copy = true)
    {
        for (const auto* folder : {"mirrors", "mirrors/.requests", "tokens", "copy", "run"}) {
            fs::create_directory(directory / folder);
            fs::permissions(directory / folder, fs::perms::owner_all);
        }
        places.storage.mirrors = directory / "mirrors";
        places.storage.tokens = directory / "tokens";
        places.storage.tokens_copy = has_copy ? directory / "copy" : "";
        places.refuge = directory / "run";
    }

    oauth::Store store(const std::string& library) const
    {
        return oauth::store_of({places.storage.tokens, places.storage.tokens_copy, places.refuge}, library,
                               storage::Safety::waived);
    }

    // As a keeper of that library finds it.
    oauth::Recovered recover(const std::string& library) const
    {
        const auto found = store(library);
        oauth::JournalPair pair(found.a, found.b, {library, found.former_names}, found.refuge);
        auto known = pair.open();
        REQUIRE(known);
        return std::move(*known);
    }

    void write_set(const std::string& library, const std::string& refresh, const std::string& id = "") const
    {
        const auto found = store(library);
        oauth::JournalPair pair(found.a, found.b, {library, found.former_names}, found.refuge);
        REQUIRE(pair.open());
        oauth::Id installation{};
        installation[0] = std::byte{7};
        pair.identify({library, installation, {}});
        oauth::TokenSet set;
        set.generation = 3;
        set.access = Secret("access of " + library);
        set.refresh = Secret(std::string(refresh));
        set.origin = oauth::Origin::rotated;
        set.library_id = id;
        REQUIRE(pair.write_token(set, {}).copies == 2);
    }

    void make_blank(const std::string& library) const { recover(library); }

    void write_mirror(const std::string& library, bool has_rows, const std::string& id = "") const
    {
        const auto folder = places.mirror(library);
        fs::create_directories(folder);
        const auto file = folder + "/" + library + ".db";
        write_file(file, "");
        auto database = storage::Database::open(file, storage::OpenMode::read_write_create);
        REQUIRE(database);
        const auto sql = std::string("PRAGMA user_version = 1; CREATE TABLE _meta (key TEXT PRIMARY KEY, value TEXT);"
                                     "CREATE TABLE _resources (resource TEXT PRIMARY KEY, as_of DATETIME);"
                                     "INSERT INTO _resources VALUES ('recipes', ") +
                         (has_rows ? "'2026-01-01T00:00:00.000000Z');" : "NULL);");
        REQUIRE(database->execute(sql));
        REQUIRE((id.empty() || database->execute("INSERT INTO _meta VALUES ('library_id', '" + id + "')")));
        for (const auto* rest : {".snapshot.db", ".db.walk-recipes"}) {
            write_file(folder + "/" + library + rest, library);
        }
    }

    std::set<std::string> names(const std::string& folder) const
    {
        std::set<std::string> found;
        for (const auto& entry : fs::directory_iterator(directory / folder)) {
            if (entry.path().filename() != ".places") {  // names both directories of token sets
                found.insert(entry.path().filename().string());
            }
        }
        return found;
    }

    void check_whole() const
    {
        const auto known = recover("antwerpen");
        REQUIRE(known.set);
        CHECK(known.barred.empty());
        CHECK(known.elsewhere.empty());
        CHECK(known.set->refresh.reveal() == "r1");
        const auto folder = names("mirrors/antwerpen");
        for (const auto* name : {"antwerpen.db", "antwerpen.snapshot.db", "antwerpen.db.walk-recipes"}) {
            INFO(name);
            CHECK(folder.contains(name));
        }
        CHECK_FALSE(fs::exists(places.mirror("antwerp")));
        for (const auto& tokens : places.token_directories("antwerp")) {
            CHECK_FALSE(fs::exists(tokens));
        }
        CHECK(names("tokens") == std::set<std::string>{"antwerpen"});
    }
};

}  // namespace

TEST_CASE("a rename moves token set, mirror and snapshots, and the journals are neither copied nor written")
{
    for (const bool has_copy : {false, true}) {
        INFO("two directories: " << has_copy);
        Disks disks(has_copy);
        disks.write_set("antwerp", "r1");
        disks.write_mirror("antwerp", true);
        const auto journal = disks.places.tokens("antwerp") + "/journal.a";
        const auto before = read_file(journal);
        const auto written = fs::last_write_time(journal);
        CHECK(app::assess_rename(disks.places, to_antwerpen).value_or(app::RenameNeed::none) == app::RenameNeed::due);
        REQUIRE(app::carry_out_rename(disks.places, to_antwerpen));
        CHECK(read_file(disks.places.tokens("antwerpen") + "/journal.a") == before);
        CHECK(fs::last_write_time(disks.places.tokens("antwerpen") + "/journal.a") == written);
        disks.check_whole();
        // Once done, it is never looked at again: the old name may be used by another library.
        disks.write_set("antwerp", "of another library");
        CHECK(app::is_rename_done(disks.places, to_antwerpen));
        REQUIRE(app::carry_out_rename(disks.places, to_antwerpen));
        CHECK(disks.recover("antwerpen").set->refresh.reveal() == "r1");
        CHECK(disks.recover("antwerp").set->refresh.reveal() == "of another library");
    }
}

TEST_CASE("a rename goes over the empty store and mirror that the new name has had meanwhile")
{
    Disks disks;
    disks.write_set("antwerp", "r1");
    disks.write_mirror("antwerp", true);
    disks.make_blank("antwerpen");
    disks.write_mirror("antwerpen", false);
    REQUIRE(app::carry_out_rename(disks.places, to_antwerpen));
    disks.check_whole();
    CHECK(disks.names("mirrors") == std::set<std::string>{".requests", "antwerpen"});
}

TEST_CASE("a token set or rows of the new name are never replaced")
{
    SECTION("a set")
    {
        Disks disks;
        disks.write_set("antwerp", "r1");
        disks.write_set("antwerpen", "r2");
        for (const auto& outcome :
             {app::assess_rename(disks.places, to_antwerpen), app::carry_out_rename(disks.places, to_antwerpen)}) {
            REQUIRE_FALSE(outcome);
            CHECK(outcome.error().kind() == ErrorKind::usage);
            CHECK(outcome.error().text().find("it has a token set of its own") != std::string::npos);
            CHECK(outcome.error().text().find("remove that one first (shelfctl library forget antwerpen), then repeat "
                                              "the rename") != std::string::npos);
        }
        CHECK(disks.recover("antwerp").set->refresh.reveal() == "r1");
        CHECK(disks.recover("antwerpen").set->refresh.reveal() == "r2");
    }
    SECTION("a set, while the old name has none")
    {
        Disks disks;
        disks.make_blank("antwerp");
        disks.write_set("antwerpen", "r2");
        CHECK_FALSE(app::carry_out_rename(disks.places, to_antwerpen));
        CHECK(disks.recover("antwerpen").set->refresh.reveal() == "r2");
    }
    SECTION("a set on the second copy only")
    {
        Disks disks;
        disks.write_set("antwerp", "r1");
        disks.write_set("antwerpen", "r2");
        fs::remove_all(disks.places.tokens("antwerpen"));
        CHECK_FALSE(app::carry_out_rename(disks.places, to_antwerpen));
        CHECK(disks.recover("antwerpen").set->refresh.reveal() == "r2");
    }
    SECTION("rows")
    {
        Disks disks;
        disks.write_set("antwerp", "r1");
        disks.write_mirror("antwerp", true);
        disks.write_mirror("antwerpen", true);
        const auto outcome = app::carry_out_rename(disks.places, to_antwerpen);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().text().find("a mirror with rows of its own") != std::string::npos);
        CHECK(disks.recover("antwerp").set->refresh.reveal() == "r1");
    }
}

TEST_CASE("a journal of another library is refused after a rename, too")
{
    Disks disks(false);
    disks.write_set("ghent", "of ghent");
    disks.write_set("antwerp", "r1");
    REQUIRE(app::carry_out_rename(disks.places, to_antwerpen));
    fs::copy_file(disks.places.tokens("ghent") + "/journal.a", disks.places.tokens("antwerpen") + "/journal.a",
                  fs::copy_options::overwrite_existing);
    CHECK(disks.recover("antwerpen").barred.find("contains the token set of library ghent") != std::string::npos);
}

TEST_CASE("renames follow each other, also back to a name that was there before")
{
    Disks disks;
    disks.write_set("antwerp", "r1");
    disks.write_mirror("antwerp", true);
    REQUIRE(app::carry_out_rename(disks.places, to_antwerpen));
    REQUIRE(app::carry_out_rename(disks.places, {"antwerpen", "antwerp"}));
    CHECK(disks.recover("antwerp").set->refresh.reveal() == "r1");
    REQUIRE(app::carry_out_rename(disks.places, to_antwerpen));
    disks.check_whole();
}

TEST_CASE("nothing is due when nothing is kept under the former name")
{
    Disks disks;
    disks.write_set("antwerpen", "r1");
    CHECK(app::assess_rename(disks.places, to_antwerpen).value_or(app::RenameNeed::due) == app::RenameNeed::none);
    REQUIRE(app::carry_out_rename(disks.places, to_antwerpen));
    CHECK(disks.recover("antwerpen").set->refresh.reveal() == "r1");
}

TEST_CASE("a removal overwrites the tokens, removes everything of that library and of no other, and names it")
{
    Disks disks;
    disks.write_set("antwerp", "r1");
    disks.write_mirror("antwerp", true);
    disks.write_set("antwerp2", "r2");
    write_file(disks.places.request_log("antwerp"), "log");
    const auto journal = disks.places.tokens("antwerp") + "/journal.a";
    fs::create_hard_link(journal, disks.directory / "run/seen");
    REQUIRE(app::order_removal(disks.places, "antwerp"));
    CHECK(app::is_removal_ordered(disks.places, "antwerp"));
    CHECK(app::ordered_removals(disks.places) == std::vector<std::string>{"antwerp"});
    const auto removed = app::carry_out_removal(disks.places, "antwerp");
    REQUIRE(removed);
    std::set<std::string> what;
    for (const auto& item : *removed) {
        what.insert(item.what);
        CHECK(item.bytes > 0);
        CHECK_FALSE(fs::exists(item.path));
    }
    CHECK(what ==
          std::set<std::string>{"token set", "second copy of the token set", "mirror and snapshots", "request log"});
    CHECK(read_file(disks.directory / "run/seen").find_first_not_of('\0') == std::string::npos);
    CHECK(disks.recover("antwerp2").set->refresh.reveal() == "r2");
    // Again, and the note goes only when it is told to.
    CHECK(app::carry_out_removal(disks.places, "antwerp").value_or(std::vector<app::RemovedItem>(1)).empty());
    CHECK(app::is_removal_ordered(disks.places, "antwerp"));
    REQUIRE(app::forget_removal(disks.places, "antwerp"));
    CHECK_FALSE(app::is_removal_ordered(disks.places, "antwerp"));
}

TEST_CASE("a removal that is ordered again after an interruption still says what was removed, and that it was revoked")
{
    Disks disks;
    disks.write_set("antwerp", "r1");
    disks.write_mirror("antwerp", true);
    const auto first = app::order_removal(disks.places, "antwerp", app::Revoked::yes);
    REQUIRE(first);
    REQUIRE(first->items.size() == 3);
    REQUIRE(app::carry_out_removal(disks.places, "antwerp"));
    const auto again = app::order_removal(disks.places, "antwerp");
    REQUIRE(again);
    CHECK(again->revoked == app::Revoked::yes);
    REQUIRE(again->items.size() == first->items.size());
    for (std::size_t i = 0; i < again->items.size(); ++i) {
        CHECK(again->items[i].what == first->items[i].what);
        CHECK(again->items[i].path == first->items[i].path);
        CHECK(again->items[i].bytes == first->items[i].bytes);
        CHECK(again->items[i].bytes > 0);
    }
    // Another set than the note means: nothing of it was revoked or removed yet.
    disks.write_set("other", "so that no inode number is used again");
    disks.write_set("antwerp", "r2");
    if (!app::ordered_removal(disks.places, "antwerp")) {
        const auto other = app::order_removal(disks.places, "antwerp");
        REQUIRE(other);
        CHECK(other->revoked == app::Revoked::no);
        CHECK(other->items.size() == 2);
    }
    write_file(disks.places.storage.mirrors + "/.forgotten/antwerp", "no journal\nitem x y\nitem 5\nitem 7 a\n");
    fs::remove_all(disks.places.tokens("antwerp"));
    fs::remove_all(disks.places.tokens_copy("antwerp"));
    const auto broken = app::ordered_removal(disks.places, "antwerp");
    REQUIRE(broken);
    CHECK(broken->items.empty());
}

TEST_CASE("a removal that was interrupted between the copies goes on")
{
    Disks disks;
    disks.write_set("antwerp", "r1");
    disks.write_mirror("antwerp", true);
    REQUIRE(app::order_removal(disks.places, "antwerp"));
    fs::remove_all(disks.places.tokens("antwerp"));
    REQUIRE(app::carry_out_removal(disks.places, "antwerp"));
    CHECK_FALSE(fs::exists(disks.places.tokens_copy("antwerp")));
    CHECK_FALSE(fs::exists(disks.places.mirror("antwerp")));
}

TEST_CASE("a note of a removal that comes back later removes no set that was issued since")
{
    Disks disks;
    disks.write_set("antwerp", "r1");
    REQUIRE(app::order_removal(disks.places, "antwerp"));
    const auto note = disks.places.storage.mirrors + "/.forgotten/antwerp";
    const auto text = read_file(note);
    if (text.empty()) {
        WARN("files have no lasting identity here");
        return;
    }
    REQUIRE(app::check_removal(disks.places, "antwerp"));
    REQUIRE(app::carry_out_removal(disks.places, "antwerp"));
    REQUIRE(app::check_removal(disks.places, "antwerp"));  // it may have been killed before it was told
    disks.write_set("other", "so that no inode number is used again");
    disks.write_set("antwerp", "r2");
    const auto again = app::check_removal(disks.places, "antwerp");
    REQUIRE_FALSE(again);
    CHECK(again.error().kind() == ErrorKind::usage);
    CHECK(again.error().text() ==
          note + " was written for an earlier token set of antwerp; remove that file, then: shelfctl reload");
    CHECK(disks.recover("antwerp").set->refresh.reveal() == "r2");
}

TEST_CASE("a note of a removal that names no journal removes no set, but what an interrupted removal has left")
{
    Disks disks;
    disks.write_set("antwerp", "r1");
    REQUIRE(app::order_removal(disks.places, "antwerp"));
    const auto note = disks.places.storage.mirrors + "/.forgotten/antwerp";
    write_file(note, "");
    const auto refused = app::check_removal(disks.places, "antwerp");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text().find("does not say of which token set of antwerp; remove that file, then: shelfctl "
                                      "reload") != std::string::npos);
    for (const auto& directory : disks.places.token_directories("antwerp")) {
        fs::remove_all(directory);
    }
    CHECK(app::check_removal(disks.places, "antwerp"));
    // Nobody knows what a note says that cannot be read.
    fs::remove(note);
    fs::create_directory(note);
    CHECK_FALSE(app::check_removal(disks.places, "antwerp"));
}

TEST_CASE("what is beside the notes of removals is no library")
{
    Disks disks;
    REQUIRE(app::order_removal(disks.places, "antwerp"));
    for (const auto* other : {".ghent.new", "lost+found", "Ghent"}) {
        write_file(disks.places.storage.mirrors + "/.forgotten/" + other, "");
    }
    CHECK(app::ordered_removals(disks.places) == std::vector<std::string>{"antwerp"});
}

TEST_CASE("the stored data of one library at the service does not become that of another one")
{
    struct Row {
        const char* name;
        const char* set;  // ids
        const char* mirror;
        const char* own_mirror;  // of the new name, without rows
        const char* configured;  // at the new name
        const char* text;        // part of the refusal; "" = carried out
    };
    const Row rows[] = {
        {"the configured id is that of the set", "71", "71", "", "71", ""},
        {"no id is known", "", "", "", "71", ""},
        {"no id is configured", "71", "71", "", "", ""},
        {"the set is of another one", "71", "", "", "73", "belongs to library 71 of the service, and antwerpen has "},
        {"the mirror is", "", "71", "", "73", "has library_id = 73"},
        {"the mirror of the new name is", "71", "", "73", "", "and antwerpen to library 73"},
    };
    for (const auto& row : rows) {
        INFO(row.name);
        Disks disks;
        disks.write_set("antwerp", "r1", row.set);
        disks.write_mirror("antwerp", true, row.mirror);
        disks.write_mirror("antwerpen", false, row.own_mirror);
        const app::LibraryRename rename{"antwerp", "antwerpen", row.configured};
        const auto assessed = app::assess_rename(disks.places, rename);
        const auto carried = app::carry_out_rename(disks.places, rename);
        REQUIRE(assessed.has_value() == (*row.text == '\0'));
        REQUIRE(carried.has_value() == assessed.has_value());
        if (!carried) {
            CHECK(carried.error().kind() == ErrorKind::usage);
            CHECK(carried.error().text().find(row.text) != std::string::npos);
            CHECK(disks.recover("antwerp").set->refresh.reveal() == "r1");
        } else {
            disks.check_whole();
        }
    }
}
