#include "oauth/journal/former_names.hpp"

#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace shelfd::oauth {
namespace {

constexpr std::size_t largest_file = 64u << 10;

std::string path_in(const std::string& directory)
{
    return directory + "/former_names";
}

Result<void> write_durably(const std::string& path, const std::string& text)
{
    auto file = open_regular_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (!file) {
        return std::move(file.error()).in("cannot create " + path);
    }
    std::size_t written = 0;
    while (written < text.size()) {
        const auto part = ::write(file->get(), text.data() + written, text.size() - written);
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part <= 0) {
            return storage::errno_error("cannot write " + path, part == 0 ? EIO : errno);
        }
        written += static_cast<std::size_t>(part);
    }
    return ::fsync(file->get()) == 0 ? Result<void>() : storage::errno_error("cannot sync " + path, errno);
}

}  // namespace

std::vector<std::string> read_former_names(const std::string& directory)
{
    std::vector<std::string> names;
    std::istringstream lines(read_regular_file(path_in(directory), largest_file).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) {
            names.push_back(line);
        }
    }
    return names;
}

Result<void> add_former_name(const std::string& directory, const std::string& name)
{
    auto names = read_former_names(directory);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return {};
    }
    names.push_back(name);
    std::string text;
    for (const auto& one : names) {
        text += one + '\n';
    }
    const auto path = path_in(directory);
    const auto fresh = path + ".new";
    SHELFD_TRY(write_durably(fresh, text));
    if (std::rename(fresh.c_str(), path.c_str()) != 0) {
        return storage::errno_error("cannot replace " + path, errno);
    }
    return storage::sync_directory(directory);
}

}  // namespace shelfd::oauth
