// Whether a sentence for people names a command of shelfctl.
#pragma once

#include <string_view>

namespace shelfd {

// Then no second command is added. This is read from the sentence because sentences are joined from the causes of
// several layers, some of them sent by a daemon of another version, and any of them may name the command.
inline bool names_command(std::string_view sentence)
{
    return sentence.find("shelfctl ") != std::string_view::npos;
}

}  // namespace shelfd
