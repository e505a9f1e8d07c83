// Owner of one file descriptor.
#pragma once

#include <utility>

#include <unistd.h>

namespace shelfd {

// Closes the descriptor when destroyed. Errors of close(2) are ignored: fdatasync has reported them before.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor()
    {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    int get() const { return number_; }
    // Gives up ownership: the caller closes the descriptor.
    int release() { return std::exchange(number_, -1); }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_ = -1;
};

}  // namespace shelfd
