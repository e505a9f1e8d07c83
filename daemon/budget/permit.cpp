#include "budget/permit.hpp"

#include "budget/limiter.hpp"

namespace shelfd::budget {

Permit::Permit(Limiter& limiter, Kind kind, RequestLog::Slot slot, std::uint64_t sent_before, std::uint32_t used_before,
               std::uint32_t ended_before)
    : limiter_(&limiter), kind_(kind), slot_(slot), sent_before_(sent_before), used_before_(used_before),
      ended_before_(ended_before)
{
}

Permit::Permit(Permit&& other) noexcept
    : limiter_(std::exchange(other.limiter_, nullptr)), kind_(other.kind_), slot_(other.slot_),
      sent_before_(other.sent_before_), used_before_(other.used_before_), ended_before_(other.ended_before_)
{
}

Permit::~Permit()
{
    release();
}

void Permit::release()
{
    if (auto* limiter = std::exchange(limiter_, nullptr)) {
        limiter->end(*this, true);
    }
}

void Permit::give_back()
{
    if (auto* limiter = std::exchange(limiter_, nullptr)) {
        limiter->end(*this, false);
    }
}

Announcement::Announcement(Limiter& limiter, Place place) : limiter_(&limiter), place_(place) {}

Announcement::Announcement(Announcement&& other) noexcept
    : limiter_(std::exchange(other.limiter_, nullptr)), place_(other.place_)
{
}

Announcement::~Announcement()
{
    if (limiter_ != nullptr) {
        limiter_->due_.erase(place_);
        limiter_->wake_next();
    }
}

}  // namespace shelfd::budget
