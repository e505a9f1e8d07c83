// errno values that mean a temporary shortage of this process or machine: no file needs correction, and a later try may
// succeed.
#pragma once

#include <cerrno>

namespace shelfd {

constexpr bool is_shortage(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOBUFS || number == EIO;
}

}  // namespace shelfd
