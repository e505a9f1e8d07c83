// Small files that shelfsim reads and writes: certificates, credentials, its own address.
#pragma once

#include "base/result.hpp"
#include "sim/world.hpp"

#include <filesystem>
#include <string>

namespace shelfd::sim {

enum class FileMode { everybody_reads, owner_only };

Result<std::string> read_file(const std::filesystem::path& path);
// Appears whole, by rename, so that a script which waits for it never reads half.
Result<void> write_file(const std::filesystem::path& path, const std::string& text, FileMode mode);

// For each library a directory of its name with client_id, client_secret, library_id and token.json (its first set as
// the token endpoint would answer it); and url.
Result<void> write_credentials(World& world, const std::string& url, const std::filesystem::path& directory);

}  // namespace shelfd::sim
