#include "app/configuration/reader_lookup.hpp"

#include "app/stores/named_library.hpp"
#include "base/accounts/unknown_account.hpp"
#include "base/words/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace shelfd::app {
namespace {

// As answered; who it was if the name service did not answer.
Account answered(const Account& known, const AccountAnswers& answers)
{
    const auto answer = answers.find(known.name);
    if (answer == answers.end() || !answer->second) {
        return known;
    }
    return answer->second.value().value_or(unknown_account(known.name));
}

std::optional<Account> answered_admins(const std::optional<Account>& known, const std::string& group,
                                       const AccountAnswers& answers)
{
    const auto answer = answers.find(group);
    if (answer == answers.end() || !answer->second) {
        return known;
    }
    const auto& found = answer->second.value();
    return found && found->kind == Account::Kind::group ? found : std::nullopt;
}

const config::Library* predecessor_of(const config::Library& library, const config::Libraries& present)
{
    const auto* same = find_named(present, library.name);
    return same != nullptr || library.formerly.empty() ? same : find_named(present, library.formerly);
}

const Account* find_reader(const config::Library* library, const std::string& name)
{
    if (library == nullptr) {
        return nullptr;
    }
    const auto found = std::find_if(library->readers.begin(), library->readers.end(),
                                    [&name](const Account& one) { return one.name == name; });
    return found == library->readers.end() ? nullptr : &*found;
}

std::string list(const std::vector<std::string>& libraries)
{
    constexpr std::size_t most = 3;
    const auto shown = std::min(most, libraries.size());
    auto text = fmt::format("{}", fmt::join(libraries.begin(), libraries.begin() + static_cast<int>(shown), ", "));
    return shown == libraries.size() ? text : text + fmt::format(" and {} others", libraries.size() - shown);
}

}  // namespace

std::set<std::string> reader_names(const config::Libraries& libraries, const std::string& admins)
{
    std::set<std::string> names;
    for (const auto& library : libraries) {
        for (const auto& reader : library->readers) {
            names.insert(reader.name);
        }
    }
    if (!names.empty() && !admins.empty()) {
        names.insert(admins);
    }
    return names;
}

bool has_unknown_reader(const config::Libraries& libraries)
{
    return std::any_of(libraries.begin(), libraries.end(), [](const auto& library) {
        return !std::all_of(library->readers.begin(), library->readers.end(), is_known);
    });
}

AccountAnswers ask_for_accounts(const std::set<std::string>& names, const FindAccount& find)
{
    AccountAnswers answers;
    for (const auto& name : names) {
        answers.emplace(name, find(name));
    }
    return answers;
}

config::Libraries with_accounts(const config::Libraries& libraries, const std::string& admins,
                                const AccountAnswers& answers)
{
    auto all = libraries;
    for (auto& library : all) {
        if (library->readers.empty()) {
            continue;
        }
        auto readers = library->readers;
        for (auto& reader : readers) {
            reader = answered(reader, answers);
        }
        auto group = answered_admins(library->admins, admins, answers);
        if (readers != library->readers || group != library->admins) {
            auto changed = std::make_shared<config::Library>(*library);
            changed->readers = std::move(readers);
            changed->admins = std::move(group);
            library = std::move(changed);
        }
    }
    return all;
}

void keep_unanswered(std::vector<config::Library>& next, const config::Libraries& present, const FindAccount& find)
{
    for (auto& library : next) {
        const auto* before = predecessor_of(library, present);
        for (auto& reader : library.readers) {
            const auto* known = is_known(reader) ? nullptr : find_reader(before, reader.name);
            if (known != nullptr && is_known(*known) && !find(reader.name)) {
                reader = *known;
            }
        }
        const bool had_admins = before != nullptr && before->admins && !library.readers.empty() && !library.admins;
        if (had_admins && !find(before->admins->name)) {
            library.admins = before->admins;
        }
    }
}

bool had_reader(const config::Libraries& present, const config::Library& library, const std::string& reader)
{
    return find_reader(predecessor_of(library, present), reader) != nullptr;
}

std::vector<control::Notice> describe_unknown_readers(const config::Libraries& libraries, const AccountAnswers& answers)
{
    std::map<std::string, std::vector<std::string>> unknown;  // by reader
    for (const auto& library : libraries) {
        for (const auto& reader : library->readers) {
            if (!is_known(reader)) {
                unknown[reader.name].push_back(library->name);
            }
        }
    }
    std::vector<control::Notice> notices;
    for (const auto& [name, named_by] : unknown) {
        const auto answer = answers.find(name);
        const bool is_unanswered = answer != answers.end() && !answer->second;
        const auto why = is_unanswered ? answer->second.error().text()
                                       : fmt::format("\"{}\" is neither a group nor a user of this machine", name);
        const auto word = shell_word(name);
        notices.push_back(
            {fmt::format("`readers` of {} names {}, who gets no access: {}", list(named_by), name, why),
             is_unanswered
                 ? fmt::format("repair the name service (getent group {0}; getent passwd {0})", word)
                 : fmt::format("sudo groupadd {}; or remove the name from readers, then: shelfctl reload", word),
             std::nullopt, "looks the name up every minute, and grants the mirror once it is known"});
    }
    return notices;
}

}  // namespace shelfd::app
