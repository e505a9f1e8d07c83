#include "storage/opening.hpp"

#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>

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

Error cannot_open(const std::string& path, const Error& error)
{
    return error.system_errno != 0
               ? errno_error("cannot open " + path, error.system_errno)
               : Error(ErrorKind::permission, fmt::format("cannot open {}: {}", path, error.text()));
}

Result<void> check_waits_for_nobody(const std::string& path)
{
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return Error(ErrorKind::usage, fmt::format("cannot open {}: it is not a regular file; move it away", path));
    }
    return {};
}

std::string read_only_uri(const std::string& path, Writers writers)
{
    std::string uri = "file:";
    for (const char c : path) {
        uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02X}", static_cast<unsigned char>(c))
                                                : std::string(1, c);
    }
    return uri + "?mode=ro" + (writers == Writers::none ? "&immutable=1" : "");
}

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
