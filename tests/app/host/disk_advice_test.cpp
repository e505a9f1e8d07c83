#include "app/host/disk_advice.hpp"

#include "support/catch.hpp"

#include <cerrno>

namespace shelfd::app {
namespace {

TEST_CASE("an error of a full disk, or of one that is mounted read-only, says what to do about the disk")
{
    const auto about = [](int number) { return Error(ErrorKind::storage, "cannot open x: why").with_errno(number); };
    CHECK(disk_advice(about(EROFS)).starts_with("mount its disk for writing"));
    CHECK(disk_advice(about(ENOSPC)) == "make room on its disk: df -h");
    CHECK(disk_advice(about(EACCES)).empty());
    const auto advised = with_disk_advice(about(EDQUOT));
    CHECK(advised.text() == "cannot open x: why; make room on its disk: df -h");
    CHECK(advised.kind() == ErrorKind::storage);
    CHECK(advised.system_errno == EDQUOT);
    CHECK(with_disk_advice(about(EIO)).text() == "cannot open x: why");
}

}  // namespace
}  // namespace shelfd::app
