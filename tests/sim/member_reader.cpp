#include "sim/member_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace shelfd::sim {

MemberReader::MemberReader(const Json& object) : object_(object)
{
    if (!object.is(Json::Type::object)) {
        complaints_.emplace_back("a JSON object is wanted");
    }
}

const Json* MemberReader::member(std::string_view key)
{
    known(key);
    return object_.find(key);
}

std::string MemberReader::word(std::string_view key, std::string fallback)
{
    const auto* value = member(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is(Json::Type::string)) {
        complain(key, "must be a string");
        return fallback;
    }
    return value->text;
}

std::size_t MemberReader::whole(std::string_view key, std::size_t fallback)
{
    const auto* value = member(key);
    if (value == nullptr) {
        return fallback;
    }
    std::size_t number = 0;
    const auto* end = value->text.data() + value->text.size();
    if (!value->is(Json::Type::number) || std::from_chars(value->text.data(), end, number).ptr != end) {
        complain(key, "must be a whole number, 0 or more");
        return fallback;
    }
    return number;
}

bool MemberReader::flag(std::string_view key, bool fallback)
{
    const auto* value = member(key);
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is(Json::Type::boolean)) {
        complain(key, "must be true or false");
        return fallback;
    }
    return value->flag;
}

void MemberReader::complain(std::string_view key, std::string_view what)
{
    complaints_.push_back(fmt::format("\"{}\" {}", key, what));
}

std::optional<std::string> MemberReader::first_complaint() const
{
    if (!complaints_.empty()) {
        return complaints_.front();
    }
    for (const auto& [key, value] : object_.members) {
        if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
            return fmt::format("\"{}\" is not known here", key);
        }
    }
    return std::nullopt;
}

}  // namespace shelfd::sim
