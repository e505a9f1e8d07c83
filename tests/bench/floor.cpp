// The floor: the least work that one thread does to mirror a list into SQLite. Same columns as the mirror plus the
// item's own text, and a narrow table of states from which a second run sees what changed and what is gone.
//   bench_floor URL FILE     walks the list from URL on into FILE; prints: rows, written, deleted
// Where the work is saved: each page is parsed once, texts are slices of the page, rows are inserted in the order of
// their keys by one prepared statement, 10,000 a transaction; states are read by one range a page.
#include <curl/curl.h>
#include <simdjson.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

namespace {

namespace json = simdjson::ondemand;

constexpr std::size_t members = 21;
constexpr std::size_t rows_a_transaction = 10'000;
constexpr std::size_t pages_a_transaction = 64;  // where few rows of a page changed

constexpr const char* schema = R"sql(
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS recipes (id INTEGER PRIMARY KEY, url TEXT, uuid TEXT, name TEXT, description TEXT,
        price TEXT, cost REAL, portions INTEGER, is_active BOOLEAN, created_date DATETIME, modified_date DATETIME,
        category TEXT, tags TEXT, allergens TEXT, supplier, sku TEXT, weight REAL, shelf INTEGER, notes TEXT,
        barcode TEXT, version INTEGER, raw TEXT);
    CREATE TABLE IF NOT EXISTS states (id INTEGER PRIMARY KEY, hash INTEGER);
)sql";

constexpr const char* upsert = "INSERT OR REPLACE INTO recipes VALUES "
                               "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)";

std::uint64_t mix(std::uint64_t a, std::uint64_t b)
{
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// Sixteen bytes a step.
std::int64_t hash_of(std::string_view text)
{
    std::uint64_t hash = text.size() ^ 0x9e3779b97f4a7c15U;
    while (!text.empty()) {
        std::uint64_t words[2] = {};
        const auto size = std::min(text.size(), sizeof words);
        std::memcpy(words, text.data(), size);
        hash = mix(hash ^ words[0], words[1] ^ 0xa0761d6478bd642fU);
        text.remove_prefix(size);
    }
    return static_cast<std::int64_t>(mix(hash, 0xe7037ed1a0b428dbU));
}

using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;

struct Row {
    std::int64_t id = 0;
    std::int64_t hash = 0;
    std::string_view raw;
    Value values[members];
};

class Store {
public:
    explicit Store(const char* path)
    {
        check(sqlite3_open(path, &database_));
        run(schema);
        row_ = prepare(upsert);
        state_ = prepare("INSERT OR REPLACE INTO states VALUES (?1, ?2)");
        known_ = prepare("SELECT id, hash FROM states WHERE id BETWEEN ?1 AND ?2");
        has_states_ = any_state();
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store()
    {
        for (auto* statement : {row_, state_, known_}) {
            sqlite3_finalize(statement);
        }
        sqlite3_close(database_);
    }

    // Rows of a page that are new or changed wait for the transaction. True once nothing waits, so that no text of an
    // earlier page is needed any more.
    bool take(std::vector<Row>& page)
    {
        if (page.empty()) {
            return waiting_.empty();
        }
        const auto by_id = [](const Row& a, const Row& b) { return a.id < b.id; };
        if (page.back().id < page.front().id) {
            std::reverse(page.begin(), page.end());
        }
        if (!std::is_sorted(page.begin(), page.end(), by_id)) {
            std::sort(page.begin(), page.end(), by_id);
        }
        rows_ += page.size();
        if (has_states_) {
            drop_unchanged(page);
        }
        waiting_.insert(waiting_.end(), std::make_move_iterator(page.begin()), std::make_move_iterator(page.end()));
        runs_.push_back(page.size());
        if (waiting_.size() >= rows_a_transaction || runs_.size() >= pages_a_transaction) {
            write();
        }
        return waiting_.empty();
    }

    void finish()
    {
        write();
        if (has_states_) {
            drop_unseen();
        }
        std::printf("%zu %zu %zu\n", rows_, written_, deleted_);
    }

private:
    void check(int code) const
    {
        if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
            throw std::runtime_error(sqlite3_errmsg(database_));
        }
    }
    void run(const char* sql) const { check(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr)); }
    sqlite3_stmt* prepare(const char* sql) const
    {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
        return statement;
    }
    void step(sqlite3_stmt* statement) const
    {
        check(sqlite3_step(statement));
        sqlite3_reset(statement);
    }

    bool any_state() const
    {
        auto* statement = prepare("SELECT 1 FROM states LIMIT 1");
        const bool any = sqlite3_step(statement) == SQLITE_ROW;
        sqlite3_finalize(statement);
        return any;
    }

    // A merge of the page with the states of its range.
    void drop_unchanged(std::vector<Row>& page)
    {
        sqlite3_bind_int64(known_, 1, page.front().id);
        sqlite3_bind_int64(known_, 2, page.back().id);
        auto* row = page.data();
        auto* const end = row + page.size();
        while (row != end && sqlite3_step(known_) == SQLITE_ROW) {
            const auto id = sqlite3_column_int64(known_, 0);
            row = std::find_if(row, end, [id](const Row& one) { return one.id >= id; });
            if (row != end && row->id == id && row->hash == sqlite3_column_int64(known_, 1)) {
                row->raw = {};
            }
        }
        sqlite3_reset(known_);
        for (const auto& one : page) {
            seen_.insert(one.id);
        }
        std::erase_if(page, [](const Row& one) { return one.raw.empty(); });
    }

    void drop_unseen()
    {
        std::vector<std::int64_t> gone;
        auto* all = prepare("SELECT id FROM states");
        while (sqlite3_step(all) == SQLITE_ROW) {
            if (!seen_.contains(sqlite3_column_int64(all, 0))) {
                gone.push_back(sqlite3_column_int64(all, 0));
            }
        }
        sqlite3_finalize(all);
        run("BEGIN");
        for (const char* sql : {"DELETE FROM recipes WHERE id = ?", "DELETE FROM states WHERE id = ?"}) {
            auto* statement = prepare(sql);
            for (const auto id : gone) {
                sqlite3_bind_int64(statement, 1, id);
                step(statement);
            }
            sqlite3_finalize(statement);
        }
        run("COMMIT");
        deleted_ = gone.size();
    }

    // Pages of a list that is newest first come in falling order of keys: the last one goes first.
    void write()
    {
        run("BEGIN");
        if (waiting_.size() > 1 && waiting_.back().id < waiting_.front().id) {
            auto end = waiting_.size();
            for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
                put(end - *run, end);
                end -= *run;
            }
        } else {
            put(0, waiting_.size());
        }
        run("COMMIT");
        written_ += waiting_.size();
        waiting_.clear();
        runs_.clear();
    }

    void put(std::size_t first, std::size_t end)
    {
        for (auto place = first; place < end; ++place) {
            const Row& row = waiting_[place];
            for (std::size_t member = 0; member < members; ++member) {
                bind(static_cast<int>(member) + 1, row.values[member]);
            }
            text(members + 1, row.raw);
            step(row_);
            sqlite3_bind_int64(state_, 1, row.id);
            sqlite3_bind_int64(state_, 2, row.hash);
            step(state_);
        }
    }

    void bind(int place, const Value& value)
    {
        switch (value.index()) {
        case 1: sqlite3_bind_int64(row_, place, std::get<1>(value)); break;
        case 2: sqlite3_bind_double(row_, place, std::get<2>(value)); break;
        case 3: text(place, std::get<3>(value)); break;
        default: sqlite3_bind_null(row_, place); break;
        }
    }
    void text(int place, std::string_view value)
    {
        sqlite3_bind_text(row_, place, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    }

    sqlite3* database_ = nullptr;
    sqlite3_stmt* row_ = nullptr;
    sqlite3_stmt* state_ = nullptr;
    sqlite3_stmt* known_ = nullptr;
    bool has_states_ = false;  // a run before this one left them
    std::vector<Row> waiting_;
    std::vector<std::size_t> runs_;  // how many rows of each page wait
    std::unordered_set<std::int64_t> seen_;
    std::size_t rows_ = 0;
    std::size_t written_ = 0;
    std::size_t deleted_ = 0;
};

std::string_view trimmed(std::string_view text)
{
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// Rows point into the pages, which live until `forget`; only texts with escapes are copied.
class PageReader {
public:
    std::string& next_page()
    {
        if (used_ == pages_.size()) {
            pages_.emplace_back().reserve(256 * 1024);
        }
        pages_[used_].clear();
        return pages_[used_++];
    }

    void forget()
    {
        used_ = 0;
        unescaped_.clear();
    }

    // The address of the next page; empty: this was the last one.
    std::string read(std::string& body, std::vector<Row>& rows)
    {
        body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
        auto document = parser_.iterate(body.data(), body.size(), body.capacity());
        auto page = document.get_object().value();
        auto next = page["next"].value();
        std::string url = next.is_null() ? std::string() : std::string(next.get_string().value());
        for (auto element : page["results"].get_array()) {
            auto item = element.get_object().value();
            auto& row = rows.emplace_back();
            const char* begin = nullptr;
            std::size_t member = 0;
            for (auto field : item) {
                begin = begin != nullptr ? begin : field.key().value().raw() - 1;
                row.values[member++] = read_value(field.value().value());
            }
            const char* after = document.current_location().value();
            while (*after != '}') {
                --after;
            }
            begin = static_cast<const char*>(memrchr(body.data(), '{', static_cast<std::size_t>(begin - body.data())));
            row.raw = {begin, static_cast<std::size_t>(after + 1 - begin)};
            row.id = std::get<std::int64_t>(row.values[0]);
            row.hash = hash_of(row.raw);
        }
        return url;
    }

private:
    Value read_value(json::value value)
    {
        switch (value.type().value()) {
        case json::json_type::string: return text(value);
        case json::json_type::number: {
            const auto number = value.get_number().value();
            return number.is_int64() ? Value(number.get_int64()) : Value(number.get_double());
        }
        case json::json_type::boolean: return std::int64_t{value.get_bool().value()};
        case json::json_type::null: return {};
        default: return trimmed(simdjson::to_json_string(value).value());
        }
    }

    std::string_view text(json::value value)
    {
        auto token = trimmed(value.raw_json_token());
        token = token.substr(1, token.size() - 2);
        if (std::memchr(token.data(), '\\', token.size()) == nullptr) {
            return token;
        }
        return unescaped_.emplace_back(value.get_string().value());
    }

    json::parser parser_;
    std::deque<std::string> pages_;
    std::size_t used_ = 0;  // of them
    std::deque<std::string> unescaped_;
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
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 256L * 1024);
    PageReader reader;
    std::vector<Row> rows;
    for (std::string url = first; !url.empty();) {
        auto& body = reader.next_page();
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
        curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
        if (curl_easy_perform(curl) != CURLE_OK) {
            throw std::runtime_error("no answer from " + url);
        }
        rows.clear();
        url = reader.read(body, rows);
        if (store.take(rows)) {
            reader.forget();
        }
    }
    store.finish();
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
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_floor: %s\n", error.what());
    return 1;
}
