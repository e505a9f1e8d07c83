#include "mirror/json/pieces.hpp"

#include "support/catch.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

using namespace shelfd;

namespace {

struct Cut {
    std::vector<std::string> pieces;
    std::size_t rows = 0;
    std::string fault;
};

Cut cut(const std::string& array)
{
    mirror::ArrayPieces pieces(array);
    Cut cut;
    for (;;) {
        auto piece = pieces.next();
        if (!piece) {
            cut.fault = piece.error().text();
            CHECK(piece.error().kind() == ErrorKind::protocol);
            break;
        }
        if (!*piece) {
            break;
        }
        cut.pieces.emplace_back(**piece);
    }
    cut.rows = pieces.rows();
    return cut;
}

std::string joined(const std::vector<std::string>& pieces)
{
    std::string text;
    for (const auto& piece : pieces) {
        text += (text.empty() ? "" : ",") + piece;
    }
    return text;
}

// As many as make several pieces, by their number or by their size.
std::string rows(std::size_t count, const std::string& filling)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format("{}{{\"id\":{},\"a\":{}}}", i == 0 ? "" : ", ", i, filling);
    }
    return text;
}

}  // namespace

TEST_CASE("a large array comes in pieces that are the same rows in the same order")
{
    const std::string awkward = R"("]}, {[ \\\" \\ \u005d \\\\")";
    struct Row {
        const char* name;
        std::string inside;
        std::size_t rows;
        std::size_t pieces;  // at least
    };
    const Row table[] = {
        {"many small rows", rows(3 * mirror::max_piece_rows, "1"), 3 * mirror::max_piece_rows, 3},
        {"large rows", rows(50, "\"" + std::string(100'000, 'x') + "\""), 50, 4},
        {"brackets, commas and quotes in texts", rows(2 * mirror::max_piece_rows, awkward), 2 * mirror::max_piece_rows,
         2},
        {"nested values", rows(2 * mirror::max_piece_rows, R"([[1,{"b":[2,3]}],{},[]])"), 2 * mirror::max_piece_rows,
         2},
        {"one row", R"({"id":1})", 1, 1},
        {"no row", " ", 0, 1},
    };
    for (const auto& row : table) {
        INFO(row.name);
        const auto result = cut(" [" + row.inside + "]\n");
        CHECK(result.fault.empty());
        CHECK(result.rows == row.rows);
        CHECK(result.pieces.size() >= row.pieces);
        CHECK(joined(result.pieces) == row.inside);
        for (const auto& piece : result.pieces) {
            CHECK(piece.size() <= mirror::max_piece + 200'000);
        }
    }
}

TEST_CASE("an array that is not whole is not cut to its end")
{
    const auto many = rows(mirror::max_piece_rows, "1");
    struct Row {
        std::string array;
        const char* says;
    };
    const Row table[] = {
        {"[" + many + ",{\"id\":1}", "do not end"},
        {"[" + many + ",{\"id\":\"1]", "do not end"},
        {"[" + many + ",]", "comma"},
        {"[" + many + "] []", "follows"},
        {"[" + many + "}", "brackets"},
        {"{\"id\":1}", "do not end"},
        {"", "do not end"},
    };
    for (const auto& row : table) {
        INFO(row.says);
        CHECK_THAT(cut(row.array).fault, Catch::Matchers::Contains(row.says));
    }
}

TEST_CASE("a row that is missing is not taken for the end of a piece")
{
    mirror::ArrayPieces pieces("[1, ,2]", 1, 1);
    CHECK(pieces.next());
    const auto missing = pieces.next();
    REQUIRE(!missing);
    CHECK_THAT(missing.error().text(), Catch::Matchers::Contains("a row is missing"));
}
