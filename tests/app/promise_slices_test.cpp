// What every proven pass promises, for tables that are walked in parts: windows of a ledger, and lists by parent.
#include "app/library_bench.hpp"

#include "support/catch.hpp"
#include "support/json_tree.hpp"
#include "support/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

using Key = std::pair<std::string, std::int64_t>;  // the part to which a row belongs, and its id
using Rows = std::map<Key, std::string>;

// A table that is walked in parts.
class Parts {
public:
    Parts(BenchOptions options, std::string table) : bench(std::move(options)), table_(std::move(table)) {}
    virtual ~Parts() = default;

    virtual std::vector<std::string> lists() = 0;  // of the service
    virtual Rows service_rows() = 0;
    virtual Rows mirror_rows() = 0;
    // The row is missing from its part, and may be deleted by the next proven walk.
    virtual bool is_missing(const Key& key) = 0;
    virtual sim::Json new_row(std::mt19937& random) = 0;

    const std::string& table() const { return table_; }
    bool is_same(const Key& key, const std::string& of_service, const std::string& of_mirror) const
    {
        auto wanted = read_json(of_service);
        add_own_members(key, wanted);
        return equal_items(wanted, read_json(of_mirror));
    }
    // The runs that proved each part last.
    std::map<std::string, std::string> proofs()
    {
        std::map<std::string, std::string> found;
        auto database = storage::Database::open(bench.files / "mirrors/lib01/lib01.db", storage::OpenMode::read_only);
        REQUIRE(database);
        auto rows =
            database->prepare("SELECT name, coalesce(proof_run, '') FROM _slices WHERE resource = '" + table_ + "'");
        REQUIRE(rows);
        for (auto row = rows->step(); row && *row; row = rows->step()) {
            found.emplace(rows->text(0), rows->text(1));
        }
        return found;
    }

    LibraryBench bench;

protected:
    virtual void add_own_members(const Key&, JsonTree&) const {}
    Rows read_mirror(const std::string& part_and_key)
    {
        std::vector<std::pair<Key, std::string>> keys;
        {
            auto database =
                storage::Database::open(bench.files / "mirrors/lib01/lib01.db", storage::OpenMode::read_only);
            REQUIRE(database);
            auto rows = database->prepare("SELECT " + part_and_key + ", id FROM " + table_);
            REQUIRE(rows);
            for (auto row = rows->step(); row && *row; row = rows->step()) {
                keys.push_back({{std::string(rows->text(0)), rows->integer(2)}, std::string(rows->text(1))});
            }
        }
        mirror::Mirror mirror(mirror::MirrorOptions{
            .directory = bench.files / "mirrors/lib01", .library = "lib01", .clock = bench.clock, .boot_id = ""});
        Rows rows;
        for (const auto& [key, text] : keys) {
            auto item = mirror.item(table_, text);
            REQUIRE(item);
            REQUIRE(*item);
            rows.emplace(key, **item);
        }
        return rows;
    }

private:
    std::string table_;
};

constexpr const char* lines = "sales/lines";

// Three days, each a window of several pages. The service gives them by cursor, in the order of a time that several
// rows have, so that a cursor marks a row by an offset among its equals.
class Ledger final : public Parts {
public:
    explicit Ledger(unsigned seed) : Parts(options(seed), "lines") {}

    std::vector<std::string> lists() override { return {lines}; }
    Rows service_rows() override
    {
        Rows rows;
        for (const auto& [id, text] : bench.service_rows(lines)) {
            rows.emplace(Key(date_of(text), id), text);
        }
        return rows;
    }
    Rows mirror_rows() override { return read_mirror("date, id"); }
    bool is_missing(const Key& key) override
    {
        return bench.query(fmt::format("SELECT missed FROM _state_lines WHERE k1 = {}", key.second)) != "0";
    }
    sim::Json new_row(std::mt19937& random) override { return row(random() % days, random() % 4); }

private:
    static constexpr unsigned days = 3;

    static std::string date_of(const std::string& text)
    {
        const auto at = text.find("\"date\":\"") + 8;
        return text.substr(at, 10);
    }
    static Instant noon()
    {
        BenchOptions options;
        options.hour = 12;
        return LibraryBench::beginning(options);
    }
    static std::string day(std::uint64_t age)
    {
        return (noon() - Duration(24h * static_cast<std::int64_t>(age))).to_text().substr(0, 10);
    }
    static sim::Json row(std::uint64_t age, std::uint64_t tie)
    {
        return *sim::parse_json(
            fmt::format(R"({{"date":"{}","net":"1.50","created_date":"2024-01-0{}T10:00:00Z"}})", day(age), 1 + tie));
    }
    static BenchOptions options(unsigned seed)
    {
        BenchOptions options;
        options.family = "sales";
        options.resources = {"lines"};
        options.world.rows_of[lines] = 0;
        options.world.seed = options.seed = seed;
        options.page_size = 3 + seed % 4;
        options.hour = 12;
        options.every = 24h;
        options.ordering = "";
        options.window = config::Window{.from = "date__gte",
                                        .to = "date__lt",
                                        .field = "date",
                                        .step = 24h,
                                        .since = day(days - 1),
                                        .timezone = "UTC",
                                        .back = 24h * (days + 1)};
        options.prepare = [](sim::World& world) {
            world.quirks(lines).envelope = sim::Envelope::cursor;
            world.quirks(lines).omits_count = true;
            world.quirks(lines).cursor_order = sim::Order{sim::OrderField::created_date, true};
            sim::Edit edit;
            for (unsigned i = 0; i < 14 * days; ++i) {
                edit.add.push_back(row(i % days, i % 4));
            }
            world.edit("lib01", lines, edit);
        };
        return options;
    }
};

// The counts of three outlets, each a list of several pages.
class Counts final : public Parts {
public:
    Counts(unsigned seed, bool by_cursor) : Parts(options(seed, by_cursor), "counts") {}

    std::vector<std::string> lists() override
    {
        std::vector<std::string> lists;
        for (const auto outlet : bench.service_ids("inventory/outlets")) {
            lists.push_back(list_of(outlet));
        }
        return lists;
    }
    Rows service_rows() override
    {
        Rows rows;
        for (const auto outlet : bench.service_ids("inventory/outlets")) {
            for (const auto& [id, text] : bench.service_rows(list_of(outlet))) {
                rows.emplace(Key(std::to_string(outlet), id), text);
            }
        }
        return rows;
    }
    Rows mirror_rows() override { return read_mirror("outlet_id, '[' || outlet_id || ',' || id || ']'"); }
    bool is_missing(const Key& key) override
    {
        return bench.query(fmt::format("SELECT missed FROM _state_counts WHERE k1 = {} AND k2 = {}", key.first,
                                       key.second)) != "0";
    }
    sim::Json new_row(std::mt19937& random) override
    {
        return *sim::parse_json(
            fmt::format(R"({{"name":"new","created_date":"2024-01-0{}T10:00:00Z"}})", 1 + random() % 4));
    }

private:
    static std::string list_of(std::int64_t outlet) { return fmt::format("inventory/outlets/{}/counts", outlet); }

    void add_own_members(const Key& key, JsonTree& row) const override
    {
        JsonTree outlet;
        outlet.type = JsonTree::Type::number;
        outlet.number = key.first;
        row.members[u"outlet_id"] = {outlet};
    }

    static BenchOptions options(unsigned seed, bool by_cursor)
    {
        BenchOptions options;
        options.family = "inventory";
        options.resources = {"counts", "outlets"};
        options.parent = config::Parent{"outlets", "id", "outlet_id", {}, {}};
        options.world.rows_of["inventory/outlets"] = 3;
        options.world.rows_of["inventory/outlets/*/counts"] = 15 + seed % 10;
        options.world.seed = options.seed = seed;
        options.page_size = 3 + seed % 4;
        options.every = 24h;
        options.ordering = by_cursor ? "" : "-id";
        options.prepare = [by_cursor](sim::World& world) {
            auto* outlets = world.find_list(world.library("lib01"), "inventory/outlets");
            for (const auto* outlet : outlets->ordered({sim::OrderField::id, false})) {
                auto& quirks = world.quirks(list_of(outlet->id));
                if (by_cursor) {
                    quirks.envelope = sim::Envelope::cursor;
                    quirks.omits_count = true;
                    quirks.cursor_order = sim::Order{sim::OrderField::modified_date, true};
                }
            }
        };
        return options;
    }
};

// Every version of every row that the service had since `begin`, and which rows never changed.
class History {
public:
    explicit History(Parts& parts) : parts_(parts) {}

    void begin()
    {
        versions_.clear();
        constant_ = parts_.service_rows();
        note();
    }
    void note()
    {
        const auto rows = parts_.service_rows();
        for (const auto& [key, text] : rows) {
            versions_[key].insert(text);
        }
        std::erase_if(constant_, [&](const auto& row) {
            const auto now = rows.find(row.first);
            return now == rows.end() || now->second != row.second;
        });
    }
    bool had(const Key& key, const std::string& item) const
    {
        const auto found = versions_.find(key);
        return found != versions_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                       [&](const auto& one) { return parts_.is_same(key, one, item); });
    }
    const Rows& constant() const { return constant_; }

private:
    Parts& parts_;
    std::map<Key, std::set<std::string>> versions_;
    Rows constant_;
};

// Rows come, change and go after some of the pages of the next walks.
void plan(Parts& parts, std::mt19937& random)
{
    for (const auto& list : parts.lists()) {
        const auto ids = parts.bench.service_ids(list);
        for (std::size_t page = 1; page <= 4; ++page) {
            sim::Edit edit;
            if (random() % 3 == 0) {
                edit.add.push_back(parts.new_row(random));
            }
            if (random() % 3 == 0 && ids.size() > 8) {
                edit.remove.push_back(ids[random() % ids.size()]);
            }
            if (random() % 3 == 0) {
                edit.change.push_back(*sim::parse_json(
                    fmt::format(R"({{"id":{},"name":"changed {}"}})", ids[random() % ids.size()], random())));
            }
            if (random() % 3 == 0) {
                parts.bench.world()->edit_after("lib01", list, page, std::move(edit));
            }
        }
    }
}

void check_part(Parts& parts, const std::string& part, const History& history, const Rows& before)
{
    const auto mirrored = parts.mirror_rows();
    for (const auto& [key, item] : mirrored) {
        if (key.first != part || history.had(key, item)) {
            continue;
        }
        const auto old = before.find(key);
        if (old == before.end() || old->second != item || !parts.is_missing(key)) {
            FAIL("row " << key.second << " of " << part << " is none that the service had during the pass: " << item);
        }
    }
    for (const auto& [key, item] : history.constant()) {
        if (key.first != part) {
            continue;
        }
        const auto found = mirrored.find(key);
        if (found == mirrored.end()) {
            FAIL("row " << key.second << " of " << part << " was there unchanged throughout and is missing");
        }
        if (!parts.is_same(key, item, found->second)) {
            FAIL("row " << key.second << " of " << part << " was there unchanged and is not what the service says");
        }
    }
}

struct Tally {
    std::size_t walked = 0;
    std::size_t proven = 0;
};

void walk_moving_parts(Parts& parts, unsigned seed, Tally& tally)
{
    auto& bench = parts.bench;
    bench.pass_time(5min);
    REQUIRE(bench.sync(parts.table(), sync::Wanted::full_by_person).published);
    std::mt19937 random(seed);
    History history(parts);
    history.begin();
    bench.client.answered = [&history] { history.note(); };
    for (int round = 0; round < 4; ++round) {
        if (round % 2 == 0 || seed % 2 == 0) {
            plan(parts, random);
        }
        history.begin();
        const auto before = parts.mirror_rows();
        const auto proven_before = parts.proofs();
        bench.sync(parts.table(), sync::Wanted::full_by_person);
        bench.pass_time(5min);  // what proved nothing is walked again
        const auto mirrored = parts.mirror_rows();
        for (const auto& [part, run] : parts.proofs()) {
            ++tally.walked;
            const auto old = proven_before.find(part);
            if (old != proven_before.end() && old->second != run) {
                ++tally.proven;
                check_part(parts, part, history, before);
                continue;
            }
            for (const auto& [key, item] : before) {
                INFO("row " << key.second << " of " << part << ", in which nothing was proven");
                CHECK((key.first != part || mirrored.contains(key)));
            }
        }
    }
    // At rest, but for what was planned for a page that no pass came to.
    for (int round = 0; round < 4; ++round) {
        bench.sync(parts.table(), sync::Wanted::full_by_person);
        bench.pass_time(5min);
    }
    const auto wanted = parts.service_rows();
    auto mirrored = parts.mirror_rows();
    for (const auto& [key, item] : mirrored) {
        if (!wanted.contains(key)) {
            FAIL("row " << key.second << " of " << key.first << " is gone, and the mirror has it: " << item
                        << "; missed " << parts.is_missing(key));
        }
    }
    for (const auto& [key, item] : wanted) {
        INFO("row " << key.second << " of " << key.first);
        REQUIRE(mirrored.contains(key));
        if (!parts.is_same(key, item, mirrored.at(key))) {
            FAIL("the mirror has " << mirrored.at(key) << "\nand the service " << item);
        }
    }
}

template <typename MakeParts>
void walk_all(const char* name, unsigned seeds, MakeParts make)
{
    Tally tally;
    for (unsigned seed = 1; seed <= (sanitized ? 5 : seeds); ++seed) {
        INFO("seed " << seed);
        const auto parts = make(seed);
        walk_moving_parts(*parts, seed, tally);
    }
    WARN(name << ": " << tally.proven << " of " << tally.walked << " walks over moving parts were proven");
    CHECK(tally.proven * 5 > tally.walked);
}

}  // namespace

TEST_CASE("after every proven walk the same of a window of a ledger by cursor, in the order of a time with ties")
{
    walk_all("windows by cursor, with ties", 15, [](unsigned seed) { return std::make_unique<Ledger>(seed); });
}

TEST_CASE("after every proven walk the same of a list by parent, newest first or by cursor in the order of changes")
{
    const bool by_cursor = GENERATE(false, true);
    walk_all(by_cursor ? "lists by parent, by cursor" : "lists by parent", 10,
             [by_cursor](unsigned seed) { return std::make_unique<Counts>(seed, by_cursor); });
}
