#include "ctl/library/own_comments.hpp"

#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

constexpr std::string_view about_mirror = "# One library: a customer's data set, mirrored into ";
constexpr std::string_view about_tokens = "# Its token set: shelfctl auth status ";

std::string mirror_of(const std::string& library)
{
    return fmt::format("/{0}/{0}.db", library);
}

}  // namespace

std::string comment_about_library(const std::string& mirrors, const std::string& library)
{
    return fmt::format("{}{}{}\n{}{}\n", about_mirror, mirrors, mirror_of(library), about_tokens, library);
}

std::string rename_in_comments(const std::string& text, const std::string& from, const std::string& to)
{
    std::string renamed;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        auto line = text.substr(at, end == std::string::npos ? end : end - at);
        if (line.starts_with(about_mirror) && line.ends_with(mirror_of(from))) {
            line.replace(line.size() - mirror_of(from).size(), std::string::npos, mirror_of(to));
        } else if (line.starts_with(about_tokens) && line.substr(about_tokens.size()) == from) {
            line = std::string(about_tokens) + to;
        }
        renamed += line + (end == std::string::npos ? "" : "\n");
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return renamed;
}

}  // namespace shelfd::ctl
