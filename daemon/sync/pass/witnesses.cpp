#include "sync/pass/witnesses.hpp"

#include <cstdlib>

namespace shelfd::sync {

bool Witnesses::is_settled(std::size_t number) const
{
    return held_is_there_ && rows_[number].standing == mirror::MissingRow::Standing::held;
}

Witnesses::Verdict Witnesses::heard(std::size_t number, RowAnswer answer)
{
    const auto standing = rows_[number].standing;
    switch (answer) {
    case RowAnswer::there:
        // It was known that held rows may be hidden; missing rows are still requested, further held ones are not.
        held_is_there_ = held_is_there_ || standing == mirror::MissingRow::Standing::held;
        return {standing == mirror::MissingRow::Standing::missing ? PassEvent::row_there : PassEvent::row_unclear,
                mirror::Witness::there};
    case RowAnswer::gone: return {PassEvent::row_gone, mirror::Witness::gone};
    case RowAnswer::unclear: return {PassEvent::row_unclear, mirror::Witness::none};
    case RowAnswer::throttled: return {PassEvent::throttled, std::nullopt};
    case RowAnswer::unauthorized: return {PassEvent::unauthorized, std::nullopt};
    }
    std::abort();
}

}  // namespace shelfd::sync
