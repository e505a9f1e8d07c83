#include "app/host/disk_advice.hpp"

#include <cerrno>
#include <utility>

namespace shelfd::app {

std::string disk_advice(const Error& error)
{
    switch (error.system_errno) {
    case EROFS: return "mount its disk for writing (dmesg says why it is not, findmnt where it is mounted)";
    case ENOSPC:
    case EDQUOT: return "make room on its disk: df -h";
    default: return "";
    }
}

Error with_disk_advice(Error error)
{
    const auto advice = disk_advice(error);
    return advice.empty() ? std::move(error)
                          : Error(error.kind(), error.text() + "; " + advice).with_errno(error.system_errno);
}

}  // namespace shelfd::app
