#include "ctl/comparison/compared_columns.hpp"
#include "ctl/comparison/select_names.hpp"
#include "support/catch.hpp"

namespace shelfd::ctl {
namespace {

// How often the statement compares `price` as text; `id` is a number.
std::size_t comparisons(const std::string& sql)
{
    return find_comparisons(split_sql(sql), "price", [](const std::string& name) { return name == "id"; }).size();
}

TEST_CASE("a column is compared where SQLite compares its text, and nowhere else")
{
    struct Row {
        const char* sql;
        std::size_t comparisons;
    };
    const std::vector<Row> rows = {
        {"SELECT price FROM recipes", 0},
        {"SELECT * FROM recipes WHERE price > 9", 1},
        {"SELECT * FROM recipes WHERE Price>=9.5 AND name = 'price'", 1},
        {"SELECT * FROM recipes r WHERE 9 < r.\"price\"", 1},
        {"SELECT * FROM recipes WHERE recipes.[price] < '9'", 1},
        {"SELECT * FROM recipes WHERE (price) > 9", 1},
        {"SELECT * FROM recipes WHERE price = 9", 1},
        {"SELECT * FROM recipes WHERE price = -9", 1},
        {"SELECT * FROM recipes WHERE 9 <> price", 1},
        {"SELECT * FROM recipes WHERE price IN (9, 10)", 1},
        {"SELECT * FROM recipes WHERE price NOT BETWEEN 1 AND 20", 1},
        {"SELECT * FROM recipes WHERE price > (SELECT avg(cost) FROM recipes)", 1},
        {"SELECT * FROM recipes WHERE price < cost", 1},
        {"SELECT max(price), MIN(r.price) FROM recipes r", 2},
        {"SELECT max(price, '5'), min(0, r.price, id), max(abs(id), (price)) FROM recipes r", 3},
        {"SELECT name FROM recipes ORDER BY price", 1},
        {"SELECT name FROM recipes ORDER BY name, price DESC LIMIT 5", 1},
        {"SELECT row_number() OVER (ORDER BY price) FROM recipes", 1},
        {"SELECT * FROM recipes WHERE price > 9 ORDER BY price", 2},
        // The value of an exact text.
        {"SELECT * FROM recipes WHERE price = '9.50'", 0},
        {"SELECT * FROM recipes WHERE price IN ('9.50')", 0},
        {"SELECT * FROM recipes WHERE price IS NOT NULL", 0},
        {"SELECT * FROM recipes WHERE price LIKE '9%'", 0},
        // SQLite compares numbers: affinity, section 4.2 of datatype3.html.
        {"SELECT * FROM recipes WHERE CAST(price AS REAL) > 9", 0},
        {"SELECT * FROM recipes WHERE price > CAST('9' AS REAL)", 0},
        {"SELECT * FROM recipes WHERE CAST(cost AS REAL) < price", 0},
        {"SELECT * FROM recipes r WHERE price > r.id", 0},
        {"SELECT * FROM recipes WHERE id < price", 0},
        {"SELECT * FROM recipes WHERE price * 2 > 9", 0},
        {"SELECT * FROM recipes WHERE 9 < price + 0", 0},
        {"SELECT * FROM recipes WHERE -price < 9", 0},
        {"SELECT * FROM recipes WHERE abs(price) > 9", 0},
        {"SELECT max(CAST(price AS REAL)), sum(price) FROM recipes", 0},
        {"SELECT max(CAST(price AS REAL), 5), max(price + 0, 5), coalesce(price, 5), max(abs(price), 5) FROM recipes",
         0},
        {"SELECT name FROM recipes ORDER BY CAST(price AS REAL)", 0},
        {"SELECT name FROM recipes GROUP BY price, name", 0},
        // Another thing of that name.
        {"SELECT CAST(price AS REAL) AS price FROM recipes ORDER BY price", 0},
        {"SELECT price.id FROM recipes price WHERE price.id > 9", 0},
        {"SELECT * FROM recipes WHERE price(id) > 9", 0},
        {"SELECT * FROM recipes -- price > 9", 0},
        {"SELECT * FROM recipes /* price > 9 */ WHERE note > 'price > 9'", 0},
        {"SELECT * FROM recipes WHERE note = 'it''s price' AND price > 9", 1},
        // Broken statements end.
        {"price", 0},
        {"price >", 1},
        {"> price", 1},
        {"max(price", 0},
        {"ORDER BY price", 1},
        {"'price", 0},
        {"", 0},
    };
    for (const auto& row : rows) {
        INFO(row.sql);
        CHECK(comparisons(row.sql) == row.comparisons);
    }
}

// What the statement's names mean; `id` and `name` are columns besides `price` and `cost`.
SelectNames names_of(const std::string& sql)
{
    return read_select_names(split_sql(sql), [](const std::string& name) {
        return name == "id" || name == "name" || name == "price" || name == "cost";
    });
}

TEST_CASE("a name given to a column is followed where it stands for that column alone")
{
    using Aliases = std::map<std::string, std::string>;
    struct Row {
        const char* sql;
        Aliases aliases;
    };
    const std::vector<Row> rows = {
        {"SELECT price AS p FROM recipes WHERE p > 9", {{"p", "price"}}},
        {"SELECT r.price \"P\", name n FROM recipes r", {{"p", "price"}, {"n", "name"}}},
        {"WITH x AS (SELECT (price) AS p FROM recipes) SELECT p AS q FROM x WHERE q > 9",
         {{"p", "price"}, {"q", "price"}}},
        {"SELECT * FROM (SELECT DISTINCT price AS p FROM recipes) WHERE p > 9", {{"p", "price"}}},
        // Another value, or one of two.
        {"SELECT price + 1 AS p FROM recipes WHERE p > 9", {}},
        {"SELECT CAST(price AS REAL) AS p FROM recipes WHERE p > 9", {}},
        {"SELECT price AS p FROM recipes UNION ALL SELECT 1.5 FROM recipes ORDER BY p", {}},
        {"SELECT p FROM (SELECT price AS p FROM recipes), (SELECT 1 AS p)", {}},
        {"SELECT price AS q FROM (SELECT CAST(price AS REAL) AS price FROM recipes) WHERE q > 9", {}},
        {"WITH x(price) AS (SELECT 1.5) SELECT price AS p FROM x WHERE p > 9", {}},
        {"SELECT price AS id FROM recipes WHERE id > 9", {}},
        {"SELECT price AS p FROM recipes AS p", {}},
        {"SELECT p AS q FROM (SELECT q AS p FROM x)", {}},
        {"SELECT NULL AS p", {}},
        {"SELECT price AS", {}},
        {"SELECT", {}},
    };
    for (const auto& row : rows) {
        INFO(row.sql);
        CHECK(names_of(row.sql).aliases == row.aliases);
    }
    CHECK(names_of("SELECT CAST(price AS REAL) AS p FROM recipes").casts == std::set<std::string>{"p"});
    CHECK(names_of("SELECT CAST(price AS REAL) price FROM recipes").renamed.contains("price"));
    CHECK_FALSE(names_of("SELECT price AS price FROM recipes").renamed.contains("price"));
}

TEST_CASE("an ORDER BY is followed to the column behind a position or a name")
{
    struct Row {
        const char* sql;
        std::set<std::string> sorted;
    };
    const std::vector<Row> rows = {
        {"SELECT name, price FROM recipes ORDER BY 2", {"price"}},
        {"SELECT name, price FROM recipes ORDER BY 2 DESC, 1 LIMIT 3", {"name", "price"}},
        {"SELECT cost AS price FROM recipes ORDER BY price", {"cost"}},
        {"SELECT * FROM (SELECT cost AS c FROM recipes ORDER BY 1 DESC NULLS LAST)", {"cost"}},
        {"SELECT id, c FROM (SELECT id, cost AS c FROM recipes) ORDER BY 2", {"cost"}},
        // What a position means is not known, or is no column, or the key is a number.
        {"SELECT *, price FROM recipes ORDER BY 2", {}},
        {"SELECT name, price FROM recipes ORDER BY 3", {}},
        {"SELECT name, price FROM recipes ORDER BY 0", {}},
        {"SELECT name, price FROM recipes ORDER BY 2 + 0", {}},
        {"SELECT name, CAST(price AS REAL) FROM recipes ORDER BY 2", {}},
        {"SELECT CAST(price AS REAL) AS price FROM recipes ORDER BY price", {}},
        {"SELECT price FROM (SELECT CAST(price AS REAL) AS price FROM recipes) ORDER BY 1", {}},
        {"SELECT price FROM recipes UNION SELECT 1.5 ORDER BY 1", {}},
        {"SELECT name, row_number() OVER (ORDER BY 2) FROM recipes", {}},
        {"SELECT name, price FROM recipes GROUP BY 2", {}},
        {"SELECT name, price FROM recipes ORDER BY 99999999999999999999999", {}},
    };
    for (const auto& row : rows) {
        INFO(row.sql);
        CHECK(names_of(row.sql).sorted == row.sorted);
    }
}

TEST_CASE("a column's name is quoted only if it must be")
{
    CHECK(sql_word("price") == "price");
    CHECK(sql_word("price_2") == "price_2");
    CHECK(sql_word("order") == "\"order\"");
    CHECK(sql_word("Price") == "\"Price\"");
    CHECK(sql_word("2nd") == "\"2nd\"");
    CHECK(sql_word("a\"b") == "\"a\"\"b\"");
    CHECK(sql_word("") == "\"\"");
}

}  // namespace
}  // namespace shelfd::ctl
