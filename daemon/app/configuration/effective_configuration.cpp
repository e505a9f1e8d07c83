#include "app/configuration/effective_configuration.hpp"

#include "app/configuration/fixed_settings.hpp"
#include "app/configuration/reader_lookup.hpp"
#include "base/accounts/unknown_account.hpp"
#include "config/show.hpp"
#include "config/unknown_readers.hpp"

#include <utility>

namespace shelfd::app {
namespace {

Error refusal(const std::vector<config::Fault>& faults, ErrorKind kind = ErrorKind::config)
{
    std::string text;
    for (const auto& fault : faults) {
        text += (text.empty() ? "" : "\n") + to_text(fault);
    }
    return Error(kind, text);
}

std::vector<control::LibraryReaders> readers_of(const config::Libraries& libraries)
{
    std::vector<control::LibraryReaders> all;
    for (const auto& library : libraries) {
        if (!library->readers.empty()) {
            auto known = library->readers;
            std::erase_if(known, [](const Account& reader) { return !is_known(reader); });
            all.push_back({library->name, std::move(known)});
        }
    }
    return all;
}

}  // namespace

EffectiveConfiguration::EffectiveConfiguration(std::string file, config::Environment environment,
                                               config::Configuration configuration, Instant loaded_at)
    : file_(std::move(file)), environment_(std::move(environment)), settings_(std::move(configuration)),
      libraries_(share(std::exchange(settings_.libraries, {}))), readers_(readers_of(libraries_)), loaded_at_(loaded_at)
{
}

std::string EffectiveConfiguration::text() const
{
    auto whole = settings_;
    for (const auto& library : libraries_) {
        whole.libraries.push_back(*library);
    }
    return config::show(whole, config::ShowOrigin::no);
}

asio::awaitable<Result<EffectiveConfiguration::Next>> EffectiveConfiguration::read_again(Lane lane) const
{
    auto read = [present = *this] { return present.read_files(); };  // a copy: the loop may change this one meanwhile
    auto reading = lane.run(std::move(read));
    SHELFD_CO_TRY_ASSIGN(files, co_await std::move(reading));
    const auto& said = files;  // copied, not moved: see Lane::run
    Next next{said.configuration, {}, said.warnings};
    next.libraries = share(std::exchange(next.settings.libraries, {}), libraries_);
    co_return next;
}

Result<EffectiveConfiguration::Files> EffectiveConfiguration::read_files() const
{
    auto loaded = config::load(file_, environment_, config::KeepOrigins::no, config::Secrets::usable);
    if (!loaded.configuration) {
        return refusal(loaded.faults, loaded.met_shortage ? ErrorKind::storage : ErrorKind::config);
    }
    keep_unanswered(loaded.configuration->libraries, libraries_, find_account);
    if (const auto faults = new_unknown_readers(*loaded.configuration); !faults.empty()) {
        return refusal(faults);
    }
    Files files{std::move(*loaded.configuration), {}};
    const auto& next = files.configuration;
    if (next.storage != settings_.storage || next.control != settings_.control) {
        // Read again with the positions of all keys, which take too much memory to keep for thousands of lists.
        const auto placed = config::load(file_, environment_, config::KeepOrigins::yes);
        const auto faults = find_fixed_changes(settings_, placed.configuration.value_or(next), file_);
        if (!faults.empty()) {
            return refusal(faults);
        }
    }
    for (const auto& warning : loaded.warnings) {
        files.warnings.push_back(to_text(warning));
    }
    return files;
}

// A person is there who can correct the name. One that was in effect, and of which the account was deleted meanwhile,
// is shown in the status instead: a reload for another reason must go on.
std::vector<config::Fault> EffectiveConfiguration::new_unknown_readers(const config::Configuration& next) const
{
    const auto is_new = [this](const config::Library& library, const Account& reader) {
        return !had_reader(libraries_, library, reader.name);
    };
    if (config::find_unknown_readers(next, is_new).empty()) {
        return {};
    }
    const auto placed = config::load(file_, environment_, config::KeepOrigins::yes);
    return config::find_unknown_readers(placed.configuration.value_or(next), is_new);
}

void EffectiveConfiguration::adopt_found(config::Libraries libraries)
{
    libraries_ = std::move(libraries);
    readers_ = readers_of(libraries_);
}

void EffectiveConfiguration::adopt(Next next, Instant now)
{
    settings_ = std::move(next.settings);
    adopt_found(std::move(next.libraries));
    loaded_at_ = now;
    bad_secrets_.clear();
}

void EffectiveConfiguration::record_refusal(const std::optional<Error>& error, Instant now)
{
    refused_.reset();
    if (error) {
        const bool is_fault = error->kind() == ErrorKind::config;
        refused_ = {"the last reload was refused: " + error->text(),
                    is_fault ? "correct it (shelfctl config check reports every fault), then: shelfctl reload"
                             : "correct that, then: shelfctl reload",
                    now, "continues with the configuration that was loaded before"};
    }
}

std::vector<control::Notice> EffectiveConfiguration::notices() const
{
    std::vector<control::Notice> notices;
    for (const auto& bad : bad_secrets_) {
        notices.push_back(bad.notice);
    }
    if (refused_) {
        notices.push_back(*refused_);
    }
    return notices;
}

}  // namespace shelfd::app
