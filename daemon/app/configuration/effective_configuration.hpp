// The configuration in effect: its file, its values, and notices about it.
#pragma once

#include "app/host/secret_trial.hpp"
#include "config/load.hpp"
#include "config/model/model.hpp"
#include "control/model/sight.hpp"
#include "control/model/status.hpp"
#include "runtime/async/worker_pool.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::app {

// Settings and libraries always come from the same reading of the files.
class EffectiveConfiguration {
public:
    // A configuration that was read and may take effect.
    struct Next {
        config::Configuration settings;  // without its libraries
        config::Libraries libraries;     // unchanged ones are shared with the present configuration
        std::vector<std::string> warnings;
    };

    EffectiveConfiguration(std::string file, config::Environment environment, config::Configuration configuration,
                           Instant loaded_at);

    const std::string& file() const { return file_; }
    const config::Configuration& settings() const { return settings_; }  // without its libraries
    const config::Libraries& libraries() const { return libraries_; }
    Instant loaded_at() const { return loaded_at_; }
    // Of the libraries that have `readers`.
    const std::vector<control::LibraryReaders>& readers() const { return readers_; }

    // As TOML, secrets as references.
    std::string text() const;

    // Reads the files again in `lane`, since they and the name service may block; changes nothing. Errors: config, one
    // fault in each line, also for a change that a running daemon cannot make, and for a reader whom nobody knows and
    // whom the library did not have before; storage.
    asio::awaitable<Result<Next>> read_again(Lane lane) const;
    // The same libraries with what was found out about them: who their readers are now, which limits they share.
    void adopt_found(config::Libraries libraries);
    // Puts `next` into effect. Drops the notices about secrets at the start.
    void adopt(Next next, Instant now);

    // Client secrets that could not be used at the start.
    void record_bad_secrets(std::vector<BadSecret> bad) { bad_secrets_ = std::move(bad); }
    // The error for which the last reload was refused; empty = it was not.
    void record_refusal(const std::optional<Error>& error, Instant now);
    // What a person should know about both.
    std::vector<control::Notice> notices() const;

private:
    // What the files say now. Blocks.
    struct Files {
        config::Configuration configuration;
        std::vector<std::string> warnings;
    };
    Result<Files> read_files() const;
    std::vector<config::Fault> new_unknown_readers(const config::Configuration& next) const;

    const std::string file_;
    const config::Environment environment_;
    config::Configuration settings_;
    config::Libraries libraries_;
    std::vector<control::LibraryReaders> readers_;
    Instant loaded_at_;
    std::vector<BadSecret> bad_secrets_;
    std::optional<control::Notice> refused_;
};

}  // namespace shelfd::app
