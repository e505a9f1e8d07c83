// The recipes of contrib/cookbook, as they are written, on mirrors of the simulator.
#include "site.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

using namespace shelfd;

namespace {

namespace fs = std::filesystem;

const fs::path cookbook = fs::path(SHELFD_SOURCE_DIR) / "contrib/cookbook";

// A block of code that is marked: ```sql run
struct Block {
    std::string language;
    std::string text;
    std::string program;  // "low-stock" if its second line is "# /usr/local/bin/low-stock"
};

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<Block> blocks_of(const std::string& recipe)
{
    std::vector<Block> blocks;
    bool is_inside = false;
    for (const auto& line : lines_of(read_file(cookbook / recipe))) {
        if (is_inside && line == "```") {
            is_inside = false;
        } else if (is_inside) {
            const std::string place = "# /usr/local/bin/";
            if (line.starts_with(place)) {
                blocks.back().program = line.substr(place.size());
            }
            blocks.back().text += line + "\n";
        } else if (line.starts_with("```") && line.ends_with(" run")) {
            blocks.push_back({line.substr(3, line.size() - 7), "", ""});
            is_inside = true;
        }
    }
    CHECK_FALSE(is_inside);
    return blocks;
}

bool lacks_a_program(const Block& block)
{
    return block.text.find("sqlite3") != std::string::npos && !fs::exists("/usr/bin/sqlite3");
}

// Two libraries whose tables are walked every two seconds, and a directory for what the recipes write.
class Kitchen {
public:
    explicit Kitchen(const std::string& recipe) : recipe_(recipe), blocks_(blocks_of(recipe))
    {
        REQUIRE_FALSE(blocks_.empty());
        for (const auto* folder : {"work", "bin", "state", "copies"}) {
            fs::create_directory(place(folder));
            fs::permissions(place(folder), fs::perms(0755));
        }
        add_program("shelfctl", fmt::format("#!/bin/sh\nexec '{}' \"$@\" --config '{}'\n", built_program("shelfctl"),
                                            site.config_file()));
        auto config = site.config_text({"antwerp", "ghent"});
        for (const auto& block : blocks_) {
            if (!block.program.empty()) {
                add_program(block.program, adapted(block.text));
            }
            config += block.language == "toml" ? adapted(block.text) : "";
        }
        site.write_config(config);
        daemon_ = site.start_synced();
    }

    std::string place(const std::string& name) const { return site.directory() / name; }
    std::string written(const std::string& name) const { return read_file(place("work/" + name)); }

    // What the block of that number, among those marked, prints. It must succeed.
    std::string run(std::size_t number)
    {
        REQUIRE(number < blocks_.size());
        const auto& block = blocks_[number];
        const auto ran =
            block.language == "sql" ? site.ctl({"sql", "antwerp", "-", "--csv"}, block.text) : shell(block);
        INFO(recipe_ << " block " << number << "\n" << block.text << ran.out << ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.err.find("note:") == std::string::npos);
        return ran.out;
    }
    // All of them, but those that a hook runs.
    std::vector<std::string> run_all()
    {
        std::vector<std::string> printed;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (lacks_a_program(blocks_[i])) {
                WARN("sqlite3 is not installed: block " << i << " of " << recipe_ << " was not run");
            }
            printed.push_back(lacks_a_program(blocks_[i]) ? "" : run(i));
        }
        return printed;
    }
    bool was_run(std::size_t number) const { return !lacks_a_program(blocks_[number]); }
    DaemonProcess& daemon() { return *daemon_; }

    Site site{{.world = {.rows = 30, .rows_of = {{"sales/lines", 200}}},
               .resources = R"([resource.recipes]
path = "/api/v2/library/recipes/"
every = "2s"

[resource.outlets]
path = "/api/v2/inventory/outlets/"
every = "2s"

[resource.stock]
path = "/api/v2/inventory/outlets/{outlet_id}/stock/"
parent = { resource = "outlets", key = "id", as = "outlet_id" }

[resource.sales]
path = "/api/v2/sales/lines/"
every = "2s"
window = { from = "date__gte", to = "date__lt", field = "date", step = "90d", since = "2023-01-01" }
)",
               .libraries = {"antwerp", "ghent"}}};

private:
    void add_program(const std::string& name, const std::string& text) const
    {
        const auto file = place("bin/" + name);
        write_file(file, text);
        fs::permissions(file, fs::perms(0755));
    }

    std::string adapted(std::string text) const
    {
        const auto replace = [&text](const std::string& from, const std::string& to) {
            for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
                text.replace(at, from.size(), to);
            }
        };
        replace("/var/lib/shelfd/mirrors", place("mirrors"));
        replace("/var/lib/shelfd/", place("state/"));
        replace("/usr/local/bin", place("bin"));
        replace("/srv/copies", place("copies"));
        return text;
    }

    Ran shell(const Block& block)
    {
        REQUIRE(block.language == "sh");
        const auto script = place("block.sh");
        write_file(script, adapted(block.text));
        auto environment = clean_environment();
        environment["PATH"] = place("bin") + ":/usr/bin:/bin";
        return run_program({"/bin/sh", "-c", fmt::format("cd '{}' && exec /bin/sh '{}'", place("work"), script)},
                           environment);
    }

    std::string recipe_;
    std::vector<Block> blocks_;
    std::unique_ptr<DaemonProcess> daemon_;
};

double number_in(const std::string& csv_line, std::size_t column)
{
    std::istringstream in(csv_line);
    std::string field;
    for (std::size_t i = 0; i <= column; ++i) {
        std::getline(in, field, ',');
    }
    return std::strtod(field.c_str(), nullptr);
}

}  // namespace

TEST_CASE("the cookbook's list of recipes names each of them, and each has something that is run")
{
    const auto list = read_file(cookbook / "README.md");
    std::set<std::string> known;
    for (const auto& entry : fs::directory_iterator(cookbook)) {
        const auto name = entry.path().filename().string();
        CAPTURE(name);
        if (name != "README.md") {
            known.insert(name);
            CHECK(list.find("[" + name + "](" + name + ")") != std::string::npos);
            CHECK_FALSE(blocks_of(name).empty());
        }
    }
    // Each of them has a test below.
    CHECK(known == std::set<std::string>{"changes.md", "copies.md", "dashboards.md", "decimals.md", "export.md",
                                         "report.md", "several-libraries.md", "stock-alert.md"});
}

TEST_CASE("the cookbook's queries about decimals compare numbers")
{
    Kitchen kitchen("decimals.md");
    const auto printed = kitchen.run_all();
    for (const auto& answer : printed) {
        CHECK(lines_of(answer).size() >= 3);
    }
    auto dear = lines_of(printed[0]);
    dear.erase(dear.begin());
    CHECK(std::all_of(dear.begin(), dear.end(), [](const auto& line) { return number_in(line, 1) > 9; }));
    CHECK(std::is_sorted(dear.begin(), dear.end(),
                         [](const auto& a, const auto& b) { return number_in(a, 1) > number_in(b, 1); }));
}

TEST_CASE("the cookbook's nightly report waits for its data and holds every sale")
{
    Kitchen kitchen("report.md");
    kitchen.run_all();
    const auto lines = lines_of(kitchen.written("sales-report.csv"));
    REQUIRE(lines.size() > 2);
    CHECK(lines[0] == "date,outlet,lines,net,as_of,complete_from");
    double sales = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        sales += number_in(lines[i], 2);
    }
    CHECK(sales == std::stod(kitchen.site.sql("SELECT count(*) FROM sales s JOIN outlets o ON o.id = s.outlet")));
    CHECK(sales > 0);
}

TEST_CASE("the cookbook's exports hold the whole table")
{
    Kitchen kitchen("export.md");
    kitchen.run_all();
    CHECK(lines_of(kitchen.written("recipes.csv")).size() == 31);
    if (kitchen.was_run(1)) {
        CHECK(lines_of(kitchen.written("recipes-2.csv")).size() == 31);
    }
}

TEST_CASE("the cookbook's panels have rows")
{
    Kitchen kitchen("dashboards.md");
    const auto printed = kitchen.run_all();
    REQUIRE(printed.size() == 2);
    CHECK(lines_of(printed[0]).size() > 2);
    CHECK(number_in(lines_of(printed[0])[1], 0) > 1'600'000'000);
    CHECK(lines_of(printed[1]).size() == 5);
}

TEST_CASE("the cookbook's consumer reads the table once, then each change, and acknowledges it")
{
    Kitchen kitchen("changes.md");
    auto& site = kitchen.site;
    kitchen.run(0);
    CHECK(lines_of(kitchen.written("recipes.json")).size() >= 30);
    CHECK(kitchen.run(1).find("webshop,") != std::string::npos);
    site.service().world()->edit("lib01", "library/recipes", change_of_all_recipes(site, 7));
    site.ctl_done({"wait", "antwerp", "recipes", "--as-of", "now"});
    kitchen.run(0);
    auto changes = lines_of(kitchen.written("changes.jsonl"));
    CHECK(std::count_if(changes.begin(), changes.end(),
                        [](const auto& line) { return line.find("\"op\":\"update\"") != std::string::npos; }) == 30);
    site.service().world()->edit("lib01", "library/recipes", change_of_all_recipes(site, 8));
    site.ctl_done({"wait", "antwerp", "recipes", "--as-of", "now"});
    CHECK(kitchen.run(2).find("acknowledged up to ") == 0);
    CHECK(lines_of(kitchen.written("changes.jsonl")).size() == 31);
    kitchen.run(0);
    CHECK(lines_of(kitchen.written("changes.jsonl")).size() == 1);
}

TEST_CASE("the cookbook's list of low stock is made by its hook after the stock changed")
{
    Kitchen kitchen("stock-alert.md");
    const auto file = kitchen.place("state/low-stock-antwerp.csv");
    if (!kitchen.was_run(1)) {
        WARN("skipped: sqlite3 is not installed");
        return;
    }
    kitchen.daemon().await("the list is written", [&] { return fs::exists(file); });
    const auto lines = lines_of(read_file(file));
    REQUIRE(lines.size() > 1);
    CHECK(lines[0] == "outlet,ingredient,amount,as_of");
    for (std::size_t i = 1; i < lines.size(); ++i) {
        CHECK(number_in(lines[i], 2) < 5);
    }
    CHECK(lines.size() - 1 ==
          std::stoul(kitchen.site.sql("SELECT count(*) FROM stock WHERE CAST(amount AS REAL) < 5")));
    CHECK(kitchen.site.ctl_done({"hooks", "list"}).find("low_stock") != std::string::npos);
}

TEST_CASE("the cookbook's query over two libraries answers for both")
{
    Kitchen kitchen("several-libraries.md");
    if (!kitchen.was_run(0)) {
        WARN("skipped: sqlite3 is not installed");
        return;
    }
    const auto printed = kitchen.run_all();
    CHECK(printed[0].find("antwerp,30,") != std::string::npos);
    CHECK(printed[0].find("ghent,30,") != std::string::npos);
    CHECK(lines_of(printed[1]).size() == 5);
}

TEST_CASE("the cookbook's copy is whole and says how old it is")
{
    Kitchen kitchen("copies.md");
    if (!kitchen.was_run(1)) {
        WARN("skipped: sqlite3 is not installed");
        return;
    }
    const auto printed = kitchen.run_all();
    const auto lines = lines_of(printed[1]);
    REQUIRE(lines.size() == 6);
    CHECK(lines[0] == "ok");
    CHECK(lines[1] == "resource,state,as_of,snapshot_at");
}
