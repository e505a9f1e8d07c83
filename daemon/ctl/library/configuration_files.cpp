#include "ctl/library/configuration_files.hpp"

#include "base/regular_file.hpp"
#include "config/edit/library_edit.hpp"
#include "ctl/library/configuration_lock.hpp"
#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::ctl {
namespace {

Error with_cure(Error error)
{
    const bool is_denied = error.kind() == ErrorKind::permission;
    return is_denied ? Error(ErrorKind::permission, error.text() + "; only its owner may change the "
                                                                   "configuration, mostly root: repeat "
                                                                   "the command with sudo")
                     : error;
}

Error cannot_write(const std::string& path, int number)
{
    return with_cure(storage::errno_error("cannot write " + path, number));
}

Result<void> replace_durably(const std::string& path, std::string_view text, const struct stat& like)
{
    const storage::FileOwner owner{like.st_uid, like.st_gid};
    auto replaced =
        storage::replace_file(real_path(path), text, {like.st_mode & 07777, storage::Durability::disk, owner});
    return replaced ? std::move(replaced) : Result<void>(with_cure(std::move(replaced).error()));
}

// Empty if there is no such file.
Result<std::optional<std::string>> text_on_disk(const std::string& path)
{
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0 && errno == ENOENT) {
        return std::optional<std::string>();
    }
    auto text = read_regular_file(path, config::max_file);
    return text ? Result<std::optional<std::string>>(std::move(*text))
                : Result<std::optional<std::string>>(std::move(text.error()).in("cannot read " + path));
}

}  // namespace

Result<config::Configuration> read_configuration(const Context& context, const config::Overlay& changes)
{
    auto loaded = config::load(context.command.config_file, context.environment, config::KeepOrigins::no,
                               config::Secrets::as_anybody, changes);
    if (loaded.configuration) {
        return std::move(*loaded.configuration);
    }
    std::string text;
    for (const auto& fault : loaded.faults) {
        text += (text.empty() ? "" : "\n") + config::to_text(fault);
    }
    return Error(ErrorKind::config, text);
}

Result<ConfigurationFiles> ConfigurationFiles::read(const Context& context)
{
    // Nothing is written beside a file that is not there.
    if (::access(context.command.config_file.c_str(), F_OK) != 0) {
        if (auto tried = read_configuration(context); !tried) {
            return tried.error();
        }
    }
    auto lock = lock_configuration(context, context.command.config_file);
    if (!lock && (lock.error().kind() == ErrorKind::busy || lock.error().kind() == ErrorKind::stopped)) {
        return lock.error();
    }
    SHELFD_TRY_ASSIGN(configuration, read_configuration(context));
    return ConfigurationFiles(context, std::move(configuration), std::move(lock));
}

Result<void> ConfigurationFiles::read_again()
{
    before_.clear();
    return check({});
}

Result<std::string> ConfigurationFiles::file_of(const std::string& library) const
{
    const auto* found = configuration_.find_library(library);
    if (found == nullptr) {
        return Error(ErrorKind::not_found, "there is no library " + library);
    }
    return found->position.file;
}

Result<std::string> ConfigurationFiles::text_of(const std::string& file) const
{
    if (const auto changed = changes_.find(file); changed != changes_.end() && changed->second) {
        return *changed->second;
    }
    SHELFD_TRY_ASSIGN(text, text_on_disk(file));
    return text ? Result<std::string>(std::move(*text))
                : Error(ErrorKind::storage, fmt::format("{} is not there any more; repeat this", file));
}

Result<void> ConfigurationFiles::check(config::Overlay next)
{
    SHELFD_TRY_ASSIGN(configuration, read_configuration(context_, next));
    configuration_ = std::move(configuration);
    changes_ = std::move(next);
    return {};
}

Result<void> ConfigurationFiles::edit(const std::string& library, const Edit& edit)
{
    SHELFD_TRY_ASSIGN(file, file_of(library));
    return edit_file(file, edit);
}

Result<void> ConfigurationFiles::edit_file(const std::string& file, const Edit& edit)
{
    SHELFD_TRY_ASSIGN(text, text_of(file));
    SHELFD_TRY_ASSIGN(edited, edit(text, file));
    if (edited == text) {
        return {};
    }
    before_.try_emplace(file, text);
    auto next = changes_;
    next[file] = std::move(edited);
    return check(std::move(next));
}

Result<void> ConfigurationFiles::add(const std::string& name, const std::string& text)
{
    const auto path = config::drop_in_path(context_.command.config_file, name);
    std::error_code unknown;
    if (std::filesystem::exists(path, unknown)) {
        return Error(ErrorKind::usage, path + " exists already: remove it, or choose another name");
    }
    before_.try_emplace(path, std::nullopt);
    auto next = changes_;
    next[path] = text;
    return check(std::move(next));
}

void ConfigurationFiles::remove_if_empty(const std::string& file)
{
    const auto changed = changes_.find(file);
    if (file != context_.command.config_file && changed != changes_.end() && changed->second &&
        config::says_nothing(*changed->second)) {
        changed->second = std::nullopt;
    }
}

Result<void> ConfigurationFiles::check_rights() const
{
    if (!changes_.empty() && !lock_) {
        return with_cure(lock_.error());
    }
    for (const auto& [path, text] : changes_) {
        const auto folder = std::filesystem::path(real_path(path)).parent_path().string();
        if (::access(folder.c_str(), W_OK | X_OK) != 0 && errno != ENOENT) {
            return cannot_write(path, errno);
        }
    }
    return {};
}

Result<void> ConfigurationFiles::replace(const std::string& path, const std::optional<std::string>& text) const
{
    struct stat main {};
    if (::stat(context_.command.config_file.c_str(), &main) != 0) {
        return cannot_write(context_.command.config_file, errno);
    }
    struct stat found {};
    const bool is_there = ::stat(path.c_str(), &found) == 0;
    const auto folder = std::filesystem::path(path).parent_path().string();
    if (!is_there && ::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        return cannot_write(folder, errno);
    }
    if (text) {
        return replace_durably(path, *text, is_there ? found : main);
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        return cannot_write(path, errno);
    }
    return storage::sync_directory(folder);
}

Result<void> ConfigurationFiles::write()
{
    if (!changes_.empty() && !lock_) {
        return with_cure(lock_.error());
    }
    for (const auto& [path, text] : changes_) {
        SHELFD_TRY_ASSIGN(now, text_on_disk(path));
        if (now != before_.at(path)) {
            return Error(ErrorKind::busy, fmt::format("somebody else has changed {} meanwhile: repeat this", path));
        }
    }
    for (const auto& [path, text] : changes_) {
        SHELFD_TRY(replace(path, text));
    }
    return {};
}

Result<void> ConfigurationFiles::take_back()
{
    std::string kept;
    for (const auto& [path, text] : changes_) {
        const auto& before = before_.at(path);
        SHELFD_TRY_ASSIGN(now, text_on_disk(path));
        if (now == text) {
            SHELFD_TRY(replace(path, before));
        } else if (now != before) {
            kept += (kept.empty() ? "" : ", ") + path;
        }
    }
    return kept.empty() ? Result<void>()
                        : Error(ErrorKind::busy, fmt::format("somebody else has changed {} meanwhile, which was not "
                                                             "touched again: look whether it still has the change",
                                                             kept));
}

void rename_drop_in(const Context& context, const std::string& from, const std::string& to)
{
    const auto before = config::drop_in_path(context.command.config_file, from + ".toml");
    const auto after = config::drop_in_path(context.command.config_file, to + ".toml");
    const auto text = read_regular_file(before, config::max_file);
    if (text && config::has_library(*text, to)) {
        ::renameat2(AT_FDCWD, before.c_str(), AT_FDCWD, after.c_str(), RENAME_NOREPLACE);
    }
}

}  // namespace shelfd::ctl
