#include "http/body_room.hpp"

namespace shelfd::http {

BodyRoom::Share::~Share()
{
    arrived();
    if (room_ && bytes_ > 0) {
        room_->arrived_bytes_ -= bytes_;
        room_->tell_waiting();
    }
}

bool BodyRoom::Share::hold(std::uint64_t bytes)
{
    return hold_after(Duration(0), bytes);
}

bool BodyRoom::Share::hold_after(Duration waited, std::uint64_t bytes)
{
    if (!room_ || bytes <= step || bytes <= bytes_) {
        return true;
    }
    if (!grows_) {
        grows_ = true;
        room_->growing_.push_back(this);
    }
    const auto by = (bytes + step - 1) / step * step - bytes_;
    waited_out_ = waited_out_ || waited >= room_->longest_wait_;
    if (!waited_out_ && !room_->may_grow(*this, by)) {
        return false;
    }
    room_->growing_bytes_ += by;
    bytes_ += by;
    return true;
}

bool BodyRoom::Share::may_reserve(std::uint64_t bytes) const
{
    return !grows_ || bytes <= bytes_ || waited_out_ || room_->growing_.front() == this;
}

void BodyRoom::Share::arrived()
{
    on_room_ = nullptr;
    if (grows_) {
        grows_ = false;
        room_->growing_.remove(this);
        room_->growing_bytes_ -= bytes_;
        room_->arrived_bytes_ += bytes_;
        room_->tell_waiting();
    }
}

// What has arrived is about to be freed, whatever waits here; what grows ends only if it may grow.
bool BodyRoom::may_grow(const Share& share, std::uint64_t by) const
{
    return taken() + by <= bytes_ || (arrived_bytes_ == 0 && growing_.front() == &share);
}

void BodyRoom::tell_waiting() const
{
    for (const auto* share : growing_) {
        if (share->on_room_) {
            share->on_room_();
        }
    }
}

}  // namespace shelfd::http
