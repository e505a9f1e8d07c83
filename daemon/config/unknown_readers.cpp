#include "config/unknown_readers.hpp"

#include "base/accounts/unknown_account.hpp"
#include "base/words/shell_word.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace shelfd::config {
namespace {

// Empty if it is known by now.
std::optional<std::string> fault_of(const std::string& name)
{
    const auto account = find_account(name);
    if (!account) {
        return account.error().text();
    }
    return *account ? std::nullopt
                    : std::optional(fmt::format("readers names \"{0}\", which is neither a group nor a user of this "
                                                "machine: sudo groupadd {1}, or correct the name",
                                                name, shell_word(name)));
}

}  // namespace

std::vector<Fault> find_unknown_readers(const Configuration& configuration,
                                        const std::function<bool(const Library&, const Account&)>& counts)
{
    std::vector<Fault> faults;
    for (const auto& library : configuration.libraries) {
        for (const auto& reader : library.readers) {
            if (is_known(reader) || !counts(library, reader)) {
                continue;
            }
            const auto place =
                configuration.origins.find(fmt::format("library.{}.readers.{}", library.name, reader.name));
            if (auto text = fault_of(reader.name)) {
                faults.push_back(
                    {place == configuration.origins.end() ? library.position : place->second, std::move(*text)});
            }
        }
    }
    return faults;
}

}  // namespace shelfd::config
