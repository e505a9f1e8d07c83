#include "sync/envelope.hpp"

#include "http/target_length.hpp"
#include "http/url.hpp"
#include "sync/array_rest.hpp"

#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <array>

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
    std::size_t next_bytes = 0;
    std::optional<std::string_view> results;
};

// A member of another type than it has at any list: what stands at that address is none.
Error other_type(std::string_view member, std::string_view wanted)
{
    return Error(ErrorKind::config,
                 fmt::format("the answer has a member {} that is not {}: it is no list; check `path`", member, wanted));
}

// A text that only begins like null ("nothing", "nan") is no JSON: simdjson calls it a value of another type.
simdjson::error_code look_for_null(simdjson::ondemand::value& value, bool& is_null)
{
    const auto error = value.is_null().get(is_null);
    return error == simdjson::INCORRECT_TYPE ? simdjson::N_ATOM_ERROR : error;
}

// null: this service does not count.
simdjson::error_code read_count(simdjson::ondemand::value value, Members& members)
{
    bool is_null = false;
    if (const auto error = look_for_null(value, is_null); error || is_null) {
        return error;
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
    bool is_null = false;
    if (const auto error = look_for_null(value, is_null); error || is_null) {
        return error;
    }
    std::string_view url;
    if (const auto error = value.get_string().get(url); error) {
        return error;
    }
    members.next_bytes = url.size();
    if (url.size() > http::longest_target) {
        return simdjson::SUCCESS;
    }
    members.next_is_path = !url.empty() && url.find('?') == std::string_view::npos;
    if (!url.empty()) {
        members.next_query = http::query_of(url);
    }
    return simdjson::SUCCESS;
}

simdjson::error_code read_results(simdjson::ondemand::value value, Members& members)
{
    simdjson::ondemand::array array;
    if (const auto error = value.get_array().get(array); error) {
        return error;
    }
    std::string_view raw;
    const auto error = array.raw_json().get(raw);
    members.results = raw;
    return error;
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
        {"results", "an array", read_results},
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
    if (auto read = read_members(object, members); !read) {
        return std::move(read).error();
    }
    if (!members.has_next || !members.results) {
        return other_shape(members.results ? "an object with \"results\" and without \"next\"" : "one object",
                           config::Answers::list);
    }
    if (members.next_bytes > http::longest_target) {
        return next_too_long(members.next_bytes);
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
