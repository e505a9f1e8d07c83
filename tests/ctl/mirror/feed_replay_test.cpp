// Whoever read the tables at a position, and applies the changes behind it, has the tables as they are: or is told to
// read them anew. However rows come into a table and leave it.
#include "ctl/mirror/change_reader.hpp"
#include "mirror/mirror.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/scale.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace shelfd::ctl {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

template <typename T>
T must(Result<T> result)
{
    if (!result) {
        throw std::runtime_error(result.error().text());
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

// By key; a row of which the feed tells no values is null.
using Table = std::map<std::string, json::value>;
using Tables = std::map<std::string, Table>;

constexpr std::int64_t step = 100;  // seconds, of a window

// A mirror of every kind of table, over lists that change all the time.
class Site {
public:
    explicit Site(unsigned seed) : random_(seed)
    {
        begins_ = clock_.now().seconds() - 4 * step;
        specs_ = {
            {.name = "things", .detail = mirror::DetailSpec{"url", 168h}},
            {.name = "tags"},
            {.name = "lines", .axis = "t UTC"},
            {.name = "stock", .key = {"outlet", "id"}, .axis = "outlets id outlet", .parent_member = "outlet"},
        };
        for (int id = 1; id <= 6; ++id) {
            things_[id] = 1;
            tags_[id] = 1;
            lines_[id] = {random_time(), 1};
        }
        open();
    }

    void act()
    {
        using Act = void (Site::*)();
        constexpr Act acts[] = {
            &Site::change_lists, &Site::change_lists,  &Site::change_lists, &Site::walk_things, &Site::walk_things,
            &Site::walk_tags,    &Site::walk_window,   &Site::walk_window,  &Site::walk_window, &Site::extend_ledger,
            &Site::begin_window, &Site::walk_stock,    &Site::walk_stock,   &Site::end_round,   &Site::keep_outlets,
            &Site::hide_a_thing, &Site::fetch_details, &Site::ask_changes,  &Site::ask_changes, &Site::doubt_things,
            &Site::decide,       &Site::retype,        &Site::configure,    &Site::configure,   &Site::configure_more,
            &Site::limit_feed,   &Site::age_feed,      &Site::begin_anew,   &Site::break_file,
        };
        // What makes all positions worthless is rare: else nothing else would be tried.
        constexpr std::size_t first_rare = 20;
        const auto chosen = random_() % (std::size(acts));
        if (chosen >= first_rare && random_() % 4 != 0) {
            return;
        }
        (this->*acts[chosen])();
        clock_.advance_by(1s);
    }

    std::string file() const { return directory_ / "antwerp/antwerp.db"; }
    std::set<std::string> told() const
    {
        std::set<std::string> names;
        for (const auto& spec : specs_) {
            if (spec.changes != mirror::ChangeDetail::none) {
                names.insert(spec.name);
                if (spec.detail) {
                    names.insert(spec.name + "_detail");
                }
            }
        }
        return names;
    }

    Tables tables()
    {
        Tables all;
        for (const auto& name : told()) {
            auto& table = all[name];
            for (const auto& key : keys(name)) {
                table[key] = json::parse(*must(mirror_->item(name, key)));
            }
        }
        return all;
    }

private:
    struct Line {
        std::int64_t at = 0;
        int version = 0;
    };

    int roll(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }
    std::int64_t random_time() { return begins_ + roll(static_cast<int>(clock_.now().seconds() + step - begins_)); }

    void open()
    {
        mirror_.reset();
        mirror_ = std::make_unique<mirror::Mirror>(mirror::MirrorOptions{.directory = directory_ / "antwerp",
                                                                         .library = "antwerp",
                                                                         .clock = clock_,
                                                                         .boot_id = fmt::format("boot-{}", boots_),
                                                                         .change_limits = limits_});
        for (auto& spec : specs_) {
            if (spec.name == "lines") {
                spec.begins_at = Instant::from_seconds(begins_);
            }
        }
        must(mirror_->declare(specs_));
    }

    std::vector<std::string> keys(const std::string& table) const
    {
        const auto list = table.ends_with("_detail") ? table.substr(0, table.rfind('_')) : table;
        std::string columns;
        for (const auto& column : spec(list).key) {
            columns += (columns.empty() ? "" : " || ',' || ") + column;
        }
        auto reader = must(storage::Database::open(file(), storage::OpenMode::read_only));
        const auto text = spec(list).key.size() == 1 ? columns : "'[' || " + columns + " || ']'";
        auto rows = must(reader.prepare(fmt::format("SELECT {} FROM \"{}\"", text, table)));
        std::vector<std::string> found;
        while (must(rows.step())) {
            found.emplace_back(rows.text(0));
        }
        return found;
    }

    bool has(const std::string& name) const
    {
        return std::any_of(specs_.begin(), specs_.end(), [&](const auto& spec) { return spec.name == name; });
    }

    const mirror::ResourceSpec& spec(const std::string& name) const
    {
        return *std::find_if(specs_.begin(), specs_.end(), [&](const auto& one) { return one.name == name; });
    }
    mirror::ResourceSpec& spec(const std::string& name)
    {
        return *std::find_if(specs_.begin(), specs_.end(), [&](const auto& one) { return one.name == name; });
    }

    mirror::PassStart start()
    {
        mirror::PassStart start;
        start.run_id = fmt::format("run-{}", ++runs_);
        start.started = start.as_of = clock_.now();
        return start;
    }

    mirror::Proof proof()
    {
        mirror::Proof proof{.complete = roll(5) != 0, .kind = "some", .pages = 1, .requests = 1};
        proof.one_answer = proof.complete && roll(2) == 0;
        return proof;
    }

    void change_lists()
    {
        const int id = 1 + roll(9);
        switch (roll(7)) {
        case 0: things_.erase(id); break;
        case 1: things_[id] = roll(1000); break;
        case 2: tags_[id] = roll(1000); break;
        case 3: tags_.erase(id); break;
        case 4: lines_.erase(id); break;
        case 5: lines_[id] = {random_time(), roll(1000)}; break;
        default: stock_[{1 + roll(4), id}] = roll(1000);
        }
    }

    std::string things_page(int hidden = 0) const
    {
        std::string page;
        for (const auto& [id, version] : things_) {
            if (id != hidden) {
                page += fmt::format(R"({}{{"id":{},"url":"https://a.test/{}/","v":{},"secret":{}}})",
                                    page.empty() ? "" : ",", id, id, version, version);
            }
        }
        return "[" + page + "]";
    }

    void walk_things()
    {
        auto pass = must(mirror_->begin_pass("things", start()));
        must(pass->add_page(things_page()));
        must(pass->publish(proof()));
    }

    // A row that is asked for by itself, and there: it and all others that lack are held.
    void hide_a_thing()
    {
        if (things_.empty()) {
            return;
        }
        auto pass = must(mirror_->begin_pass("things", start()));
        must(pass->add_page(things_page(things_.begin()->first)));
        for (const auto& row : must(pass->missing(5, {"url"}))) {
            pass->add_evidence(row, mirror::Witness::there);
        }
        must(pass->publish({.complete = true, .kind = "some", .pages = 1, .requests = 1}));
    }

    void decide()
    {
        if (must(mirror_->held("things", 1)).waiting == 0) {
            return;
        }
        must(mirror_->decide("things", {roll(2) == 0 ? mirror::HeldFate::accept : mirror::HeldFate::keep, {}}));
    }

    // Each row, or only some of them.
    std::string tags_page(bool all = true)
    {
        std::string page;
        for (const auto& [id, version] : tags_) {
            if (all || roll(2) == 0) {
                page +=
                    fmt::format(R"({}{{"id":{},"no":{},"v":"{}"}})", page.empty() ? "" : ",", id, 100 + id, version);
            }
        }
        return "[" + page + "]";
    }

    void walk_tags()
    {
        if (!has("tags")) {
            return;
        }
        auto pass = must(mirror_->begin_pass("tags", start()));
        must(pass->add_page(tags_page()));
        must(pass->publish(proof()));
    }

    // Brings some rows; those that it lacks did not change.
    void ask_changes()
    {
        const mirror::Proof of_changes{.kind = "some", .pages = 1, .requests = 1, .whole = false};
        auto begun = start();
        begun.mode = mirror::RunMode::incremental;
        begun.asks_changes = true;
        if (has("tags") && must(mirror_->summary("tags"))->as_of && roll(2) == 0) {
            auto pass = must(mirror_->begin_pass("tags", begun));
            must(pass->add_page(tags_page(false)));
            must(pass->publish(of_changes));
            return;
        }
        begun.slice = outlet();
        auto pass = mirror_->begin_pass("stock", begun);
        if (!pass) {  // not before the whole list was walked
            REQUIRE(pass.error().text().find("can fill it") != std::string::npos);
            return;
        }
        must((*pass)->add_page(stock_page(begun.slice->value, false)));
        must((*pass)->publish(of_changes));
    }

    // Nobody vouches for the token: what the walk lacks is held.
    void doubt_things()
    {
        const mirror::Proof unvouched{.kind = "some", .pages = 1, .requests = 1, .is_unvouched = true};
        if (roll(2) == 0) {
            auto pass = must(mirror_->begin_pass("things", start()));
            must(pass->add_page(things_page(things_.empty() ? 0 : things_.begin()->first)));
            must(pass->publish(unvouched));
            return;
        }
        auto begun = start();
        begun.slice = outlet();
        auto pass = must(mirror_->begin_pass("stock", begun));
        must(pass->add_page(stock_page(begun.slice->value, false)));
        must(pass->publish(unvouched));
    }

    void walk_window()
    {
        auto begun = start();
        begun.mode = mirror::RunMode::window;
        const auto windows = (clock_.now().seconds() - begins_) / step + 1;
        auto& slice = begun.slice.emplace();
        slice.first = begins_ + roll(static_cast<int>(windows)) * step;
        slice.past = slice.first + step;
        slice.name = std::to_string(slice.first);
        slice.field = "t";
        slice.place_of = [](std::string_view text) -> std::optional<std::int64_t> {
            return std::stoll(std::string(text));
        };
        std::string page;
        for (const auto& [id, line] : lines_) {
            if (slice.holds(line.at)) {
                page +=
                    fmt::format(R"({}{{"id":{},"t":"{}","v":{}}})", page.empty() ? "" : ",", id, line.at, line.version);
            }
        }
        auto pass = must(mirror_->begin_pass("lines", begun));
        must(pass->add_page("[" + page + "]"));
        auto proven = proof();
        proven.one_answer = false;
        if (proven.complete && roll(2) == 0) {
            ask_for_missing(*pass);
        }
        must(pass->publish(proven));
    }

    // By their own addresses: they are in another window, or nowhere.
    void ask_for_missing(mirror::Pass& pass)
    {
        for (const auto& row : must(pass.missing(5, {}))) {
            const auto line = lines_.find(std::stoi(row.key));
            if (line != lines_.end()) {
                pass.testify_moved(row, line->second.at);
            } else {
                pass.add_evidence(row, mirror::Witness::gone);
            }
        }
    }

    void extend_ledger()
    {
        begins_ -= step;
        lines_[20 + roll(5)] = {begins_ + roll(step), 1};
        open();
    }

    void begin_window() { clock_.advance_by(std::chrono::seconds(step)); }

    void walk_stock()
    {
        auto begun = start();
        begun.slice = outlet();
        auto pass = must(mirror_->begin_pass("stock", begun));
        must(pass->add_page(stock_page(begun.slice->value)));
        must(pass->publish(proof()));
    }

    mirror::Slice outlet()
    {
        mirror::Slice slice;
        slice.name = slice.value = std::to_string(1 + roll(4));
        slice.member = spec("stock").parent_member;
        return slice;
    }

    std::string stock_page(const std::string& of_outlet, bool all = true)
    {
        std::string page;
        for (const auto& [key, version] : stock_) {
            if (std::to_string(key.first) == of_outlet && (all || roll(2) == 0)) {
                page += fmt::format(R"({}{{"id":{},"v":{}}})", page.empty() ? "" : ",", key.second, version);
            }
        }
        return "[" + page + "]";
    }

    void end_round()
    {
        mirror::RoundEnd end;
        end.parents = {"1", "2", "3", "4"};
        end.parents_as_of = clock_.now();
        must(mirror_->end_round("stock", end));
    }

    void keep_outlets()
    {
        mirror::ParentRows parents{.as_of = clock_.now(), .lacks_as_of = clock_.now()};
        for (int outlet = 1; outlet <= 4; ++outlet) {
            if (roll(4) != 0) {
                parents.keys.push_back(std::to_string(outlet));
            }
        }
        auto begun = start();
        begun.mode = mirror::RunMode::parents;
        must(mirror_->drop_other_lists("stock", parents, begun));
    }

    void fetch_details()
    {
        if (!spec("things").detail) {
            return;
        }
        std::vector<mirror::DetailAnswer> answers;
        for (const auto& item : must(mirror_->next_details("things", {4, 1}))) {
            auto& answer = answers.emplace_back();
            answer.key = item.key;
            answer.asked = answer.fetched_at = clock_.now();
            answer.retry_at = clock_.now() + 1min;
            answer.kind = roll(6) == 0 ? mirror::DetailAnswer::Kind::gone : mirror::DetailAnswer::Kind::item;
            answer.body = fmt::format(R"({{"id":{},"cost":{}}})", item.key, roll(3));
        }
        const mirror::DetailRun run{
            .run_id = fmt::format("run-{}", ++runs_), .started = clock_.now(), .requests = answers.size()};
        must(mirror_->put_details("things", run, answers));
    }

    void retype()
    {
        if (has("tags") && !keys("tags").empty()) {
            must(mirror_->retype("tags", "v"));
        }
    }

    void configure()
    {
        auto& things = spec("things");
        switch (roll(7)) {
        case 0: things.source += "/other"; break;
        case 1:
            things.exclude = things.exclude.empty() ? std::vector<std::string>{"secret"} : std::vector<std::string>();
            break;
        case 2: things.keep_deleted = !things.keep_deleted; break;
        case 3:
        case 4:
            if (has("tags")) {
                std::erase_if(specs_, [](const auto& spec) { return spec.name == "tags"; });
            } else {
                specs_.push_back({.name = "tags"});
            }
            break;
        case 5:
            for (auto& spec : specs_) {
                if (spec.name == "tags") {
                    spec.changes = spec.changes == mirror::ChangeDetail::values ? mirror::ChangeDetail::keys
                                   : spec.changes == mirror::ChangeDetail::keys ? mirror::ChangeDetail::none
                                                                                : mirror::ChangeDetail::values;
                }
            }
            break;
        default:
            for (auto& spec : specs_) {
                spec.axis += spec.name == "lines" ? "'" : "";
            }
        }
        open();
    }

    // Another key, details on or off, lists by another parent.
    void configure_more()
    {
        auto& stock = spec("stock");
        switch (roll(4)) {
        case 0:
            if (has("tags")) {
                auto& key = spec("tags").key;
                key = {key.front() == "id" ? "no" : "id"};
            }
            break;
        case 1: {
            auto& detail = spec("things").detail;
            detail = detail ? std::nullopt : std::optional(mirror::DetailSpec{"url", 168h});
            break;
        }
        case 2:
            stock.parent_member = stock.parent_member == "outlet" ? "shop" : "outlet";
            stock.key.front() = stock.parent_member;
            stock.axis = "outlets id " + stock.parent_member;
            break;
        default: stock.axis += "'";
        }
        open();
    }

    void age_feed()
    {
        limits_.keep = roll(2) == 0 ? Duration(std::chrono::seconds(20 + roll(200))) : Duration(24h * 90);
        open();
    }

    void limit_feed()
    {
        limits_.max_rows = 5 + roll(30);
        open();
    }

    void begin_anew()
    {
        mirror_.reset();
        std::filesystem::rename(file(), file() + ".aside");
        open();
    }

    // Set aside by the mirror itself, and compared with what comes.
    void break_file()
    {
        must(mirror_->checkpoint(storage::CheckpointMode::truncate));
        std::size_t page = 0;
        {
            auto reader = must(storage::Database::open(file(), storage::OpenMode::read_only));
            auto row = must(reader.prepare("SELECT rootpage FROM sqlite_master WHERE name = '_state_things'"));
            page = must(row.step()) ? static_cast<std::size_t>(row.integer(0)) : 0;
        }
        if (page == 0) {
            return;
        }
        mirror_.reset();
        {
            std::fstream broken(file(), std::ios::in | std::ios::out | std::ios::binary);
            broken.seekp(static_cast<std::streamoff>((page - 1) * 16384));
            broken << std::string(200, '\xa5');
        }
        ++boots_;
        open();
        walk_things();
    }

    std::mt19937 random_;
    TempDirectory directory_;
    asio::io_context loop_;
    SimulatedClock clock_{loop_};
    std::vector<mirror::ResourceSpec> specs_;
    mirror::ChangeLimits limits_;
    std::unique_ptr<mirror::Mirror> mirror_;
    std::int64_t begins_ = 0;
    int runs_ = 0;
    int boots_ = 1;
    std::map<int, int> things_;
    std::map<int, int> tags_;
    std::map<int, Line> lines_;
    std::map<std::pair<int, int>, int> stock_;
};

void apply(Tables& tables, const Change& change)
{
    auto& table = tables[change.resource];
    if (change.op == "delete") {
        table.erase(change.item_key);
    } else if (!change.after) {
        table[change.item_key] = nullptr;
    } else if (change.op == "insert") {
        table[change.item_key] = json::parse(*change.after);
    } else if (auto* item = table[change.item_key].if_object()) {
        const auto before = json::parse(change.before.value_or("{}"));
        const auto after = json::parse(*change.after);
        for (const auto& member : before.as_object()) {
            item->erase(member.key());
        }
        for (const auto& member : after.as_object()) {
            (*item)[member.key()] = member.value();
        }
    }
}

// "" = the same. Values that the feed does not tell are not compared.
std::string difference(const Tables& mine, const Tables& theirs, const std::set<std::string>& told)
{
    for (const auto& name : told) {
        const auto my = mine.find(name) == mine.end() ? Table() : mine.at(name);
        const auto& their = theirs.at(name);
        for (const auto& [key, item] : their) {
            const auto found = my.find(key);
            if (found == my.end() || (!found->second.is_null() && found->second != item)) {
                return fmt::format("{} {} is {}, and by the feed {}", name, key, json::serialize(item),
                                   found == my.end() ? "not there" : json::serialize(found->second));
            }
        }
        for (const auto& [key, item] : my) {
            if (!their.contains(key)) {
                return fmt::format("{} {} is gone, and by the feed it is there", name, key);
            }
        }
    }
    return "";
}

struct Stop {
    Position position;
    Tables tables;
    std::set<std::string> told;  // nobody hears of a table while its changes are none
};

struct Tally {
    int followed = 0;
    int refused = 0;
};

// What somebody has who stopped there and goes on now; "" = what the tables have, or it is refused.
std::string follow(const Site& site, const Stop& stop, const std::string& resource, const Tables& now, Tally& tally)
{
    auto reader = must(ChangeReader::open(site.file(), resource));
    auto mine = stop.tables;
    auto position = stop.position;
    for (bool more = true; more;) {
        const auto batch = must(reader.after(position));
        if (!batch.gap.empty()) {
            ++tally.refused;
            return "";
        }
        for (const auto& change : batch.changes) {
            apply(mine, change);
        }
        position = batch.reached;
        more = batch.more;
    }
    ++tally.followed;
    std::set<std::string> both;
    for (const auto& name : site.told()) {
        const bool concerns = resource.empty() || name == resource;
        if (concerns && (stop.told.contains(name) || !stop.tables.contains(name))) {
            both.insert(name);
        }
    }
    return difference(mine, now, both);
}

}  // namespace

TEST_CASE("whoever goes on from a position has the tables as they are or is refused, however rows come and go")
{
    Tally all;
    Tally one;
    for (unsigned seed = 1; seed <= (sanitized ? 6 : 40); ++seed) {
        INFO("seed " << seed);
        Site site(seed);
        std::deque<Stop> stops;
        for (int turn = 0; turn < 60; ++turn) {
            INFO("turn " << turn);
            site.act();
            const auto now = site.tables();
            for (const auto& stop : stops) {
                INFO("from " << stop.position.to_text());
                REQUIRE(follow(site, stop, "", now, all) == "");
                for (const auto& name : site.told()) {
                    REQUIRE(follow(site, stop, name, now, one) == "");
                }
            }
            stops.push_back({must(must(ChangeReader::open(site.file(), "")).newest()), now, site.told()});
            if (stops.size() > 6) {
                stops.pop_front();
            }
        }
    }
    WARN(all.followed << " followed, " << all.refused << " were refused; of single tables " << one.followed << " and "
                      << one.refused);
    CHECK(all.followed * 20 > all.refused);
    CHECK(one.followed * 4 > one.refused);
}

}  // namespace shelfd::ctl
