#include "sim/json.hpp"

#include <fmt/format.h>

namespace shelfd::sim {

Json Json::number(std::string text)
{
    Json value;
    value.type = Type::number;
    value.text = std::move(text);
    return value;
}

Json Json::array(std::vector<Json> items)
{
    Json value;
    value.type = Type::array;
    value.items = std::move(items);
    return value;
}

Json Json::object(std::vector<std::pair<std::string, Json>> members)
{
    Json value;
    value.type = Type::object;
    value.members = std::move(members);
    return value;
}

const Json* Json::find(std::string_view key) const
{
    for (const auto& [name, value] : members) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

void Json::set(std::string_view key, Json value)
{
    for (auto& [name, present] : members) {
        if (name == key) {
            present = std::move(value);
            return;
        }
    }
    members.emplace_back(key, std::move(value));
}

void append_quoted(std::string& out, std::string_view text)
{
    out += '"';
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char byte = text[at];
        switch (byte) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\f': out += "\\f"; break;
        case '\b': out += "\\b"; break;
        default:
            if (static_cast<unsigned char>(byte) < 0x20) {
                out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
            } else if (text.substr(at, 3) == "\u2028" || text.substr(at, 3) == "\u2029") {
                out += text[at + 2] == '\xa8' ? "\\u2028" : "\\u2029";
                at += 2;
            } else {
                out += byte;
            }
        }
    }
    out += '"';
}

void append_text(std::string& out, const Json& value, Spacing spacing)
{
    const char* comma = spacing == Spacing::compact ? "," : ", ";
    const char* colon = spacing == Spacing::compact ? ":" : ": ";
    const char* between = "";
    switch (value.type) {
    case Json::Type::null: out += "null"; break;
    case Json::Type::boolean: out += value.flag ? "true" : "false"; break;
    case Json::Type::number: out += value.text; break;
    case Json::Type::string: append_quoted(out, value.text); break;
    case Json::Type::array:
        out += '[';
        for (const auto& item : value.items) {
            out += std::exchange(between, comma);
            append_text(out, item, spacing);
        }
        out += ']';
        break;
    case Json::Type::object:
        out += '{';
        for (const auto& [key, member] : value.members) {
            out += std::exchange(between, comma);
            append_quoted(out, key);
            out += colon;
            append_text(out, member, spacing);
        }
        out += '}';
        break;
    }
}

std::string to_text(const Json& value, Spacing spacing)
{
    std::string out;
    append_text(out, value, spacing);
    return out;
}

}  // namespace shelfd::sim
