// The errno of a call that failed because this process or machine is short of something for the moment: nobody has to
// correct a file, and a later try may go well.
#pragma once

#include <cerrno>

namespace shelfd {

constexpr bool is_shortage(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOBUFS || number == EIO;
}

}  // namespace shelfd
