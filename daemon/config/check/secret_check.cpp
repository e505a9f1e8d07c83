#include "base/words/shell_word.hpp"
#include "config/check/value_check.hpp"
#include "config/secrets/secret_source.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::config {
namespace {

using Kind = Node::Kind;

// A fault if the daemon checks; a warning if the result depends on who runs the check, because `config check` may be
// run by a user who must not read secrets.
void refuse_or_warn(Node& value, const Node& source, const std::string& text, const CheckContext& context)
{
    if (context.secrets == Secrets::usable) {
        refuse(value, source.position, text, context);
    } else {
        context.faults.warn(source.position, text);
    }
}

void check_secret_file(Node& value, const Node& file, const CheckContext& context)
{
    if (!file.text.starts_with('/')) {
        refuse(value, file.position, "the file of a secret must begin with \"/\"", context);
        return;
    }
    if (context.secrets == Secrets::not_now) {
        return;
    }
    const auto closed = fmt::format("the secret's file {0} cannot be read by this user; the daemon's must: chown "
                                    "root:shelfd {1} && chmod 0640 {1}",
                                    file.text, shell_word(file.text));
    struct stat status {};
    if (::stat(file.text.c_str(), &status) != 0) {
        const auto text = fmt::format("the secret's file {}: {}", file.text, std::strerror(errno));
        if (errno == EACCES) {
            refuse_or_warn(value, file, text, context);
        } else {
            refuse(value, file.position, text, context);
        }
        return;
    }
    if (!S_ISREG(status.st_mode)) {
        refuse(value, file.position, fmt::format("the secret's file {} is not a regular file", file.text), context);
    } else if ((status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
        refuse(value, file.position,
               fmt::format("the secret's file {} may be {} by every user: chmod o-rwx {}", file.text,
                           (status.st_mode & S_IROTH) != 0 ? "read" : "written", shell_word(file.text)),
               context);
    } else if (::faccessat(AT_FDCWD, file.text.c_str(), R_OK, AT_EACCESS) != 0) {
        refuse_or_warn(value, file, closed, context);
    } else if (const auto read = read_secret({SecretReference::Kind::file, file.text, {}, {}}, ""); !read) {
        refuse(value, file.position, read.error().text(), context);
    }
}

void check_credential(Node& value, const Node& name, const CheckContext& context)
{
    if (name.text.find('/') != std::string::npos || name.text.starts_with('.') || name.text.size() > 255) {
        refuse(value, name.position, "a credential is named as in LoadCredential=, without a path", context);
        return;
    }
    if (context.secrets == Secrets::not_now) {
        return;
    }
    if (context.secrets == Secrets::usable) {
        const auto read =
            read_secret({SecretReference::Kind::credential, name.text, {}, {}}, context.credentials_directory);
        if (!read) {
            refuse(value, name.position, read.error().text(), context);
        }
        return;
    }
    struct stat status {};
    const auto path = context.credentials_directory + "/" + name.text;
    if (!context.credentials_directory.empty() && ::stat(path.c_str(), &status) != 0) {
        context.faults.warn(name.position, fmt::format("the credential {} was not passed to this process: add "
                                                       "LoadCredential={}:/path/of/the/file to the unit and restart it",
                                                       name.text, name.text));
    }
}

void check_command(Node& value, const Node& command, const CheckContext& context)
{
    if (command.kind != Kind::array || command.children.empty()) {
        refuse(value, command.position, "the command of a secret must be a list: program, then arguments", context);
        return;
    }
    for (const auto& argument : command.children) {
        if (argument.kind != Kind::string || argument.text.find('\0') != std::string::npos) {
            refuse(value, argument.position, "the command of a secret must be a list of strings", context);
            return;
        }
    }
    const auto& program = command.children.front();
    if (!program.text.starts_with('/')) {
        refuse(value, program.position, "the program must begin with \"/\": no search path is used", context);
    } else if (context.secrets != Secrets::not_now && ::access(program.text.c_str(), F_OK) != 0 && errno != EACCES) {
        refuse(value, program.position, fmt::format("{}: {}", program.text, std::strerror(errno)), context);
    }
}

}  // namespace

void check_secret(Node& value, const KeyInfo& info, const CheckContext& context)
{
    if (value.kind == Kind::string) {
        refuse(value, value.position,
               fmt::format("{} must not be in the configuration: write it to a file (mode 0640, root:shelfd) and name "
                           "that, {} = {{ file = \"/etc/shelfd/secrets/NAME\" }}",
                           info.name, info.name),
               context);
        return;
    }
    if (!expect_kind(value, info, Kind::table, context)) {
        return;
    }
    if (value.children.size() != 1) {
        refuse(value, value.position, fmt::format("{} must be one of {}", info.name, describe(info)), context);
        return;
    }
    const auto& source = value.children.front();
    if (source.faulty || (source.kind == Kind::array &&
                          source.children.end() != std::find_if(source.children.begin(), source.children.end(),
                                                                [](const Node& n) { return n.faulty; }))) {
        value.faulty = true;
        return;
    }
    if (source.key == "command") {
        check_command(value, source, context);
    } else if (source.key != "file" && source.key != "credential") {
        refuse(value, source.key_position,
               fmt::format("unknown key \"{}\" in {}: write {}", source.key, info.name, describe(info)), context);
    } else if (source.kind != Kind::string || source.text.empty()) {
        refuse(value, source.position, fmt::format("{}.{} must be a string", info.name, source.key), context);
    } else if (source.key == "file") {
        check_secret_file(value, source, context);
    } else {
        check_credential(value, source, context);
    }
}

}  // namespace shelfd::config
