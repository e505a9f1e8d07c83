#include "config/secret_source.hpp"

#include "base/shortage.hpp"
#include "config/program_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace shelfd::config {
namespace {

constexpr std::size_t largest_secret = 64u << 10;
constexpr std::chrono::seconds longest_command{10};

// Wipes what it held when it goes, on every way out.
struct Buffer {
    std::string text;
    ~Buffer() { Secret::wipe(text); }
};

struct Descriptor {
    int number;
    ~Descriptor()
    {
        if (number >= 0) {
            ::close(number);
        }
    }
};

Error system_error(const std::string& what)
{
    const int number = errno;
    const auto kind = number == EACCES || number == EPERM ? ErrorKind::permission
                      : is_shortage(number)               ? ErrorKind::storage
                                                          : ErrorKind::config;
    return Error(kind, fmt::format("{}: {}", what, std::strerror(number))).with_errno(number);
}

// `where` names the reference in errors.
Result<Secret> accept(std::string_view content, const std::string& where)
{
    if (content.size() > largest_secret) {
        return Error(ErrorKind::config, fmt::format("{} holds more than 64 KiB: that is no secret", where));
    }
    // Editors leave these: a byte order mark, and blanks around what was pasted. No secret that a service issues begins
    // or ends so.
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (content.starts_with(byte_order_mark)) {
        content.remove_prefix(byte_order_mark.size());
    }
    const auto last = content.find_last_not_of(" \t");
    if (last != content.npos && content[last] == '\n') {
        content = content.substr(0, last);
    }
    constexpr std::string_view blanks = " \t\r";
    content.remove_prefix(std::min(content.find_first_not_of(blanks), content.size()));
    content = content.substr(0, content.find_last_not_of(blanks) + 1);
    if (content.empty()) {
        return Error(ErrorKind::config, fmt::format("{} is empty", where));
    }
    if (content.find('\0') != content.npos) {
        return Error(ErrorKind::config, fmt::format("{} holds a zero byte: that is no secret", where));
    }
    if (content.find('\n') != content.npos) {
        return Error(ErrorKind::config, fmt::format("{} holds more than one line: a secret is one", where));
    }
    return Secret(std::string(content));
}

Result<Secret> read_from(int descriptor, const std::string& where)
{
    Buffer buffer;
    // One byte more than allowed, at once: a string that grew would leave copies behind.
    buffer.text.resize(largest_secret + 1);
    std::size_t used = 0;
    while (used < buffer.text.size()) {
        const auto count = ::read(descriptor, buffer.text.data() + used, buffer.text.size() - used);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return system_error("cannot read " + where);
        }
        if (count == 0) {
            break;
        }
        used += static_cast<std::size_t>(count);
    }
    return accept(std::string_view(buffer.text).substr(0, used), where);
}

Result<Secret> read_file(const std::string& path)
{
    const auto where = fmt::format("the secret's file {}", path);
    // A named pipe must not hold the daemon up.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0) {
        return system_error("cannot open " + where);
    }
    struct stat status {};
    if (::fstat(file.number, &status) != 0) {
        return system_error("cannot look at " + where);
    }
    if (!S_ISREG(status.st_mode)) {
        return Error(ErrorKind::config, where + " is no regular file");
    }
    if ((status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
        return Error(ErrorKind::permission, fmt::format("{} is open to every user: chmod o-rwx {}", where, path));
    }
    return read_from(file.number, where);
}

Result<Secret> read_credential(const std::string& name, const std::string& directory)
{
    if (directory.empty()) {
        return Error(
            ErrorKind::config,
            fmt::format("no credentials were passed to this process, so {} cannot be read: add "
                        "LoadCredential={}:/path/of/the/file to the unit, then systemctl daemon-reload and restart",
                        name, name));
    }
    const auto where = fmt::format("the credential {}", name);
    const Descriptor file{::open((directory + "/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0 && errno == ENOENT) {
        return Error(
            ErrorKind::config,
            fmt::format("{} was not passed to this process: add LoadCredential={}:/path/of/the/file to the unit, "
                        "then systemctl daemon-reload and restart: a reload alone passes no new credential",
                        where, name));
    }
    if (file.number < 0) {
        return system_error("cannot open " + where);
    }
    return read_from(file.number, where);
}

Result<Secret> run_command(const SecretReference& reference)
{
    const auto where = fmt::format("the output of {}", reference.command.front());
    Buffer output;
    output.text.reserve(largest_secret + 1);
    if (auto ran = read_program_output(reference.command, longest_command, largest_secret, output.text); !ran) {
        return std::move(ran.error()).in("the secret's command " + reference.command.front());
    }
    return accept(output.text, where);
}

}  // namespace

Result<Secret> read_secret(const SecretReference& reference, const std::string& credentials_directory)
{
    switch (reference.kind) {
    case SecretReference::Kind::file: return read_file(reference.path_or_name);
    case SecretReference::Kind::credential: return read_credential(reference.path_or_name, credentials_directory);
    case SecretReference::Kind::command: return run_command(reference);
    }
    std::abort();
}

}  // namespace shelfd::config
