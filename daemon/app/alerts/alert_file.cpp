#include "app/alerts/alert_file.hpp"

#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace shelfd::app {
namespace {

// Larger than the bounds of the record allow: a larger file was written by something else.
constexpr std::size_t max_file = 64U << 20U;

Error no_directory()
{
    return {ErrorKind::storage, "the file system of storage.mirrors was not mounted when shelfd started"};
}

}  // namespace

AlertFile::AlertFile(std::string directory) : directory_(std::move(directory)), path_(directory_ + "/alerts.json") {}

Result<AlertFile::Loaded> AlertFile::load(Instant now)
{
    if (!has_directory()) {
        return no_directory();
    }
    SHELFD_TRY(storage::make_private_directory(directory_));
    const auto text = read_regular_file(path_, max_file);
    if (!text && text.error().system_errno == ENOENT) {
        return Loaded{};
    }
    auto record = text ? control::parse_alert_record(*text) : Result<control::AlertRecord>(text.error());
    if (record) {
        return Loaded{std::move(*record), "", ""};
    }
    if (record.error().kind() == ErrorKind::storage || record.error().kind() == ErrorKind::permission) {
        unread_ = fmt::format("{}.unread-{}", path_, now.seconds());
        return std::move(record.error()).in("cannot read " + path_);
    }
    Loaded loaded;
    loaded.aside = fmt::format("{}.damaged-{}", path_, now.seconds());
    loaded.why = record.error().text();
    if (::rename(path_.c_str(), loaded.aside.c_str()) != 0) {
        return storage::errno_error("cannot put aside " + path_, errno);
    }
    SHELFD_TRY(storage::sync_directory(directory_));
    return loaded;
}

Result<std::string> AlertFile::save(const std::string& text)
{
    if (!has_directory()) {
        return no_directory();
    }
    std::string aside;
    if (!unread_.empty()) {
        if (::rename(path_.c_str(), unread_.c_str()) == 0) {
            aside = unread_;
        } else if (errno != ENOENT) {
            return storage::errno_error("cannot put aside " + path_, errno);
        }
        unread_.clear();
    }
    SHELFD_TRY(storage::replace_file(path_, text, {.durability = storage::Durability::disk}));
    return aside;
}

}  // namespace shelfd::app
