// The file behind a mirror: opened when it is needed, looked at before it is trusted, replaced when it is broken.
#pragma once

#include "mirror/mirror.hpp"
#include "storage/sqlite.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::mirror {

struct Mirror::Parts {
    explicit Parts(MirrorOptions given) : options(std::move(given)) {}

    // The open file, opened if it is not.
    Result<storage::Database*> connection();
    // The same, known to be sound since this boot: to be asked before anything is written.
    Result<storage::Database*> sound_connection();
    Result<void> open_file();
    Result<void> replace(const std::string& finding);
    Result<void> declare(std::span<const ResourceSpec> resources);
    // As declared; of one that is not declared any more, what holds by default.
    ResourceSpec spec_of(const std::string& resource) const;

    MirrorOptions options;
    std::string file = fmt::format("{}/{}.db", options.directory, options.library);
    std::unique_ptr<storage::Database> database;
    std::vector<ResourceSpec> specs;
    std::set<std::string> passes;  // resources with an open one
    bool known_sound = false;      // looked at, or written under this boot
    bool suspect = false;          // SQLite found it malformed
    bool rebuilt = false;          // begun anew, and nobody was told yet
    std::optional<std::string> notice;
};

}  // namespace shelfd::mirror
