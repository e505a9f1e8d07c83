// The configuration as files that a verb changes: checked as a whole before the first byte is written.
#pragma once

#include "base/result.hpp"
#include "config/load.hpp"
#include "ctl/context/context.hpp"
#include "storage/file_lock.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// As it is on disk, with `changes`. Error config: it has faults, one in each line. Blocks.
Result<config::Configuration> read_configuration(const Context& context, const config::Overlay& changes = {});

// Changes stay in memory until `write`. While this object exists, no other shelfctl changes the configuration: so
// nobody is asked, and no token set is awaited, meanwhile. A user who may not lock it can read it, and write nothing.
// What an editor writes meanwhile is not overwritten. Blocks on files; one thread.
class ConfigurationFiles {
public:
    // Waits for another program that changes it. Errors: busy, stopped; config: the configuration has faults, one in
    // each line.
    static Result<ConfigurationFiles> read(const Context& context);
    // What is on disk now, without the changes so far. Errors: config.
    Result<void> read_again();

    // As it is with the changes so far.
    const config::Configuration& configuration() const { return configuration_; }
    bool has_changes() const { return !changes_.empty(); }

    // The file with [library.NAME]. Errors: not_found.
    Result<std::string> file_of(const std::string& library) const;
    // The text of that file with the changes so far. Errors: storage, permission.
    Result<std::string> text_of(const std::string& file) const;
    using Edit = std::function<Result<std::string>(const std::string& text, const std::string& file)>;
    // Changes the file of that library. Error config: the result has faults; then nothing is changed.
    Result<void> edit(const std::string& library, const Edit& edit);
    // Changes any file of the configuration. Errors: as of `edit`.
    Result<void> edit_file(const std::string& file, const Edit& edit);
    // Adds conf.d/NAME, or gives what was added another text. Errors: usage if it exists; config.
    Result<void> add(const std::string& name, const std::string& text);
    // Removes a file of conf.d that says nothing any more; the main file stays.
    void remove_if_empty(const std::string& file);

    // Whether this user may write the changes: asked before something that cannot be undone. Error permission.
    Result<void> check_rights() const;
    // Replaces each changed file whole, with its owner and mode, durably; a new one gets those of the main file.
    // Errors: busy if a file is another one than was read, then nothing is written; permission, storage: what was
    // written before stays.
    Result<void> write();
    // Puts back what `write` replaced, where that is still what `write` wrote. Error busy if it is not.
    Result<void> take_back();

private:
    ConfigurationFiles(const Context& context, config::Configuration configuration, Result<storage::FileLock> lock)
        : context_(context), configuration_(std::move(configuration)), lock_(std::move(lock))
    {
    }
    Result<void> check(config::Overlay next);
    Result<void> replace(const std::string& path, const std::optional<std::string>& text) const;

    const Context& context_;
    config::Configuration configuration_;
    Result<storage::FileLock> lock_;
    config::Overlay changes_;
    config::Overlay before_;  // of the changed files: what was read
};

// conf.d/OLD.toml becomes conf.d/NEW.toml, if that is free: what is in the file counts, not its name.
void rename_drop_in(const Context& context, const std::string& from, const std::string& to);

}  // namespace shelfd::ctl
