#include "ctl/login/secret_file.hpp"

#include "base/regular_file.hpp"

#include <fmt/format.h>

#include <cerrno>

namespace shelfd::ctl {
namespace {

constexpr std::size_t max_secret_file = 64u << 10;

}  // namespace

Result<Secret> read_secret_file(const std::string& path)
{
    std::string text;
    text.reserve(max_secret_file + 1);
    auto file = open_regular_file(path);
    const auto read = file ? read_all(*file, text, max_secret_file) : Result<void>(file.error());
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
        text.pop_back();
    }
    Secret secret(std::move(text));
    if (!read) {
        const int number = read.error().system_errno;  // what was named and is not there is a bad command line
        const auto kind = number == ENOENT || number == ENOTDIR ? ErrorKind::usage : read.error().kind();
        return Error(kind, fmt::format("cannot read {}: {}", path, read.error().text()));
    }
    return secret.empty() ? Result<Secret>(Error(ErrorKind::usage, fmt::format("{} is empty", path)))
                          : Result<Secret>(std::move(secret));
}

}  // namespace shelfd::ctl
