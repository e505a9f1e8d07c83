#include "control/api/request_fields.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <cmath>

namespace shelfd::control {

namespace json = boost::json;

namespace {

// Empty if the value is not an array of strings.
std::optional<std::vector<std::string>> texts_of(const json::value& value)
{
    const auto* array = value.if_array();
    if (array == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> texts;
    for (const auto& element : *array) {
        const auto* text = element.if_string();
        if (text == nullptr) {
            return std::nullopt;
        }
        texts.emplace_back(text->data(), text->size());
    }
    return texts;
}

}  // namespace

Result<RequestFields> RequestFields::parse(std::string_view body)
{
    RequestFields fields;
    if (body.empty()) {
        return fields;
    }
    boost::system::error_code broken;
    const auto document = json::parse({body.data(), body.size()}, broken);
    if (broken || !document.is_object()) {
        return Error(ErrorKind::usage, "the body of the request is not a JSON object");
    }
    for (const auto& [key, value] : document.get_object()) {
        const std::string name(key.data(), key.size());
        if (value.is_string()) {
            const auto& text = value.get_string();
            fields.values_[name] = std::string(text.data(), text.size());
        } else if (value.is_bool()) {
            fields.values_[name] = value.get_bool();
        } else if (value.is_number()) {
            fields.values_[name] = value.to_number<double>();
        } else if (auto list = texts_of(value)) {
            fields.values_[name] = std::move(*list);
        } else if (!value.is_null()) {
            return Error(ErrorKind::usage,
                         fmt::format("\"{}\" is not a text, a number, true, false or a list of texts", name));
        }
    }
    return fields;
}

void RequestFields::complain(std::string text)
{
    if (!complaint_) {
        complaint_ = std::move(text);
    }
}

template <typename T>
std::optional<T> RequestFields::take(std::string_view name, std::string_view wanted)
{
    const auto found = values_.find(name);
    if (found == values_.end()) {
        return std::nullopt;
    }
    auto value = std::move(found->second);
    values_.erase(found);
    if (auto* typed = std::get_if<T>(&value)) {
        return std::move(*typed);
    }
    complain(fmt::format("\"{}\" must be {}", name, wanted));
    return std::nullopt;
}

std::string RequestFields::required_text(std::string_view name)
{
    auto value = text(name);
    if (value.empty()) {
        complain(fmt::format("\"{}\" is missing", name));
    }
    return value;
}

std::string RequestFields::text(std::string_view name)
{
    return take<std::string>(name, "a text").value_or("");
}

std::vector<std::string> RequestFields::texts(std::string_view name)
{
    return take<std::vector<std::string>>(name, "a list of texts").value_or(std::vector<std::string>());
}

bool RequestFields::flag(std::string_view name)
{
    return take<bool>(name, "true or false").value_or(false);
}

std::uint64_t RequestFields::count(std::string_view name)
{
    constexpr double most = 1e9;
    const auto value = take<double>(name, "a whole number").value_or(0);
    if (!(value >= 0 && value <= most) || value != std::floor(value)) {
        complain(fmt::format("\"{}\" must be a whole number, at most {:.0f}", name, most));
        return 0;
    }
    return static_cast<std::uint64_t>(value);
}

std::optional<Duration> RequestFields::seconds(std::string_view name)
{
    constexpr double longest = 366.0 * 86'400;
    const auto value = take<double>(name, "a number of seconds");
    if (value && !(*value >= 0 && *value <= longest)) {
        complain(fmt::format("\"{}\" must be between 0 and {} seconds", name, longest));
        return std::nullopt;
    }
    return value ? std::optional(Duration(static_cast<std::int64_t>(*value * 1e6))) : std::nullopt;
}

Result<void> RequestFields::finish() const
{
    if (complaint_) {
        return Error(ErrorKind::usage, *complaint_);
    }
    if (!values_.empty()) {
        return Error(ErrorKind::usage, fmt::format("unknown member \"{}\"", values_.begin()->first));
    }
    return {};
}

}  // namespace shelfd::control
