#include "sync/discovery/view_metadata.hpp"

#include "sync/discovery/json_view.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

constexpr std::size_t max_title = 80;

std::string one_line(std::string text)
{
    text = text.substr(0, std::min(text.find_first_of("\r\n"), max_title));
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return text;
}

}  // namespace

std::string title_in_metadata(std::string_view body)
{
    const JsonView view(body);
    const bool is_metadata = view.find("renders") != nullptr && view.find("parses") != nullptr;
    const auto name = is_metadata ? view.text("name") : "";
    const auto description = view.text("description");
    return name.empty() || description.empty() ? one_line(name) : one_line(name + ": " + description);
}

}  // namespace shelfd::sync
