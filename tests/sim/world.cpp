#include "sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace shelfd::sim {

namespace {

// Rows of one list keep their ids apart from those of every other library.
constexpr std::int64_t ids_for_each_library = 10'000'000;
constexpr std::int64_t ids_for_each_parent = 1'000;

std::string title_of(std::size_t number)
{
    static constexpr std::array<std::string_view, 6> towns{"Antwerp", "Bruges", "Ghent", "Liège", "Namur", "Ostend"};
    const auto town = towns[number % towns.size()];
    return number < towns.size() ? fmt::format("Kitchen {}", town) : fmt::format("Kitchen {} {}", town, number);
}

[[noreturn]] void abort_saying(const std::string& text)
{
    std::fputs((text + "\n").c_str(), stderr);
    std::abort();
}

}  // namespace

World::World(WorldOptions options)
    : tokens(seed_for(options.seed, "tokens")), throttle(options.throttle), options_(std::move(options))
{
    tokens.policy = options_.tokens;
    for (std::size_t number = 0; number < options_.libraries; ++number) {
        libraries_.push_back(
            {.name = fmt::format("lib{:02}", number + 1),
             .id = static_cast<std::int64_t>(42 + number),
             .title = title_of(number),
             .client_id = fmt::format("client-{}", Random(seed_for(options_.seed + number, "client")).word(33)),
             .client_secret = tokens.new_secret(128),
             .redirect_uris = {},
             .lists = {},
             .throttle = {}});
        tokens.issue(number, options_.scope, now());
    }
}

Library* World::find_library(std::string_view name)
{
    const auto found = std::find_if(libraries_.begin(), libraries_.end(),
                                    [&](const Library& library) { return library.name == name; });
    return found == libraries_.end() ? nullptr : &*found;
}

Library& World::library(std::string_view name)
{
    auto* found = find_library(name);
    if (found == nullptr) {
        abort_saying(fmt::format("the simulator has no library {}", name));
    }
    return *found;
}

Library* World::library_of_client(std::string_view client_id)
{
    const auto found = std::find_if(libraries_.begin(), libraries_.end(),
                                    [&](const Library& library) { return library.client_id == client_id; });
    return found == libraries_.end() ? nullptr : &*found;
}

ListData* World::find_list(Library& library, const std::string& path)
{
    const auto present = library.lists.find(path);
    if (present != library.lists.end()) {
        return &present->second;
    }
    const auto* spec = sim::find_list(path);
    if (spec == nullptr || spec->path.find('*') != std::string_view::npos) {
        return spec == nullptr ? nullptr : find_child_list(library, path, *spec);
    }
    const auto asked = options_.rows_of.find(path);
    const auto rows = asked != options_.rows_of.end() ? asked->second
                      : spec->rows                    ? static_cast<std::size_t>(*spec->rows)
                                                      : options_.rows;
    const auto number = number_of(library);
    const auto first_id = static_cast<std::int64_t>(number) * ids_for_each_library;
    ListData list(path, seed_for(options_.seed, library.name), first_id, rows);
    return &library.lists.emplace(path, std::move(list)).first->second;
}

ListData* World::find_child_list(Library& library, const std::string& path, const ListSpec& spec)
{
    const auto text = parent_of(path, spec);
    std::int64_t parent = 0;
    const bool is_number =
        std::from_chars(text.data(), text.data() + text.size(), parent).ptr == text.data() + text.size();
    auto* parents = find_list(library, path.substr(0, path.find(text) - 1));
    if (!is_number || parents == nullptr || parents->find(parent) == nullptr) {
        return nullptr;
    }
    ListData list(path, seed_for(options_.seed, library.name), parent * ids_for_each_parent,
                  static_cast<std::size_t>(spec.rows.value_or(0)));
    return &library.lists.emplace(path, std::move(list)).first->second;
}

ListData& World::list(std::string_view name, const std::string& path)
{
    auto* found = find_list(library(name), path);
    if (found == nullptr) {
        abort_saying(fmt::format("the simulator has no list {} in {}", path, name));
    }
    return *found;
}

std::size_t World::row_count(std::string_view name, const std::string& path)
{
    return list(name, path).size();
}

std::string World::rows(std::string_view name, const std::string& path, std::string_view origin)
{
    std::string out = "[";
    for (const auto* row : list(name, path).ordered({})) {
        out += out.size() == 1 ? "" : ",";
        row->append_to(out, origin);
    }
    return out + "]";
}

void World::edit(std::string_view name, const std::string& path, const Edit& edit)
{
    list(name, path).apply(edit, now());
}

void World::edit_after(std::string_view name, const std::string& path, std::size_t page, Edit edit)
{
    list(name, path).apply_after(page, std::move(edit));
}

TokenPair World::issue_set(std::string_view name, std::string scope)
{
    return tokens.issue(number_of(library(name)), std::move(scope), now());
}

TokenSet& World::set(std::string_view name, std::size_t number)
{
    auto* found = tokens.find_set(number_of(library(name)), number);
    if (found == nullptr) {
        abort_saying(fmt::format("the simulator has no set {} of {}", number, name));
    }
    return *found;
}

SetView World::view_set(std::string_view name, std::size_t number)
{
    const auto& set = this->set(name, number);
    const auto& newest = set.newest();
    return {.access_token = newest.access,
            .refresh_token = newest.refresh,
            .scope = newest.scope,
            .generation = set.generation(),
            .expires = newest.expires,
            .access_lives = newest.access_row && now() < newest.expires,
            .refresh_lives = newest.refresh_state == RefreshState::live && newest.access_row};
}

void World::expire_access(std::string_view name, std::size_t number)
{
    set(name, number).generations.back().expires = now();
}

void World::drop_access_row(std::string_view name, std::size_t number)
{
    set(name, number).generations.back().access_row = false;
}

void World::revoke_set(std::string_view name, std::size_t number)
{
    tokens.revoke_set(set(name, number));
}

AuditReport World::audit_report() const
{
    auto report = audit.report;
    report.reuses_of_spent = tokens.reuses_of_spent();
    return report;
}

void World::reset_audit()
{
    audit.reset();
    tokens.reset_counts();
}

}  // namespace shelfd::sim
