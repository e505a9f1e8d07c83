// Limits the memory that large bodies of answers take together.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace shelfd::http {

// A number of bytes for the bodies of many requests, in steps; the first step of each body counts for nothing. A body
// that may not grow waits, and its connection with it: the service finds that its answer is read slowly. One body at
// least may always grow, so together they never take more than `bytes` and the largest of them, unless one arrives so
// slowly that others have waited `longest_wait`: no service holds up the libraries of another. Loop only.
class BodyRoom {
public:
    static constexpr std::uint64_t step = 256U << 10U;

    // The part of one body, given back by the destructor.
    class Share {
    public:
        // `room` may be null: then nothing is limited.
        explicit Share(std::shared_ptr<BodyRoom> room) : room_(std::move(room)) {}
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share();

        // True if the body may have so many bytes. Otherwise `on_room` is called once there may be room: ask again
        // then.
        bool hold(std::uint64_t bytes);
        // The same after a wait of that length: after the longest one, this body may grow from then on.
        bool hold_after(Duration waited, std::uint64_t bytes);
        // True if this body may grow to so many bytes whatever others take. What the others reserve would be used much
        // later, when the heap has freed what could have been used instead.
        bool may_reserve(std::uint64_t bytes) const;
        // Must not call back into this object.
        void call(std::function<void()> on_room) { on_room_ = std::move(on_room); }
        // The body does not grow any more. `on_room` is dropped.
        void arrived();

    private:
        friend class BodyRoom;
        std::shared_ptr<BodyRoom> room_;
        std::function<void()> on_room_;
        std::uint64_t bytes_ = 0;
        bool grows_ = false;  // is in BodyRoom::growing_
        bool waited_out_ = false;
    };

    explicit BodyRoom(std::uint64_t bytes, Duration longest_wait = std::chrono::minutes(1))
        : bytes_(bytes), longest_wait_(longest_wait)
    {
    }
    BodyRoom(const BodyRoom&) = delete;
    BodyRoom& operator=(const BodyRoom&) = delete;

    std::uint64_t taken() const { return growing_bytes_ + arrived_bytes_; }

private:
    bool may_grow(const Share& share, std::uint64_t by) const;
    void tell_waiting() const;

    std::uint64_t bytes_;
    Duration longest_wait_;
    std::uint64_t growing_bytes_ = 0;
    std::uint64_t arrived_bytes_ = 0;
    std::list<Share*> growing_;  // the one that began first is first
};

}  // namespace shelfd::http
