#include "sync/envelope.hpp"

#include "http/url.hpp"

#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace shelfd::sync {
namespace {

Error unreadable(std::string_view what)
{
    return Error(ErrorKind::protocol, fmt::format("the answer is not readable as a page of a list: {}", what));
}

// What simdjson may read behind the end of a document.
constexpr std::size_t padding = simdjson::SIMDJSON_PADDING;

// What a person needs to see that this path answers with something else.
Error other_shape(std::string_view seen, config::Answers answers)
{
    if (answers == config::Answers::object) {
        return Error(ErrorKind::config,
                     fmt::format("the answer is {}, not one object; check `path` and `answers`", seen));
    }
    return Error(ErrorKind::config, fmt::format("the answer is {}, not a list (an array, or an object with \"results\" "
                                                "and \"next\"); check `path`, or set answers = \"object\"",
                                                seen));
}

struct Members {
    std::optional<std::uint64_t> count;
    bool has_next = false;
    std::optional<std::string> next_query;
    bool next_is_path = false;
    std::optional<std::string_view> results;
};

// null: this service does not count.
simdjson::error_code read_count(simdjson::ondemand::value value, Members& members)
{
    if (value.is_null()) {
        return simdjson::SUCCESS;
    }
    std::uint64_t count = 0;
    const auto error = value.get_uint64().get(count);
    members.count = count;
    return error;
}

// null and "": this is the last page.
simdjson::error_code read_next(simdjson::ondemand::value value, Members& members)
{
    members.has_next = true;
    if (value.is_null()) {
        return simdjson::SUCCESS;
    }
    std::string_view url;
    if (const auto error = value.get_string().get(url); error) {
        return error;
    }
    members.next_is_path = !url.empty() && url.find('?') == std::string_view::npos;
    if (!url.empty()) {
        members.next_query = http::query_of(url);
    }
    return simdjson::SUCCESS;
}

simdjson::error_code read_members(simdjson::ondemand::object object, Members& members)
{
    for (auto field : object) {
        std::string_view key;
        if (const auto error = field.unescaped_key().get(key); error) {
            return error;
        }
        simdjson::ondemand::value value;
        if (const auto error = field.value().get(value); error) {
            return error;
        }
        if (key == "count") {
            if (const auto error = read_count(value, members); error) {
                return error;
            }
        } else if (key == "next") {
            if (const auto error = read_next(value, members); error) {
                return error;
            }
        } else if (key == "results") {
            simdjson::ondemand::array array;
            if (const auto error = value.get_array().get(array); error) {
                return error;
            }
            std::string_view raw;
            if (const auto error = array.raw_json().get(raw); error) {
                return error;
            }
            members.results = raw;
        }
    }
    return simdjson::SUCCESS;
}

const char* name_of(simdjson::ondemand::json_type type)
{
    switch (type) {
    case simdjson::ondemand::json_type::array: return "a bare array";
    case simdjson::ondemand::json_type::object: return "one object";
    default: return "a single value";
    }
}

bool has_param(const std::optional<std::string>& query, std::string_view name)
{
    const auto params = query ? http::parse_query(*query) : http::Params();
    return std::any_of(params.begin(), params.end(), [name](const http::Param& param) { return param.name == name; });
}

Envelope envelope_of(const Members& members, std::string_view page_param)
{
    const bool by_offset = has_param(members.next_query, "offset");
    if (members.count) {
        return by_offset ? Envelope::offset : Envelope::counted;
    }
    const bool by_place = by_offset || has_param(members.next_query, page_param);
    return by_place ? Envelope::uncounted : Envelope::cursor;
}

Result<Page> read_list(simdjson::ondemand::document& document, std::string_view page_param)
{
    simdjson::ondemand::object object;
    Members members;
    if (const auto error = document.get_object().get(object); error) {
        return unreadable(simdjson::error_message(error));
    }
    if (const auto error = read_members(object, members); error) {
        return unreadable(simdjson::error_message(error));
    }
    if (!members.has_next || !members.results) {
        return other_shape(members.results ? "an object with \"results\" and without \"next\"" : "one object",
                           config::Answers::list);
    }
    if (members.next_is_path) {
        return Error(ErrorKind::config, "the address of the next page has no query: pages that are told apart by their "
                                        "path cannot be followed; check `path`");
    }
    const auto envelope = envelope_of(members, page_param);
    return Page{envelope, members.count, std::move(members.next_query), *members.results};
}

// The rows of a bare array, or the text of a single object.
Result<Page> read_whole(simdjson::ondemand::document& document, Envelope envelope)
{
    std::string_view raw;
    if (const auto error = document.raw_json().get(raw); error) {
        return unreadable(simdjson::error_message(error));
    }
    // Blanks behind the value are part of what simdjson hands out.
    raw = raw.substr(0, raw.find_last_of("]}") + 1);
    return Page{envelope, std::nullopt, std::nullopt, raw};
}

Result<Page> read_document(simdjson::ondemand::document& document, config::Answers answers, std::string_view page_param)
{
    simdjson::ondemand::json_type type{};
    if (const auto error = document.type().get(type); error) {
        return unreadable(simdjson::error_message(error));
    }
    const bool is_object = type == simdjson::ondemand::json_type::object;
    const bool is_array = type == simdjson::ondemand::json_type::array;
    if (answers == config::Answers::object) {
        return is_object ? read_whole(document, Envelope::object) : other_shape(name_of(type), answers);
    }
    if (!is_object && !is_array) {
        return other_shape(name_of(type), answers);
    }
    return is_array ? read_whole(document, Envelope::array) : read_list(document, page_param);
}

std::optional<std::uint64_t> number_in(const std::string& text)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

constexpr auto names = std::to_array<std::pair<Envelope, const char*>>({
    {Envelope::counted, "counted"},
    {Envelope::offset, "offset"},
    {Envelope::cursor, "cursor"},
    {Envelope::uncounted, "uncounted"},
    {Envelope::array, "array"},
    {Envelope::object, "object"},
});

}  // namespace

Result<Page> read_page(std::string& body, config::Answers answers, std::string_view page_param)
{
    body.reserve(body.size() + padding + 2);
    // One parser a call: its buffers grow to the size of a page and the allocator gives them back at once.
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    if (const auto error = parser.iterate(body.data(), body.size(), body.capacity()).get(document); error) {
        return unreadable(simdjson::error_message(error));
    }
    auto page = read_document(document, answers, page_param);
    // At the end there is no location any more; anywhere else something follows.
    if (const char* rest = nullptr; page && document.current_location().get(rest) == simdjson::SUCCESS) {
        return unreadable("something follows behind its end");
    }
    if (page && page->envelope == Envelope::object) {
        body = "[" + body + "]";
        page->results = body;
    }
    return page;
}

std::vector<std::string> queries_ahead(std::string_view query, const Page& page, std::uint64_t items,
                                       std::string_view page_param, std::size_t most)
{
    std::vector<std::string> queries;
    if (!page.count || !page.next_query || items == 0) {
        return queries;
    }
    auto params = http::parse_query(*page.next_query);
    const auto before = http::parse_query(query);
    for (const std::string_view name : {page_param, std::string_view("offset")}) {
        const auto is_it = [name](const http::Param& param) { return param.name == name; };
        const auto next = std::find_if(params.begin(), params.end(), is_it);
        const auto here = std::find_if(before.begin(), before.end(), is_it);
        const auto number = next == params.end() ? std::nullopt : number_in(next->value);
        if (!number) {
            continue;
        }
        const bool is_offset = name != page_param;
        const auto start = here == before.end() ? (is_offset ? 0 : 1) : number_in(here->value).value_or(*number);
        const auto step = *number - std::min(start, *number);
        const auto rows_before_next = is_offset ? *number : (*number - 1) * items;
        if (step != (is_offset ? items : 1) || rows_before_next >= *page.count) {
            return queries;
        }
        for (auto rows = rows_before_next + items; rows < *page.count && queries.size() < most; rows += items) {
            next->value = std::to_string(is_offset ? rows : rows / items + 1);
            queries.push_back(http::format_query(params));
        }
        return queries;
    }
    return queries;
}

void complete_next(Page& page, std::string_view query, std::string_view page_param)
{
    if (!page.next_query || !(has_param(page.next_query, page_param) || has_param(page.next_query, "offset"))) {
        return;
    }
    auto params = http::parse_query(*page.next_query);
    bool complete = true;
    for (auto& param : http::parse_query(query)) {
        const bool is_place = param.name == page_param || param.name == "offset" || param.name == "limit";
        if (!is_place && !has_param(page.next_query, param.name)) {
            params.push_back(std::move(param));
            complete = false;
        }
    }
    if (!complete) {
        page.next_query = http::format_query(params);
    }
}

std::string query_behind(std::string_view query, std::string_view page_param)
{
    auto params = http::parse_query(query);
    const auto here = std::find_if(params.begin(), params.end(),
                                   [page_param](const http::Param& param) { return param.name == page_param; });
    if (here == params.end()) {
        params.push_back({std::string(page_param), "2"});
    } else {
        here->value = std::to_string(number_in(here->value).value_or(1) + 1);
    }
    return http::format_query(params);
}

bool lengthen_next(Page& page, std::uint32_t page_size)
{
    if (!page.next_query || !has_param(page.next_query, "offset")) {
        return false;
    }
    auto params = http::parse_query(*page.next_query);
    const auto limit =
        std::find_if(params.begin(), params.end(), [](const http::Param& param) { return param.name == "limit"; });
    const auto length = limit == params.end() ? std::nullopt : number_in(limit->value);
    if (!length || *length >= page_size) {
        return false;
    }
    limit->value = std::to_string(page_size);
    page.next_query = http::format_query(params);
    return true;
}

std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen)
{
    const auto counts = [](Envelope envelope) { return envelope == Envelope::counted || envelope == Envelope::offset; };
    const auto is_either = [](Envelope envelope) {
        return envelope == Envelope::cursor || envelope == Envelope::uncounted;
    };
    if (!known || *known == seen) {
        return seen;
    }
    if (is_either(*known) && is_either(seen)) {
        return Envelope::uncounted;
    }
    return counts(*known) && counts(seen) ? std::optional(Envelope::offset) : std::nullopt;
}

std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen)
{
    const bool counts = known == Envelope::counted || known == Envelope::offset;
    const bool counts_no_more = seen == Envelope::cursor || seen == Envelope::uncounted;
    return counts && counts_no_more ? known : agree(known, seen);
}

const char* to_string(Envelope envelope)
{
    return std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == envelope; })->second;
}

std::optional<Envelope> envelope_from(std::string_view name)
{
    const auto* found =
        std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.second == name; });
    return found == names.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace shelfd::sync
