// A path or a name as one word of a command that a person pastes into a shell.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

// Unchanged if the shells of POSIX take it as it is, otherwise in single quotes: my dir → 'my dir', it's → 'it'\''s'.
std::string shell_word(std::string_view word);

}  // namespace shelfd
