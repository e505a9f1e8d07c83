// Limits the memory that all walks of the daemon take together, beyond the page that each of them reads.
#pragma once

#include "http/body_room.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace shelfd::sync {

// A budget of bytes that many users share. Loop only. Shares may outlive it.
class ByteRoom {
    struct State {
        std::uint64_t bytes;
        std::uint64_t taken = 0;
        std::uint64_t left() const { return bytes - std::min(bytes, taken); }
    };

public:
    // Given back by the destructor.
    class [[nodiscard]] Share {
    public:
        Share(Share&& other) noexcept = default;
        Share& operator=(Share&&) = delete;
        ~Share() { resize(0); }

        std::uint64_t bytes() const { return bytes_; }
        // Sets the size once it is known, even if there is no room for it.
        void resize(std::uint64_t bytes)
        {
            if (room_) {
                room_->taken += bytes - bytes_;
                bytes_ = bytes;
            }
        }
        // Adds `by` bytes; false, without effect, if there is no room.
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

    // An empty share.
    Share share() { return Share(state_, 0); }
    // A share of `bytes`; empty if there is no room.
    std::optional<Share> take(std::uint64_t bytes)
    {
        return state_->left() >= bytes ? std::optional(Share(state_, bytes)) : std::nullopt;
    }
    std::uint64_t taken() const { return state_->taken; }
    bool is_full() const { return state_->left() == 0; }

private:
    std::shared_ptr<State> state_;
};

// One object for all libraries of the daemon. A walk that gets no share of `answers` requests its pages one by one; one
// that gets none of `rows` writes each page's rows at once; a page that gets none of `bodies` waits in its connection.
// All are slower but correct. Without the first two, first loads of 40 libraries with 10 lists each took 234 MiB of
// heap; without the third, those of 40 libraries with an array of 20 MB each 605 MiB instead of 127 (measured).
struct WalkMemory {
    explicit WalkMemory(std::uint64_t answer_bytes = 8U << 20U, std::uint64_t row_bytes = 16U << 20U)
        : answers(answer_bytes), rows(row_bytes)
    {
    }

    ByteRoom answers;  // of answers requested ahead
    ByteRoom rows;     // of rows and details read but not written yet
    // Of the bodies of pages that walks need now. A walk gives its part back before it requests another page.
    std::shared_ptr<http::BodyRoom> bodies = std::make_shared<http::BodyRoom>(32U << 20U);
};

}  // namespace shelfd::sync
