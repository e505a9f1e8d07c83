// Which libraries run at a limiter: their passes take turns.
#pragma once

#include "budget/limiter.hpp"

#include <map>
#include <vector>

namespace shelfd::app {

class LibraryUnit;

// Loop only. Libraries add themselves when they are opened, and leave before they are destroyed.
class LimitSharers {
public:
    void add(const budget::Limiter& limiter, const LibraryUnit& unit) { units_[&limiter].push_back(&unit); }
    void remove(const budget::Limiter& limiter, const LibraryUnit& unit)
    {
        const auto units = units_.find(&limiter);
        std::erase(units->second, &unit);
        if (units->second.empty()) {
            units_.erase(units);
        }
    }
    const std::vector<const LibraryUnit*>& of(const budget::Limiter& limiter) const { return units_.at(&limiter); }

private:
    std::map<const budget::Limiter*, std::vector<const LibraryUnit*>> units_;
};

}  // namespace shelfd::app
