// The configuration as files that a verb changes: checked as a whole before the first byte is written.
#pragma once

#include "base/result.hpp"
#include "config/load.hpp"
#include "ctl/context/context.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// Changes stay in memory until `write`. Blocks on files; one thread.
class ConfigurationFiles {
public:
    // Error config: the configuration has faults, one in each line.
    static Result<ConfigurationFiles> read(const Context& context);

    // As it is with the changes so far.
    const config::Configuration& configuration() const { return configuration_; }

    // The file with [library.NAME]. Errors: not_found.
    Result<std::string> file_of(const std::string& library) const;
    using Edit = std::function<Result<std::string>(const std::string& text, const std::string& file)>;
    // Changes the file of that library. Error config: the result has faults; then nothing is changed.
    Result<void> edit(const std::string& library, const Edit& edit);
    // Adds conf.d/NAME. Errors: usage if it exists; config.
    Result<void> add(const std::string& name, const std::string& text);
    // Removes a file of conf.d that says nothing any more; the main file stays.
    void remove_if_empty(const std::string& file);

    // Whether this user may write the changes: asked before something that cannot be undone. Error permission.
    Result<void> check_rights() const;
    // Replaces each changed file whole, with its owner and mode, durably; a new one gets those of the main file.
    // Errors: permission, storage; what was written before stays.
    Result<void> write();
    // Puts back what `write` replaced.
    Result<void> take_back();

private:
    ConfigurationFiles(const Context& context, config::Configuration configuration)
        : context_(context), configuration_(std::move(configuration))
    {
    }
    Result<std::string> text_of(const std::string& file) const;
    Result<void> check(config::Overlay next);

    const Context& context_;
    config::Configuration configuration_;
    config::Overlay changes_;
    config::Overlay before_;  // what `write` found
};

// conf.d/OLD.toml becomes conf.d/NEW.toml, if that is free: what is in the file counts, not its name.
void rename_drop_in(const Context& context, const std::string& from, const std::string& to);

}  // namespace shelfd::ctl
