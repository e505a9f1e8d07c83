// Comments that shelfctl writes beside a library and that name it, or that are true for a while only. Others are a
// person's, and stay.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::ctl {

// Lines before [library.NAME].
std::string comment_about_library(const std::string& mirrors, const std::string& library);

// The line before `paused`, until somebody has confirmed whose data a token set opens.
inline constexpr std::string_view waiting_comment =
    "# Nothing is fetched until somebody has confirmed whose data it is: shelfctl library resume";

// Lines of comment_about_library(…, from) in `text`, whatever the directory of the mirrors, name `to` instead.
std::string rename_in_comments(const std::string& text, const std::string& from, const std::string& to);

}  // namespace shelfd::ctl
