#include "app/alerts/alert_file.hpp"

#include "base/file_descriptor.hpp"
#include "base/regular_file.hpp"
#include "storage/filesystem.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace shelfd::app {
namespace {

// Larger than the bounds of the record allow: a larger file was written by something else.
constexpr std::size_t max_file = 64U << 20U;

Result<void> write_all(const FileDescriptor& file, const std::string& text, const std::string& path)
{
    for (std::size_t done = 0; done < text.size();) {
        const auto count = ::write(file.get(), text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR) {
            return storage::errno_error("cannot write " + path, errno);
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return ::fsync(file.get()) == 0 ? Result<void>() : storage::errno_error("cannot write " + path, errno);
}

}  // namespace

AlertFile::AlertFile(std::string directory) : directory_(std::move(directory)), path_(directory_ + "/alerts.json") {}

Result<AlertFile::Loaded> AlertFile::load(Instant now) const
{
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

Result<void> AlertFile::save(const std::string& text) const
{
    const auto next = path_ + ".new";
    auto file = open_regular_file(next, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (!file) {
        return std::move(file.error()).in("cannot open " + next);
    }
    SHELFD_TRY(write_all(*file, text, next));
    if (::rename(next.c_str(), path_.c_str()) != 0) {
        return storage::errno_error("cannot rename " + next, errno);
    }
    return storage::sync_directory(directory_);
}

}  // namespace shelfd::app
