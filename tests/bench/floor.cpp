// The floor: what one thread, one kept connection and one prepared statement can do. First load of a list into SQLite,
// same columns as the mirror plus the item's own text, and a narrow table of states for changes and deletions.
#include <curl/curl.h>
#include <simdjson.h>
#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

namespace json = simdjson::ondemand;

constexpr const char* schema = R"sql(
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE recipes (id INTEGER PRIMARY KEY, url TEXT, uuid TEXT, name TEXT, description TEXT, price TEXT,
        cost REAL, portions INTEGER, is_active BOOLEAN, created_date DATETIME, modified_date DATETIME, category TEXT,
        tags TEXT, allergens TEXT, supplier, sku TEXT, weight REAL, shelf INTEGER, notes TEXT, barcode TEXT,
        version INTEGER, raw TEXT);
    CREATE TABLE states (id INTEGER PRIMARY KEY, hash INTEGER, seen INTEGER);
)sql";

constexpr const char* upsert = "INSERT OR REPLACE INTO recipes VALUES "
                               "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)";

class Store {
public:
    explicit Store(const char* path)
    {
        check(sqlite3_open(path, &database_));
        run(schema);
        check(sqlite3_prepare_v2(database_, upsert, -1, &row_, nullptr));
        check(sqlite3_prepare_v2(database_, "INSERT OR REPLACE INTO states VALUES (?1, ?2, 1)", -1, &state_, nullptr));
        run("BEGIN");
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store()
    {
        sqlite3_finalize(row_);
        sqlite3_finalize(state_);
        sqlite3_close(database_);
    }

    void put(json::object item)
    {
        int column = 0;
        std::int64_t id = 0;
        for (auto field : item) {
            ++column;
            auto value = field.value().value();
            switch (value.type().value()) {
            case json::json_type::string: text(column, value.get_string().value()); break;
            case json::json_type::number: number(column, value, id); break;
            case json::json_type::boolean: sqlite3_bind_int(row_, column, value.get_bool().value() ? 1 : 0); break;
            case json::json_type::null: sqlite3_bind_null(row_, column); break;
            default: text(column, simdjson::to_json_string(value).value()); break;
            }
        }
        item.reset();
        const std::string_view raw = item.raw_json();
        text(22, raw);
        step(row_);
        sqlite3_bind_int64(state_, 1, id);
        sqlite3_bind_int64(state_, 2, static_cast<std::int64_t>(std::hash<std::string_view>()(raw)));
        step(state_);
        if (++rows_ % 10'000 == 0) {
            run("COMMIT; BEGIN");
        }
    }

    std::uint64_t finish()
    {
        run("COMMIT");
        return rows_;
    }

private:
    void check(int code) const
    {
        if (code != SQLITE_OK && code != SQLITE_DONE) {
            throw std::runtime_error(sqlite3_errmsg(database_));
        }
    }
    void run(const char* sql) const { check(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr)); }
    void step(sqlite3_stmt* statement) const
    {
        check(sqlite3_step(statement));
        sqlite3_reset(statement);
    }
    void text(int column, std::string_view value)
    {
        sqlite3_bind_text(row_, column, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    }
    void number(int column, json::value value, std::int64_t& id)
    {
        const auto found = value.get_number().value();
        if (!found.is_int64()) {
            sqlite3_bind_double(row_, column, found.get_double());
            return;
        }
        id = column == 1 ? found.get_int64() : id;
        sqlite3_bind_int64(row_, column, found.get_int64());
    }

    sqlite3* database_ = nullptr;
    sqlite3_stmt* row_ = nullptr;
    sqlite3_stmt* state_ = nullptr;
    std::uint64_t rows_ = 0;
};

std::size_t append(char* data, std::size_t size, std::size_t count, void* to)
{
    static_cast<std::string*>(to)->append(data, size * count);
    return size * count;
}

void load(const std::string& first, Store& store)
{
    CURL* curl = curl_easy_init();
    curl_slist* headers = curl_slist_append(nullptr, "Authorization: Bearer bench-access");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
    std::string body;
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
    json::parser parser;
    for (std::string url = first; !url.empty();) {
        body.clear();
        curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
        if (curl_easy_perform(curl) != CURLE_OK) {
            throw std::runtime_error("no answer from " + url);
        }
        body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
        auto document = parser.iterate(body.data(), body.size(), body.capacity());
        auto page = document.get_object().value();
        auto next = page["next"].value();
        url = next.is_null() ? std::string() : std::string(next.get_string().value());
        for (auto item : page["results"].get_array()) {
            store.put(item.get_object().value());
        }
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
}

}  // namespace

int main(int argc, char** argv)
try {
    if (argc != 3) {
        std::fprintf(stderr, "usage: bench_floor URL FILE\n");
        return 64;
    }
    Store store(argv[2]);
    load(argv[1], store);
    std::printf("%llu\n", static_cast<unsigned long long>(store.finish()));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_floor: %s\n", error.what());
    return 1;
}
