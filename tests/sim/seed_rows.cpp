#include "sim/seed_rows.hpp"

#include "sim/awkward_values.hpp"
#include "sim/catalogue.hpp"
#include "sim/random.hpp"

#include <fmt/format.h>

#include <array>

namespace shelfd::sim {

namespace {

using Words = std::array<std::string_view, 12>;

constexpr Words adjectives{"Braised", "Crème", "Grandmother's", "Smoked", "Raw", "Pickled",
                           "Été",     "Warm",  "Double",        "Salted", "Old", "Gefüllte"};
constexpr Words nouns{"leek",   "brûlée", "stoemp", "eel",    "tuna",  "endive",
                      "tomato", "夏の味", "waffle", "butter", "gouda", "Paprika 🌶"};
constexpr Words towns{"Antwerp", "Bruges", "Ghent", "Liège", "Namur",   "Mons",
                      "Leuven",  "Ostend", "Aalst", "Ypres", "Hasselt", "Dinant"};

std::string pick(const Words& words, Random& random)
{
    return std::string(words[random.below(words.size())]);
}

// Each draw stands in a statement of its own: the order in which arguments are evaluated is the compiler's choice.
std::string decimal(Random& random, std::uint64_t bound)
{
    const auto units = random.below(bound);
    return fmt::format("{}.{:02}", units, random.below(100));
}

std::string two_words(const Words& first, const Words& second, Random& random)
{
    const auto begin = pick(first, random);
    return begin + " " + pick(second, random);
}

Json whole(Random& random, std::uint64_t bound, std::uint64_t from = 0)
{
    return from + random.below(bound);
}

std::string day(Instant at)
{
    return at.to_text().substr(0, 10);
}

Json person(Random& random)
{
    const auto number = 1 + random.below(25);
    return Json::object({{"id", number},
                         {"name", fmt::format("User <{}>", number)},
                         {"email", fmt::format("user{}@example.com", number)}});
}

// Once a row was archived, the date stays.
Json archived(Random& random, Instant modified)
{
    return random.one_in(9) ? Json(modified.to_text()) : Json();
}

Json recipe(Json item, Random& random, std::size_t number, Instant modified)
{
    item.add("name", two_words(adjectives, nouns, random));
    item.add("cost_price", decimal(random, 100));
    item.add("portions", whole(random, 12));
    item.add("is_menu", random.one_in(3));
    item.add("created_by", person(random));
    item.add("archived_date", archived(random, modified));
    add_awkward_values(item, random, number);
    return item;
}

Json ingredient(Json item, Random& random, Instant modified)
{
    item.add("name", pick(nouns, random));
    item.add("price", decimal(random, 1000));
    const auto density = random.below(3);
    item.add("density", Json::number(fmt::format("{}.{}", density, 1 + random.below(9))));
    item.add("unit", Json::object({{"id", whole(random, 30, 1)}, {"code", "kg"}}));
    item.add("allergens", random.one_in(2) ? Json::array({"gluten", "celery & mustard"}) : Json::array());
    item.add("supplier", random.one_in(5) ? Json() : whole(random, 100));
    item.add("archived_date", archived(random, modified));
    return item;
}

Json sales_line(Json item, Random& random, Instant created)
{
    item.add("date", day(created));
    item.add("sold_at", created.to_text().substr(11, 8));
    item.add("outlet", whole(random, 12, 1));
    item.add("quantity", whole(random, 40, 1));
    item.add("net", decimal(random, 500));
    item.add("vat", Json::number(random.one_in(2) ? "0.21" : "0.06"));
    item.add("refund", random.one_in(30));
    return item;
}

Json user(Json item, Random& random, std::size_t number)
{
    item.add("username", fmt::format("user{:02}", number + 1));
    item.add("email", fmt::format("user{:02}@example.com", number + 1));
    item.add("profile", Json::object({{"language", random.one_in(2) ? "nl" : "fr"}, {"phone", Json()}}));
    item.add("groups", Json::array({whole(random, 4, 1)}));
    item.add("is_active", !random.one_in(8));
    return item;
}

Json outlet(Json item, Random& random, std::size_t number)
{
    item.add("name", fmt::format("{} {}", towns[number % towns.size()], number / towns.size() + 1));
    item.add("opens", "06:30:00");
    const auto degrees = 50 + random.below(2);
    item.add("position", Json::object({{"lat", Json::number(fmt::format("{}.{}", degrees, random.below(10000)))},
                                       {"lon", Json::number(fmt::format("{}.0", random.below(7)))}}));
    return item;
}

Json stock(Json item, Random& random)
{
    item.add("ingredient", whole(random, 1000, 1));
    item.add("amount", decimal(random, 50));
    item.add("counted", random.one_in(4) ? Json() : whole(random, 90));
    return item;
}

Json named(Json item, Random& random)
{
    item.add("name", two_words(adjectives, towns, random));
    item.add("code", random.word(6));
    item.add("total", decimal(random, 9000));
    return item;
}

}  // namespace

Instant seeded_date(std::size_t number, std::size_t rows)
{
    constexpr std::int64_t first_second = 1'672'552'800;  // 2023-01-01T06:00:00Z
    constexpr std::int64_t two_years = 2 * 365 * 86'400;
    const auto step = two_years * 1'000'000 / static_cast<std::int64_t>(rows + 1);
    return Instant::from_seconds(first_second) + Duration(step * static_cast<std::int64_t>(number));
}

Json seeded_item(std::string_view path, std::uint64_t seed, std::int64_t id, std::size_t number, Instant created)
{
    Random random(seed_for(seed, std::to_string(id)));
    const Instant modified = created + std::chrono::hours(random.below(2000)) + std::chrono::microseconds(999'999);
    auto item = Json::object({{"id", id}, {"url", fmt::format("{}{}/{}/", api_root, path, id)}});
    // Django writes six digits, or none when they are all zero.
    item.add("created_date", random.one_in(2) ? created.to_text() : created.to_short_text());
    item.add("modified_date", modified.to_text());
    if (path == "library/recipes") {
        return recipe(std::move(item), random, number, modified);
    }
    if (path == "library/ingredients") {
        return ingredient(std::move(item), random, modified);
    }
    if (path == "sales/lines") {
        return sales_line(std::move(item), random, created);
    }
    if (path == "accounts/users") {
        return user(std::move(item), random, number);
    }
    if (path == "inventory/outlets") {
        return outlet(std::move(item), random, number);
    }
    return path.ends_with("/stock") ? stock(std::move(item), random) : named(std::move(item), random);
}

void add_recipe_detail(Json& item, std::uint64_t seed, std::int64_t id)
{
    Random random(seed_for(seed, fmt::format("detail {}", id)));
    auto steps = Json::array();
    const auto count = 1 + random.below(5);
    for (std::uint64_t step = 1; step <= count; ++step) {
        steps.items.push_back(Json::object({{"number", step},
                                            {"text", "Stir.\nWait for the " + pick(nouns, random) + "."},
                                            {"minutes", whole(random, 45)}}));
    }
    item.add("steps", std::move(steps));
    item.add("nutrition", Json::object({{"kcal", Json::number(fmt::format("{}.5", random.below(900)))},
                                        {"salt", random.one_in(3) ? Json() : Json(decimal(random, 3))}}));
    item.add("total_cost", decimal(random, 300));
}

}  // namespace shelfd::sim
