#include "app/host/once_advice.hpp"

#include <algorithm>

namespace shelfd::app {
namespace {

constexpr std::string_view once = "shelfd --once";

void replace_all(std::string& text, std::string_view what, std::string_view by)
{
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

bool is_of_names(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ' ';
}

// Takes the names of a library and a table with it. `--full` means more than another run.
void replace_sync(std::string& text)
{
    constexpr std::string_view sync = "shelfctl sync";
    for (auto at = text.find(sync); at != std::string::npos; at = text.find(sync, at + 1)) {
        const auto names = text.begin() + static_cast<std::ptrdiff_t>(at + sync.size());
        const auto end = std::find_if_not(names, text.end(), is_of_names);
        if (end == text.end() || *end != '-') {
            text.replace(text.begin() + static_cast<std::ptrdiff_t>(at), end, once);
        }
    }
}

}  // namespace

std::string advice_without_daemon(std::string_view text)
{
    std::string out(text);
    replace_all(out, "shelfctl reload", once);
    replace_sync(out);
    replace_all(out, ": shelfctl auth", ", with the daemon running: shelfctl auth");
    return out;
}

}  // namespace shelfd::app
