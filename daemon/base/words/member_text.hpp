// Members of a JSON answer that identify a library or a user, as `identity.field` names them: "id", "library.id".
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace shelfd {

// Where services often name the library of a token, in the member id.
inline constexpr const char* usual_identity_page = "/api/v2/accounts/libraries/current/";

// Longer values do not identify a library, and would fill the status and the record of the set.
inline constexpr std::size_t max_identity = 200;

// The member "a.b" as text: strings unchanged, whole numbers of at most 64 bits as written; "" if there is none. Other
// numbers lose digits, so two libraries might look the same. `Json` is a value as Boost.JSON has it, whose headers stay
// in .cpp files.
template <typename Json>
std::string member_text(const Json& value, std::string_view path)
{
    const auto* at = &value;
    while (!path.empty()) {
        const auto dot = std::min(path.find('.'), path.size());
        const auto name = path.substr(0, dot);
        at = at->is_object() ? at->get_object().if_contains({name.data(), name.size()}) : nullptr;
        if (at == nullptr) {
            return "";
        }
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    if (at->is_string()) {
        return std::string(at->get_string().data(), at->get_string().size());
    }
    return at->is_int64()    ? fmt::to_string(at->get_int64())
           : at->is_uint64() ? fmt::to_string(at->get_uint64())
                             : std::string();
}

// "library.name" for "library.id".
inline std::string member_beside(std::string_view field, std::string_view name)
{
    const auto dot = field.rfind('.');
    return std::string(field.substr(0, dot == std::string_view::npos ? 0 : dot + 1)) + std::string(name);
}

// The same, but "" for what is too long to identify anything.
template <typename Json>
std::string identity_text(const Json& page, std::string_view path)
{
    auto text = member_text(page, path);
    return text.size() <= max_identity ? std::move(text) : std::string();
}

// The member that plainly has the id of the user whose token a page of `identity` is about, like "user.id"; "" if there
// is none. Only names that leave no doubt; others are for a person to find.
template <typename Json>
std::string user_member(const Json& page)
{
    for (const auto* field :
         {"user.id", "user.uuid", "user.pk", "owner.id", "owner.uuid", "owner.pk", "account_user.id",
          "account_user.uuid", "account_user.pk", "user_id", "owner_id", "user"}) {
        if (!identity_text(page, field).empty()) {
            return field;
        }
    }
    return "";
}

}  // namespace shelfd
