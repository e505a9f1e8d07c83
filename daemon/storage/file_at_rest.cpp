#include "storage/file_at_rest.hpp"

#include "storage/database_path.hpp"
#include "storage/filesystem.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace shelfd::storage {
namespace {

namespace fs = std::filesystem;

// An empty file that has no name any more: to what is attached to it, addresses with options may refer.
Result<Database> empty_database()
{
    std::error_code failed;
    auto place = (fs::temp_directory_path(failed) / "shelfd-XXXXXX").string();
    if (::mkdtemp(place.data()) == nullptr) {
        return errno_error("cannot make a directory like " + place, errno);
    }
    auto database = Database::open(place + "/empty.db", OpenMode::scratch);
    fs::remove_all(place, failed);
    return database;
}

}  // namespace

Result<Database> open_at_rest(const std::string& path, const std::string& name)
{
    SHELFD_TRY(check_waits_for_nobody(path));
    SHELFD_TRY_ASSIGN(reader, empty_database());
    SHELFD_TRY_ASSIGN(attach, reader.prepare("ATTACH ? AS " + name));
    std::error_code failed;
    const auto uri = read_only_uri(fs::absolute(path, failed).string(), Writers::none);
    attach.bind(1, std::string_view(uri));
    if (auto attached = attach.run(); !attached) {
        return std::move(attached).error().in("cannot open " + path);
    }
    return Result<Database>(std::move(reader));
}

}  // namespace shelfd::storage
