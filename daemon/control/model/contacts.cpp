#include "control/model/contacts.hpp"

#include "base/words/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

constexpr std::size_t named = 3;  // contacts, and libraries of each

struct Contact {
    std::string address;
    std::vector<std::string> libraries = {};
};

std::vector<Contact> contacts_of(const std::vector<const Affected*>& affected)
{
    std::vector<Contact> found;
    for (const auto* one : affected) {
        if (one->contact.empty()) {
            continue;
        }
        auto known = std::find_if(found.begin(), found.end(),
                                  [one](const Contact& contact) { return contact.address == one->contact; });
        known = known == found.end() ? found.insert(known, Contact{one->contact}) : known;
        auto& libraries = known->libraries;
        if (std::find(libraries.begin(), libraries.end(), one->library) == libraries.end()) {
            libraries.push_back(one->library);
        }
    }
    return found;
}

}  // namespace

std::string describe_contacts(const std::vector<const Affected*>& affected)
{
    const auto found = contacts_of(affected);
    if (found.size() < 2) {
        return found.empty() ? "" : found.front().address;
    }
    std::vector<std::string> clauses;
    for (const auto& one : found) {
        clauses.push_back(fmt::format("{} for {}", one.address, list_some(one.libraries, named)));
    }
    return list_clauses(clauses, named);
}

std::string describe_contacts(const std::vector<Affected>& affected)
{
    std::vector<const Affected*> all;
    std::transform(affected.begin(), affected.end(), std::back_inserter(all), [](const Affected& one) { return &one; });
    return describe_contacts(all);
}

}  // namespace shelfd::control
