#include "oauth/set/moved_set.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

namespace json = boost::json;

constexpr std::string_view mark = "shelfd_moved_set";

// Does not use a serializer, which would leave copies of the tokens.
void append_member(std::string& document, std::string_view name, std::string_view value)
{
    document += document.empty() ? "{" : ", ";
    document += '"';
    document += name;
    document += "\": \"";
    for (const char c : value) {
        if (c == '"' || c == '\\') {
            document += '\\';
        }
        document += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    document += '"';
}

std::string text_of(const json::object& object, std::string_view name)
{
    const auto* value = object.if_contains({name.data(), name.size()});
    const auto* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string(text->data(), text->size()) : std::string();
}

std::uint64_t number_of(const json::object& object, std::string_view name)
{
    const auto* value = object.if_contains({name.data(), name.size()});
    const auto* number = value != nullptr ? value->if_int64() : nullptr;
    return number != nullptr && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

}  // namespace

Secret write_moved_set(const TokenSet& set, const std::string& library, Instant now)
{
    std::string document;
    document.reserve(1024 + 2 * (set.access.reveal().size() + set.refresh.reveal().size() + set.scope.size()));
    append_member(document, "library", library);
    append_member(document, "service", set.service);
    append_member(document, "client_id", set.client_id);
    append_member(document, "library_id", set.library_id);
    append_member(document, "access_token", set.access.reveal());
    append_member(document, "refresh_token", set.refresh.reveal());
    append_member(document, "token_type", set.token_type);
    append_member(document, "scope", set.scope);
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(set.issued.wall + set.lifetime - now).count();
    document += fmt::format(", \"expires_in\": {}, \"generation\": {}, \"from_login\": {}, \"{}\": 1}}",
                            std::max<std::int64_t>(left, 1), set.generation, set.from_login ? 1 : 0, mark);
    return Secret(std::move(document));
}

Result<MovedSet> read_moved_set(std::string_view text)
{
    SHELFD_TRY_ASSIGN(set, parse_paste(text));
    json::error_code broken;
    const auto document = json::parse(json::string_view(text.data(), text.size()), broken);
    const auto* object = broken ? nullptr : document.if_object();
    if (object == nullptr || number_of(*object, mark) != 1) {
        return Error(ErrorKind::usage, "this was not written by `shelfctl auth move-out` of this version; import an "
                                       "owner's set with: shelfctl auth import");
    }
    MovedSet moved;
    moved.set = std::move(set);
    moved.from = {text_of(*object, "library"),    text_of(*object, "service"),
                  text_of(*object, "client_id"),  number_of(*object, "generation"),
                  text_of(*object, "library_id"), number_of(*object, "from_login") == 1};
    return moved;
}

}  // namespace shelfd::oauth
