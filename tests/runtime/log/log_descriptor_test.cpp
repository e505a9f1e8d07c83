#include "base/file_descriptor.hpp"
#include "runtime/log/log_descriptor.hpp"
#include "support/catch.hpp"

#include <fcntl.h>

namespace shelfd {
namespace {

TEST_CASE("lines for a device that is open for reading only are lost, and that is known")
{
    const FileDescriptor closed(::open("/dev/null", O_RDONLY));
    std::string line = "a line\n";
    CHECK(LogDescriptor(closed.get()).send(line, std::chrono::milliseconds(0)) == LogQueue::Sent::never);
}

}  // namespace
}  // namespace shelfd
