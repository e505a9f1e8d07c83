#include "sim/base64.hpp"
#include "sim/cursor.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

#include <vector>

using namespace shelfd;
using namespace shelfd::sim;

namespace {

// Newest first, each with the second of a minute at which it was made.
class Rows {
public:
    explicit Rows(const std::vector<int>& seconds)
    {
        rows_.reserve(seconds.size());
        for (const int second : seconds) {
            const auto at = Instant::from_rfc3339("2024-01-01T10:00:00Z").value() + std::chrono::seconds(second);
            auto& row = rows_.emplace_back();
            row.id = static_cast<std::int64_t>(rows_.size());
            row.created = row.modified = at;
        }
        for (const auto& row : rows_) {
            view_.push_back(&row);
        }
    }

    CursorPage page(const std::optional<Cursor>& cursor) const { return cursor_page(view_, {}, cursor, 3).value(); }

private:
    std::vector<Row> rows_;
    ListData::View view_;
};

std::string text(const std::optional<Cursor>& cursor)
{
    return cursor ? decode_base64(cursor->encode()).value() : "none";
}

}  // namespace

// By hand, after rest_framework.pagination.CursorPagination of Django REST framework 3.14.
TEST_CASE("a cursor is a place among the rows of a date, and the number of those read, as Django REST framework has it")
{
    const Rows rows({50, 9, 9, 9, 9, 9, 9, 8});
    const auto first = rows.page({});
    CHECK(first.end == 3);
    CHECK(text(first.next) == "o=2&p=2024-01-01+10%3A00%3A50%2B00%3A00");
    CHECK(text(first.previous) == "none");
    const auto second = rows.page(first.next);
    CHECK(second.begin == 3);
    CHECK(text(second.next) == "o=5&p=2024-01-01+10%3A00%3A50%2B00%3A00");
    const auto third = rows.page(second.next);
    CHECK(third.begin == 6);
    CHECK(third.end == 8);
    CHECK(text(third.next) == "none");
    CHECK(text(third.previous) == "o=1&r=1&p=2024-01-01+10%3A00%3A08%2B00%3A00");
    const auto back = rows.page(third.previous);
    CHECK(back.begin == 3);
    CHECK(back.end == 6);
    CHECK(text(back.next) == "p=2024-01-01+10%3A00%3A09%2B00%3A00");
    CHECK(text(back.previous) == "o=4&r=1&p=2024-01-01+10%3A00%3A08%2B00%3A00");
}

TEST_CASE("a first page whose rows all have one date leads on by an offset alone")
{
    const auto first = Rows({9, 9, 9, 9}).page({});
    CHECK(first.next->encode() == "bz0z");
    CHECK(Cursor::decode("bz0z")->offset == 3);
}

TEST_CASE("a row that was read and goes between two pages lets the next one pass over another of its date")
{
    const auto next = Rows({50, 9, 9, 9, 8}).page({}).next;
    const auto page = Rows({50, 9, 9, 8}).page(next);
    CHECK(page.begin == 3);  // the third row was never shown
}
