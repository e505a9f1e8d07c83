#include "ctl/library/configuration_files.hpp"

#include "base/regular_file.hpp"
#include "config/edit/library_edit.hpp"
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

Result<config::Configuration> load(const Context& context, const config::Overlay& changes)
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

// The file that a link names: it is the one that is read, and replaced.
std::string real_path(const std::string& path)
{
    std::error_code unknown;
    const auto real = std::filesystem::weakly_canonical(path, unknown).string();
    return unknown ? path : real;
}

Error with_cure(Error error)
{
    const bool is_denied = error.kind() == ErrorKind::permission;
    return is_denied ? Error(ErrorKind::permission, error.text() + "; the configuration belongs to root: sudo shelfctl")
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

}  // namespace

Result<ConfigurationFiles> ConfigurationFiles::read(const Context& context)
{
    SHELFD_TRY_ASSIGN(configuration, load(context, {}));
    return ConfigurationFiles(context, std::move(configuration));
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
    auto text = read_regular_file(file, config::max_file);
    return text ? std::move(text) : Result<std::string>(std::move(text.error()).in("cannot read " + file));
}

Result<void> ConfigurationFiles::check(config::Overlay next)
{
    SHELFD_TRY_ASSIGN(configuration, load(context_, next));
    configuration_ = std::move(configuration);
    changes_ = std::move(next);
    return {};
}

Result<void> ConfigurationFiles::edit(const std::string& library, const Edit& edit)
{
    SHELFD_TRY_ASSIGN(file, file_of(library));
    SHELFD_TRY_ASSIGN(text, text_of(file));
    SHELFD_TRY_ASSIGN(edited, edit(text, file));
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
    for (const auto& [path, text] : changes_) {
        const auto folder = std::filesystem::path(real_path(path)).parent_path().string();
        if (::access(folder.c_str(), W_OK | X_OK) != 0 && errno != ENOENT) {
            return cannot_write(path, errno);
        }
    }
    return {};
}

Result<void> ConfigurationFiles::write()
{
    struct stat main {};
    if (::stat(context_.command.config_file.c_str(), &main) != 0) {
        return cannot_write(context_.command.config_file, errno);
    }
    for (const auto& [path, text] : changes_) {
        struct stat found {};
        const bool is_there = ::stat(path.c_str(), &found) == 0;
        const auto folder = std::filesystem::path(path).parent_path().string();
        if (is_there) {
            SHELFD_TRY_ASSIGN(old, read_regular_file(path, config::max_file));
            before_[path] = std::move(old);
        } else {
            before_[path] = std::nullopt;
            if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
                return cannot_write(folder, errno);
            }
        }
        if (text) {
            SHELFD_TRY(replace_durably(path, *text, is_there ? found : main));
        } else if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
            return cannot_write(path, errno);
        } else {
            SHELFD_TRY(storage::sync_directory(folder));
        }
    }
    return {};
}

Result<void> ConfigurationFiles::take_back()
{
    changes_ = std::exchange(before_, {});
    return write();
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
