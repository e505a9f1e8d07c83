// The file of the control socket: taken, replaced when nobody answers on it, removed when it is still ours.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <string>

#include <sys/types.h>

namespace shelfd::control {

// Removes the file on destruction, unless somebody has put another one in its place.
class ListeningSocket {
public:
    // Mode 0666: who may do what is decided by the peer, not by the file. Blocks.
    // Errors: busy (somebody answers there), config, permission, storage.
    static Result<ListeningSocket> open(const std::string& path);

    ListeningSocket(ListeningSocket&&) noexcept = default;
    ListeningSocket& operator=(ListeningSocket&&) = delete;
    ~ListeningSocket();

    // A descriptor of the caller's own for the same socket; -1 when there is none left.
    int duplicate() const;

private:
    ListeningSocket(std::string path, FileDescriptor socket) : path_(std::move(path)), socket_(std::move(socket)) {}

    std::string path_;
    FileDescriptor socket_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace shelfd::control
