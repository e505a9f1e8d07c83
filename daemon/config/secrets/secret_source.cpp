#include "config/secrets/secret_source.hpp"

#include "base/regular_file.hpp"
#include "base/words/shell_word.hpp"
#include "config/secrets/program_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace shelfd::config {
namespace {

constexpr std::size_t max_secret = 64u << 10;
constexpr std::chrono::seconds max_command{10};

// Wipes its content when destroyed, on every path.
struct Buffer {
    std::string text;
    ~Buffer() { Secret::wipe(text); }
};

// An unreadable file is a fault of the configuration that names it.
Error refusal(const std::string& what, const Error& error)
{
    const auto kind = error.kind() == ErrorKind::permission ? ErrorKind::permission
                      : is_shortage(error.system_errno)     ? ErrorKind::storage
                                                            : ErrorKind::config;
    return Error(kind, fmt::format("{}: {}", what, error.text())).with_errno(error.system_errno);
}

// `where` names the reference in errors.
Result<Secret> accept(std::string_view content, const std::string& where)
{
    if (content.size() > max_secret) {
        return Error(ErrorKind::config, fmt::format("{} contains more than 64 KiB, too much for a secret", where));
    }
    // Editors add these: a byte order mark, and blanks and empty lines around a pasted secret. No secret that a service
    // issues begins or ends with them.
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (content.starts_with(byte_order_mark)) {
        content.remove_prefix(byte_order_mark.size());
    }
    constexpr std::string_view blanks = " \t\r\n";
    content.remove_prefix(std::min(content.find_first_not_of(blanks), content.size()));
    content = content.substr(0, content.find_last_not_of(blanks) + 1);
    if (content.empty()) {
        return Error(ErrorKind::config, fmt::format("{} is empty", where));
    }
    if (content.find('\0') != content.npos) {
        return Error(ErrorKind::config,
                     fmt::format("{} contains a zero byte, which is not allowed in a secret", where));
    }
    if (content.find('\n') != content.npos) {
        return Error(ErrorKind::config, fmt::format("{} has more than one line, but a secret has one", where));
    }
    return Secret(std::string(content));
}

Result<Secret> read_from(const FileDescriptor& file, const std::string& where)
{
    Buffer buffer;
    buffer.text.reserve(max_secret + 1);
    if (const auto read = read_all(file, buffer.text, max_secret); !read) {
        return refusal("cannot read " + where, read.error());
    }
    return accept(buffer.text, where);
}

Result<Secret> read_file(const std::string& path)
{
    const auto where = fmt::format("the secret's file {}", path);
    const auto file = open_regular_file(path);
    if (!file) {
        return refusal("cannot open " + where, file.error());
    }
    struct stat status {};
    if (::fstat(file->get(), &status) != 0 || (status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
        return Error(ErrorKind::permission,
                     fmt::format("{} is open to every user: chmod o-rwx {}", where, shell_word(path)));
    }
    return read_from(*file, where);
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
    const auto file = open_regular_file(directory + "/" + name);
    if (!file && file.error().system_errno == ENOENT) {
        return Error(
            ErrorKind::config,
            fmt::format("{} was not passed to this process: add LoadCredential={}:/path/of/the/file to the unit, "
                        "then systemctl daemon-reload and restart: a reload alone passes no new credential",
                        where, name));
    }
    if (!file) {
        return refusal("cannot open " + where, file.error());
    }
    return read_from(*file, where);
}

Result<Secret> run_command(const SecretReference& reference)
{
    const auto where = fmt::format("the output of {}", reference.command.front());
    Buffer output;
    output.text.reserve(max_secret + 1);
    if (auto ran = read_program_output(reference.command, max_command, max_secret, output.text); !ran) {
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
