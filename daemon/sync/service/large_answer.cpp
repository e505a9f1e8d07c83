#include "sync/service/large_answer.hpp"

#include "mirror/json/pieces.hpp"
#include "sync/service/envelope_kind.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string mebibytes(std::size_t bytes)
{
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1U << 20U));
}

}  // namespace

std::optional<std::string_view> find_rows(std::string_view answer)
{
    auto at = answer.find_first_not_of(blanks);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    if (answer[at] == '[') {
        const auto past = mirror::past_value(answer, at);
        const bool is_whole =
            past != std::string_view::npos && answer.find_first_not_of(blanks, past) == std::string_view::npos;
        return is_whole ? std::optional(answer.substr(at, past - at)) : std::nullopt;
    }
    if (answer[at] != '{') {
        return std::nullopt;
    }
    std::optional<std::string_view> rows;
    std::string_view name;
    bool is_value = false;
    for (++at; at < answer.size() && answer[at] != '}';) {
        const char c = answer[at];
        const bool is_long = c == '"' || c == '[' || c == '{';
        const auto past = is_long ? mirror::past_value(answer, at) : at + 1;
        const auto text = answer.substr(at, past - at);
        const bool is_blank = blanks.find(c) != std::string_view::npos;
        if (is_value && !is_blank) {
            if (name == "\"results\"") {
                rows = c == '[' ? std::optional(text) : std::nullopt;
            }
        } else if (c == '"') {
            name = text;
        }
        is_value = c == ':' || (is_value && is_blank);
        at = past;
    }
    return at < answer.size() ? rows : std::nullopt;
}

Result<std::optional<LargeAnswer>> split_large(std::string_view answer, config::Answers answers)
{
    const bool is_list = answers == config::Answers::list;
    const auto rows = is_list ? find_rows(answer) : std::nullopt;
    const auto others = answer.size() - (rows ? rows->size() : 0);
    if (others > mirror::max_row) {
        return is_list && !rows
                   ? Error(ErrorKind::protocol,
                           fmt::format(
                               "the answer is not readable as a page of a list: {} without a complete array of rows",
                               mebibytes(others)))
                   : misfit(fmt::format("{} of the answer are outside the rows of a list, more than the {} allowed",
                                        mebibytes(others), mebibytes(mirror::max_row)),
                            "check `path`");
    }
    if (!rows || rows->size() <= mirror::max_piece) {
        return std::optional<LargeAnswer>();
    }
    const auto begin = static_cast<std::size_t>(rows->data() - answer.data());
    LargeAnswer large{std::string(answer.substr(0, begin)), *rows};
    large.frame.append("[]").append(answer.substr(begin + rows->size()));
    return std::optional(std::move(large));
}

std::optional<Page> read_frame(const std::string& body, config::Answers answers, std::string_view page_param)
{
    constexpr std::size_t max_frame = std::size_t{64} << 10U;
    const auto begin = body.find('[');
    const auto last = body.rfind(']');
    if (answers == config::Answers::object || body.size() > mirror::max_whole || begin == std::string::npos ||
        last == std::string::npos || last < begin || body.size() - (last - begin) > max_frame) {
        return std::nullopt;
    }
    auto frame = body.substr(0, begin).append("[]").append(body, last + 1);
    auto page = read_page(frame, answers, page_param);
    if (!page || page->results.data() != frame.data() + begin || page->results.size() != 2) {
        return std::nullopt;
    }
    page->results = std::string_view(body).substr(begin, last + 1 - begin);
    return std::move(*page);
}

}  // namespace shelfd::sync
