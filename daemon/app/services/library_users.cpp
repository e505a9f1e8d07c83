#include "app/services/library_users.hpp"

#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace shelfd::app {
namespace {

constexpr std::size_t max_file = 4U << 20U;

// "antwerp TAB https://service.test TAB antwerp TAB 7": no field but the last may hold a tab, and that one does not.
bool read_line(std::string_view line, LibraryUsers::All& all)
{
    std::array<std::string_view, 4> fields;
    for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
        const auto tab = line.find('\t');
        if (tab == std::string_view::npos) {
            return false;
        }
        fields[i] = line.substr(0, tab);
        line.remove_prefix(tab + 1);
    }
    fields.back() = line;
    if (fields[0].empty() || line.empty() || line.find('\t') != std::string_view::npos) {
        return false;
    }
    all[std::string(fields[0])] = {std::string(fields[1]), std::string(fields[3]), std::string(fields[2])};
    return true;
}

}  // namespace

void LibraryUsers::load()
{
    all_.clear();
    if (directory_.empty()) {
        return;
    }
    const auto text = read_regular_file(path_, max_file);
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        if (end == std::string_view::npos || !read_line(rest.substr(0, end), all_)) {
            all_.clear();
            return;
        }
        rest.remove_prefix(end + 1);
    }
}

Result<void> LibraryUsers::save(const All& all) const
{
    if (directory_.empty()) {
        return {};
    }
    std::string text;
    for (const auto& [library, known] : all) {
        text += fmt::format("{}\t{}\t{}\t{}\n", library, known.origin, known.group, known.user);
    }
    SHELFD_TRY(storage::make_private_directory(directory_));
    return storage::replace_file(path_, text, {});
}

void LibraryUsers::record(const config::Library& library, const std::string& user)
{
    if (user.empty()) {
        return;
    }
    auto& known = all_[library.name];
    if (known.user != user || known.origin != library.service.base_url) {
        known.user = user;
        known.origin = library.service.base_url;
        ++changes_;
        news_.notify_all();
    }
}

void LibraryUsers::forget(const std::string& library)
{
    if (all_.erase(library) > 0) {
        ++changes_;
        news_.notify_all();
    }
}

void LibraryUsers::settle(const All& shared, const config::Libraries& configured)
{
    all_.insert(shared.begin(), shared.end());
    for (auto& [library, known] : all_) {
        const auto found = shared.find(library);
        known.group = found == shared.end() ? "" : found->second.group;
    }
    std::erase_if(all_, [&configured](const auto& one) {
        return std::none_of(configured.begin(), configured.end(),
                            [&one](const auto& library) { return library->name == one.first; });
    });
}

}  // namespace shelfd::app
