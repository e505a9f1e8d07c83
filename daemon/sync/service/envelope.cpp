#include "sync/service/envelope.hpp"

#include "base/words/digits.hpp"
#include "http/target_length.hpp"
#include "http/url.hpp"
#include "mirror/json/pieces.hpp"
#include "sync/service/bare_array.hpp"
#include "sync/service/envelope_kind.hpp"
#include "sync/service/large_answer.hpp"

#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace shelfd::sync {
namespace {

constexpr std::size_t padding = simdjson::SIMDJSON_PADDING;  // bytes that it may read after the end of a document

struct RowTexts {
    std::string_view text;                // the array, or the object that is its only row
    std::vector<std::string_view> items;  // each up to the next comma or bracket; empty if one is not an object
};

struct Members {
    std::optional<std::uint64_t> count;
    bool has_next = false;
    std::optional<Query> next_query;
    std::string next_path;
    bool next_is_path = false;
    std::size_t next_bytes = 0;
    std::optional<RowTexts> rows;
    bool is_one_row = false;
};

using Type = simdjson::ondemand::json_type;

// simdjson decides by the first byte alone, so a null is also parsed.
simdjson::error_code read_type(simdjson::ondemand::value& value, Type& type)
{
    const auto error = value.type().get(type);
    bool is_null = false;
    return error || type != Type::null || (value.is_null().get(is_null) == simdjson::SUCCESS && is_null)
               ? error
               : simdjson::N_ATOM_ERROR;
}

simdjson::error_code read_number(simdjson::ondemand::value value, Members& members)
{
    simdjson::ondemand::number number;
    if (const auto error = value.get_number().get(number); error) {
        return error;
    }
    if (number.is_uint64()) {
        members.count = number.get_uint64();
    } else if (number.is_int64()) {
        members.count = number.get_int64() < 0 ? std::nullopt : std::optional<std::uint64_t>(number.get_int64());
    } else {
        constexpr double most = 9007199254740992.0;  // 2^53: whole numbers below it are exact
        const double count = number.get_double();
        if (count >= most || (count >= 0 && std::floor(count) != count)) {
            return simdjson::INCORRECT_TYPE;
        }
        members.count = count < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(count));
    }
    return simdjson::SUCCESS;
}

// null, "" and a negative number mean that the service does not count.
simdjson::error_code read_count(simdjson::ondemand::value value, Members& members)
{
    Type type{};
    if (const auto error = read_type(value, type); error) {
        return error;
    }
    if (type == Type::number) {
        return read_number(value, members);
    }
    std::string_view text;
    if (const auto error = type == Type::null ? simdjson::SUCCESS : value.get_string().get(text); error) {
        return error;
    }
    members.count = number_in(text);
    return text.empty() || members.count || (text.starts_with('-') && number_in(text.substr(1)))
               ? simdjson::SUCCESS
               : simdjson::INCORRECT_TYPE;
}

// null and "" mean that this is the last page. If `next` occurs twice, the later one applies.
simdjson::error_code read_next(simdjson::ondemand::value value, Members& members)
{
    members.has_next = true;
    members.next_query.reset();
    members.next_is_path = false;
    members.next_bytes = 0;
    Type type{};
    if (const auto error = read_type(value, type); error || type == Type::null) {
        return error;
    }
    std::string_view url;
    if (const auto error = value.get_string().get(url); error) {
        return error;
    }
    members.next_bytes = url.size();
    if (url.size() > http::max_target) {
        return simdjson::SUCCESS;
    }
    members.next_is_path = !url.empty() && url.find('?') == std::string_view::npos;
    if (!url.empty()) {
        members.next_query = http::query_of(url);
        members.next_path = http::path_of(url);
    }
    return simdjson::SUCCESS;
}

// The text up to its last bracket: simdjson includes the blanks after a value, and does not check which bracket ends
// it.
std::string_view up_to_bracket(std::string_view raw)
{
    return raw.substr(0, raw.find_last_of("]}") + 1);
}

// For an empty array, or one with an item that is not an object; PageReader names that.
simdjson::error_code find_end(simdjson::ondemand::array& array, RowTexts& rows)
{
    rows.items.clear();
    bool has_any = false;
    auto error = array.reset().get(has_any);
    error = error ? error : array.raw_json().get(rows.text);
    rows.text = up_to_bracket(rows.text);
    return error || rows.text.ends_with(']') ? error : simdjson::TAPE_ERROR;
}

// Finds the end of the array and of each item in one walk; `begin` is the opening bracket.
simdjson::error_code find_rows(simdjson::ondemand::array array, const char* begin, RowTexts& rows)
{
    rows = {"[]", {}};
    for (auto element : array) {
        Type type{};
        simdjson::ondemand::object object;
        std::string_view item;
        auto error = element.type().get(type);
        if (!error && type != Type::object) {
            return find_end(array, rows);
        }
        error = error ? error : element.get_object().get(object);
        error = error ? error : object.raw_json().get(item);
        if (error) {
            return error;
        }
        rows.items.push_back(item);
    }
    if (rows.items.empty()) {
        return find_end(array, rows);
    }
    rows.text = {begin, static_cast<std::size_t>(rows.items.back().end() - begin) + 1};
    return simdjson::SUCCESS;
}

// null means no row; an object is the only row.
simdjson::error_code read_results(simdjson::ondemand::value value, Members& members)
{
    Type type{};
    if (const auto error = read_type(value, type); error) {
        return error;
    }
    members.is_one_row = type == Type::object;
    members.rows = {"[]", {}};
    if (type == Type::null) {
        return simdjson::SUCCESS;
    }
    if (!members.is_one_row) {
        const auto* begin = value.raw_json_token().data();
        simdjson::ondemand::array array;
        const auto error = value.get_array().get(array);
        return error ? error : find_rows(array, begin, *members.rows);
    }
    simdjson::ondemand::object object;
    auto error = value.get_object().get(object);
    error = error ? error : object.raw_json().get(members.rows->text);
    if (error) {
        return error;
    }
    members.rows->text = up_to_bracket(members.rows->text);
    return members.rows->text.ends_with('}') ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

Result<void> read_members(simdjson::ondemand::object object, Members& members)
{
    struct Known {
        std::string_view name;
        std::string_view type;
        simdjson::error_code (*read)(simdjson::ondemand::value, Members&);
    };
    constexpr auto all = std::to_array<Known>({
        {"count", "a number of rows", read_count},
        {"next", "an address or null", read_next},
        {"results", "an array, an object or null", read_results},
    });
    for (auto field : object) {
        std::string_view key;
        simdjson::ondemand::value value;
        auto error = field.unescaped_key().get(key);
        error = error ? error : field.value().get(value);
        const auto* known = std::find_if(all.begin(), all.end(), [&key](const Known& one) { return one.name == key; });
        if (!error && known != all.end()) {
            error = known->read(value, members);
            if (error == simdjson::INCORRECT_TYPE || error == simdjson::NUMBER_OUT_OF_RANGE) {
                return other_type(known->name, known->type);
            }
        }
        if (error) {
            return unreadable(simdjson::error_message(error));
        }
    }
    return {};
}

const char* name_of(Type type)
{
    return type == Type::array ? "a bare array" : type == Type::object ? "one object" : "a single value";
}

Envelope envelope_of(const Members& members, std::string_view page_param)
{
    const auto& next = members.next_query;
    const bool by_offset = next && next->has("offset");
    if (members.count) {
        return by_offset ? Envelope::offset : Envelope::counted;
    }
    // Without `next` there is no cursor.
    const bool by_place = by_offset || (next && next->has(page_param)) || !members.has_next;
    return by_place ? Envelope::uncounted : Envelope::cursor;
}

Result<Page> read_list(simdjson::ondemand::document& document, std::string_view page_param, bool& is_one_row)
{
    simdjson::ondemand::object object;
    Members members;
    if (const auto error = document.get_object().get(object); error) {
        return unreadable(simdjson::error_message(error));
    }
    SHELFD_TRY(read_members(object, members));
    if (!members.rows) {
        bool has_any = false;
        std::string_view raw;
        const auto error = object.reset().get(has_any);
        return no_rows(error || object.raw_json().get(raw) ? "" : up_to_bracket(raw));
    }
    if (members.next_bytes > http::max_target) {
        return next_too_long(members.next_bytes);
    }
    if (members.next_is_path) {
        return next_by_path("the address of the next page has no query");
    }
    const auto envelope = envelope_of(members, page_param);
    Page page{envelope, members.count, std::move(members.next_query), members.rows->text};
    page.items = std::move(members.rows->items);
    page.is_silent = !members.has_next;
    page.next_path = std::move(members.next_path);
    is_one_row = members.is_one_row;
    return page;
}

Result<Page> read_array(simdjson::ondemand::document& document)
{
    std::string_view token;
    auto error = document.raw_json_token().get(token);
    simdjson::ondemand::array array;
    error = error ? error : document.get_array().get(array);
    RowTexts rows;
    error = error ? error : find_rows(array, token.data(), rows);
    if (error) {
        return unreadable(simdjson::error_message(error));
    }
    Page page{Envelope::array, std::nullopt, std::nullopt, rows.text, true};
    page.items = std::move(rows.items);
    return page;
}

Result<Page> read_object(simdjson::ondemand::document& document)
{
    std::string_view raw;
    const auto error = document.raw_json().get(raw);
    raw = up_to_bracket(raw);
    if (error || !raw.ends_with('}')) {
        return unreadable(error ? simdjson::error_message(error) : "its brackets do not match");
    }
    return Page{Envelope::object, std::nullopt, std::nullopt, raw};
}

Result<Page> read_document(simdjson::ondemand::document& document, config::Answers answers, std::string_view page_param,
                           bool& is_one_row)
{
    simdjson::ondemand::json_type type{};
    if (const auto error = document.type().get(type); error) {
        return unreadable(simdjson::error_message(error));
    }
    const bool is_object = type == simdjson::ondemand::json_type::object;
    const bool is_array = type == simdjson::ondemand::json_type::array;
    is_one_row = is_object && answers == config::Answers::object;
    if (answers == config::Answers::object) {
        return is_object ? read_object(document) : other_shape(name_of(type), answers);
    }
    if (!is_object && !is_array) {
        return other_shape(name_of(type), answers);
    }
    return is_array ? read_array(document) : read_list(document, page_param, is_one_row);
}

}  // namespace

Result<Page> read_page(std::string& body, config::Answers answers, std::string_view page_param)
{
    if (body.size() > mirror::max_whole) {
        SHELFD_TRY_ASSIGN(large, split_large(body, answers));
        if (large) {
            auto page = read_page(large->frame, answers, page_param);
            if (page) {
                page->results = large->rows;
                page->items.clear();
            }
            return page;
        }
    }
    body.reserve(body.size() + padding + 2);
    // A parser for each call: its buffers grow to the size of a page, and are freed at once.
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    if (const auto error = parser.iterate(body.data(), body.size(), body.capacity()).get(document); error) {
        return unreadable(simdjson::error_message(error));
    }
    bool is_one_row = false;
    auto page = read_document(document, answers, page_param, is_one_row);
    // At the end there is no location; otherwise text follows the document.
    if (const char* rest = nullptr; page && document.current_location().get(rest) == simdjson::SUCCESS) {
        return unreadable("something follows its end");
    }
    if (page && is_one_row) {
        body = "[" + std::string(page->results) + "]";
        page->results = body;
    }
    return page;
}

}  // namespace shelfd::sync
