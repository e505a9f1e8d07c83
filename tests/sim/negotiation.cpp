#include "sim/negotiation.hpp"

#include "sim/message.hpp"

#include <array>
#include <string>
#include <vector>

namespace shelfd::sim {

namespace {

struct MediaType {
    std::string type;
    std::string subtype;

    // 0 for */*, 1 for text/*, 2 for text/html.
    int specificity() const { return (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 1); }
    bool takes(std::string_view main, std::string_view sub) const
    {
        return (type == "*" || type == main) && (subtype == "*" || subtype == sub);
    }
};

std::string trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t");
    const auto end = text.find_last_not_of(" \t");
    return begin == std::string_view::npos ? "" : lower(text.substr(begin, end - begin + 1));
}

std::vector<MediaType> parse(std::string_view accept)
{
    std::vector<MediaType> types;
    while (!accept.empty()) {
        const auto comma = accept.find(',');
        const auto entry = trimmed(accept.substr(0, comma));
        const auto name = trimmed(std::string_view(entry).substr(0, entry.find(';')));
        const auto slash = name.find('/');
        if (slash != std::string::npos) {
            types.push_back({name.substr(0, slash), name.substr(slash + 1)});
        }
        accept.remove_prefix(comma == std::string_view::npos ? accept.size() : comma + 1);
    }
    return types;
}

}  // namespace

Rendering negotiate(std::string_view accept)
{
    struct Offer {
        std::string_view type;
        std::string_view subtype;
        Rendering rendering;
    };
    static constexpr std::array<Offer, 2> offers{
        {{"application", "json", Rendering::json}, {"text", "html", Rendering::html}}};
    const auto types = parse(accept);
    for (const int wanted : {2, 1, 0}) {
        for (const auto& offer : offers) {
            for (const auto& type : types) {
                if (type.specificity() == wanted && type.takes(offer.type, offer.subtype)) {
                    return offer.rendering;
                }
            }
        }
    }
    return Rendering::none;
}

}  // namespace shelfd::sim
