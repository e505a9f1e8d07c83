#include "sync/envelope.hpp"

#include <fmt/core.h>
#include <simdjson.h>

namespace shelfd::sync {
namespace {

Error unreadable(std::string_view what)
{
    return Error(ErrorKind::protocol, fmt::format("the answer is not readable as a page of a list: {}", what));
}

// What a person needs to see that this path is no page-number list.
Error other_shape(std::string_view seen)
{
    return Error(ErrorKind::config,
                 fmt::format("the answer is {}, not a page of a list (an object with \"count\", \"next\" and "
                             "\"results\"); check `path`",
                             seen));
}

std::optional<std::string> query_of(std::string_view url)
{
    const auto question = url.find('?');
    if (question == std::string_view::npos) {
        return std::string();
    }
    const auto fragment = url.find('#', question);
    return std::string(
        url.substr(question + 1, fragment == std::string_view::npos ? fragment : fragment - question - 1));
}

struct Members {
    std::optional<std::uint64_t> count;
    bool has_next = false;
    std::optional<std::string> next_query;
    std::optional<std::string_view> results;
};

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
            std::uint64_t count = 0;
            if (const auto error = value.get_uint64().get(count); error) {
                return error;
            }
            members.count = count;
        } else if (key == "next") {
            members.has_next = true;
            if (!value.is_null()) {
                std::string_view url;
                if (const auto error = value.get_string().get(url); error) {
                    return error;
                }
                members.next_query = query_of(url);
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

}  // namespace

Result<Page> read_page(const std::string& body)
{
    // One parser a call: its buffers grow to the size of a page and the allocator gives them back at once.
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    if (const auto error = parser.iterate(body.data(), body.size(), body.capacity()).get(document); error) {
        return unreadable(simdjson::error_message(error));
    }
    simdjson::ondemand::json_type type{};
    if (const auto error = document.type().get(type); error) {
        return unreadable(simdjson::error_message(error));
    }
    if (type != simdjson::ondemand::json_type::object) {
        return other_shape(name_of(type));
    }
    simdjson::ondemand::object object;
    Members members;
    if (const auto error = document.get_object().get(object); error) {
        return unreadable(simdjson::error_message(error));
    }
    if (const auto error = read_members(object, members); error) {
        return unreadable(simdjson::error_message(error));
    }
    // At the end there is no location any more; anywhere else something follows.
    if (const char* rest = nullptr; document.current_location().get(rest) == simdjson::SUCCESS) {
        return unreadable("something follows behind its end");
    }
    if (!members.count || !members.has_next || !members.results) {
        return other_shape(members.results ? "a list of another kind" : "one object");
    }
    return Page{*members.count, std::move(members.next_query), *members.results};
}

}  // namespace shelfd::sync
