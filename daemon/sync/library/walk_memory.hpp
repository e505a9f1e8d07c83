// How much memory all walks of the daemon may take together, beyond the page that each of them reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace shelfd::sync {

// A number of bytes that many share. Loop only. Shares may outlive it.
class ByteRoom {
    struct State {
        std::uint64_t bytes;
        std::uint64_t taken = 0;
        std::uint64_t left() const { return bytes - std::min(bytes, taken); }
    };

public:
    // Given back when it dies.
    class [[nodiscard]] Share {
    public:
        Share(Share&& other) noexcept = default;
        Share& operator=(Share&&) = delete;
        ~Share() { resize(0); }

        // It is known by now how much it takes.
        void resize(std::uint64_t bytes)
        {
            if (room_) {
                room_->taken += bytes - bytes_;
                bytes_ = bytes;
            }
        }
        // Takes so many more; false while there is no room for them.
        bool grow(std::uint64_t by)
        {
            const bool fits = room_->left() >= by;
            resize(bytes_ + (fits ? by : 0));
            return fits;
        }

    private:
        friend class ByteRoom;
        Share(std::shared_ptr<State> room, std::uint64_t bytes) : room_(std::move(room)) { resize(bytes); }

        std::shared_ptr<State> room_;
        std::uint64_t bytes_ = 0;
    };

    explicit ByteRoom(std::uint64_t bytes) : state_(std::make_shared<State>(State{bytes})) {}
    ByteRoom(const ByteRoom&) = delete;
    ByteRoom& operator=(const ByteRoom&) = delete;

    // Of no bytes yet.
    Share share() { return Share(state_, 0); }
    // For about so many bytes; nothing while there is no room for them.
    std::optional<Share> take(std::uint64_t bytes)
    {
        return state_->left() >= bytes ? std::optional(Share(state_, bytes)) : std::nullopt;
    }
    std::uint64_t taken() const { return state_->taken; }

private:
    std::shared_ptr<State> state_;
};

// One object for all libraries of the daemon. A walk that gets no share of `answers` asks for its pages one by one; one
// that gets none of `rows` writes the rows of each page as it comes. Both are slower, and right. Measured with 40
// libraries of 10 lists that are loaded at once: without these limits 234 MiB of heap.
struct WalkMemory {
    explicit WalkMemory(std::uint64_t answer_bytes = 8U << 20U, std::uint64_t row_bytes = 16U << 20U)
        : answers(answer_bytes), rows(row_bytes)
    {
    }

    ByteRoom answers;  // asked for before anybody waits for them
    ByteRoom rows;     // read, and not written yet
};

}  // namespace shelfd::sync
