// Pages that are shorter than they were sent, as a wrong Content-Length makes them.
#include "mirror/json/page.hpp"
#include "support/catch.hpp"
#include "sync/service/envelope.hpp"
#include "sync/service/large_answer.hpp"

#include <string>

namespace shelfd::sync {
namespace {

using config::Answers;

// The number of items, in each way in which a walk reads a page; -1 if the page is refused.
int items_in(const std::string& body, Answers answers, bool by_frame)
{
    auto text = body;
    auto framed = by_frame ? read_frame(text, answers, "page") : std::nullopt;
    auto page = framed ? Result<Page>(std::move(*framed)) : read_page(text, answers, "page");
    if (!page) {
        return -1;
    }
    mirror::PageReader reader("rows", {"id"});
    const auto read = reader.read(page->results, page->items);
    return read ? static_cast<int>(read->items.size()) : -1;
}

}  // namespace

TEST_CASE("a page that is cut at any byte is refused, however its list is framed")
{
    const std::string rows = R"([{"id":1,"tags":[1,"]"],"of":{"a":[{}]}},{"id":2,"tags":[[2]]},{"tags":[],"id":3}])";
    struct Row {
        const char* name;
        std::string body;
        Answers answers;
        int items;
    };
    const std::vector<Row> table = {
        {"an array", rows, Answers::list, 3},
        {"an empty array", "[]", Answers::list, 0},
        {"results last", R"({"count":3,"next":null,"results":)" + rows + "}", Answers::list, 3},
        {"results first", R"({"results":)" + rows + R"(,"next":"https://x/?a=[b]","count":3})", Answers::list, 3},
        {"no results", R"({"count":0,"results":[]})", Answers::list, 0},
        {"one object", R"({"id":1,"tags":[1,{"b":[]}]})", Answers::object, 1},
    };
    for (const auto& row : table) {
        for (const bool by_frame : {false, true}) {
            CAPTURE(row.name, by_frame);
            CHECK(items_in(row.body, row.answers, by_frame) == row.items);
            for (std::size_t cut = 0; cut < row.body.size(); ++cut) {
                CAPTURE(cut);
                CHECK(items_in(row.body.substr(0, cut), row.answers, by_frame) == -1);
            }
        }
    }
}

}  // namespace shelfd::sync
