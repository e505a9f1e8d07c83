#include "storage/database_path.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

namespace shelfd::storage {

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

}  // namespace shelfd::storage
