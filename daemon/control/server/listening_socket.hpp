// The file of the control socket: created, replaced if no program answers on it, removed at the end.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <string>

#include <sys/types.h>

namespace shelfd::control {

// The destructor removes the file, unless another one has taken its place.
class ListeningSocket {
public:
    // Mode 0666: rights depend on the peer, not on the file. Blocks.
    // Errors: busy (another program answers there), config, permission, storage.
    static Result<ListeningSocket> open(const std::string& path);

    ListeningSocket(ListeningSocket&&) noexcept = default;
    ListeningSocket& operator=(ListeningSocket&&) = delete;
    ~ListeningSocket();

    // Returns a new descriptor of the same socket, owned by the caller; -1 if no descriptor is free.
    int duplicate() const;

private:
    ListeningSocket(std::string path, FileDescriptor socket) : path_(std::move(path)), socket_(std::move(socket)) {}

    std::string path_;
    FileDescriptor socket_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace shelfd::control
