#include "ctl/daemon/exposition.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <charconv>
#include <optional>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

// Cuts off and returns what is before `end`; all of the text if `end` is not in it.
std::string_view take_until(std::string_view& text, char end)
{
    const auto part = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

// Cuts off the value of a label, up to its closing quote.
std::string take_quoted(std::string_view& text)
{
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            text.remove_prefix(i + 1);
            return value;
        }
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
            value += text[i] == 'n' ? '\n' : text[i];
        } else {
            value += text[i];
        }
    }
    text = {};
    return value;
}

json::value number(std::string_view text)
{
    double value = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? json::value(value) : json::value(text);
}

json::object read_sample(std::string_view line)
{
    json::object sample;
    const auto name_end = line.find_first_of("{ ");
    sample["name"] = line.substr(0, name_end);
    json::object labels;
    const bool has_labels = name_end != std::string_view::npos && line[name_end] == '{';
    line.remove_prefix(std::min(line.size(), name_end == std::string_view::npos ? line.size() : name_end + 1));
    while (has_labels && !line.empty() && line.front() != '}') {
        const auto name = take_until(line, '=');
        line.remove_prefix(std::min<std::size_t>(line.size(), 1));
        labels[name] = take_quoted(line);
        line.remove_prefix(line.starts_with(',') ? 1 : 0);
    }
    line.remove_prefix(std::min(line.size(), line.find_first_not_of("} ")));
    sample["labels"] = std::move(labels);
    sample["value"] = number(line);
    return sample;
}

}  // namespace

std::string exposition_to_json(std::string_view text)
{
    json::array metrics;
    while (!text.empty()) {
        auto line = take_until(text, '\n');
        if (line.starts_with("# HELP ")) {
            line.remove_prefix(7);
            const auto name = take_until(line, ' ');
            metrics.push_back(json::object{{"name", name}, {"help", line}, {"samples", json::array()}});
        } else if (metrics.empty() || line.empty()) {
            continue;
        } else if (line.starts_with("# TYPE ")) {
            metrics.back().as_object()["type"] = line.substr(line.rfind(' ') + 1);
        } else if (!line.starts_with('#')) {
            metrics.back().as_object()["samples"].as_array().push_back(read_sample(line));
        }
    }
    return json::serialize(json::object{{"metrics", std::move(metrics)}});
}

}  // namespace shelfd::ctl
