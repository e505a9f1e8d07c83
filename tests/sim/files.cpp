#include "sim/files.hpp"

#include "sim/oauth_endpoints.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::sim {

namespace {

Error cannot(const std::string& what, const std::filesystem::path& path)
{
    const int number = errno;
    return Error(ErrorKind::storage, "cannot " + what + " " + path.string() + ": " + std::strerror(number))
        .with_errno(number);
}

Result<void> write_library(World& world, Library& library, const std::filesystem::path& directory)
{
    const auto view = world.view_set(library.name);
    const auto left = std::chrono::ceil<std::chrono::seconds>(view.expires - world.now());
    const auto response = token_response({view.access_token, view.refresh_token, view.scope, left});
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    struct File {
        const char* name;
        std::string text;
        FileMode mode;
    };
    const File files[] = {{"client_id", library.client_id, FileMode::everybody_reads},
                          {"library_id", std::to_string(library.id), FileMode::everybody_reads},
                          {"client_secret", library.client_secret, FileMode::owner_only},
                          {"token.json", to_text(response, Spacing::spaced), FileMode::owner_only}};
    for (const auto& file : files) {
        if (auto written = write_file(directory / file.name, file.text + "\n", file.mode); !written) {
            return written;
        }
    }
    return {};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) {
        return cannot("read", path);
    }
    return text.str();
}

Result<void> write_file(const std::filesystem::path& path, const std::string& text, FileMode mode)
{
    const auto temporary = path.string() + ".new";
    const int descriptor =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode == FileMode::owner_only ? 0600 : 0644);
    if (descriptor < 0) {
        return cannot("create", temporary);
    }
    const auto written = ::write(descriptor, text.data(), text.size());
    ::close(descriptor);
    if (written != static_cast<ssize_t>(text.size()) || ::rename(temporary.c_str(), path.c_str()) != 0) {
        return cannot("write", path);
    }
    return {};
}

Result<void> write_credentials(World& world, const std::string& url, const std::filesystem::path& directory)
{
    for (std::size_t number = 0; number < world.library_count(); ++number) {
        auto& library = world.library_at(number);
        if (auto written = write_library(world, library, directory / library.name); !written) {
            return written;
        }
    }
    return write_file(directory / "url", url + "\n", FileMode::everybody_reads);
}

}  // namespace shelfd::sim
