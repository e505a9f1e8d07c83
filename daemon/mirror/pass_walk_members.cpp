// Members that a pass lacks and the table has.
#include "mirror/pass_walk.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/rows/lost_members.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace shelfd::mirror {

// So that staged rows can be read like those of the table.
Result<void> Pass::Walk::write_staged()
{
    SHELFD_TRY(staging->flush());
    return record_shapes(database, facts.name, staging->shapes());
}

Result<ValueLoss> Pass::Walk::value_loss()
{
    constexpr std::uint64_t many = 10;
    ValueLoss loss;
    if (broken || !staging || staging->changed() == 0) {
        return broken ? Result<ValueLoss>(*broken) : loss;
    }
    loss.many = staging->changed() >= many && staging->changed() * 2 >= totals.known_rows;
    SHELFD_TRY(write_staged());
    SHELFD_TRY_ASSIGN(lost, LostMembers::open(database, facts, staging->columns()));
    SHELFD_TRY_ASSIGN(first, lost.rows(1));
    loss.members = !first.empty();
    return loss;
}

// The items made whole are staged again, in the place of those that came.
Result<void> Pass::Walk::keep_members()
{
    constexpr std::size_t at_once = 200;
    if (broken || !staging || staging->changed() == 0) {
        return broken ? Result<void>(*broken) : Result<void>();
    }
    SHELFD_TRY(write_staged());
    std::vector<ItemKey> keys;
    {
        SHELFD_TRY_ASSIGN(lost, LostMembers::open(database, facts, staging->columns()));
        SHELFD_TRY_ASSIGN(found, lost.rows(SIZE_MAX));
        keys = std::move(found);
    }
    for (std::size_t first = 0; first < keys.size(); first += at_once) {
        std::string items;
        {
            SHELFD_TRY_ASSIGN(lost, LostMembers::open(database, facts, staging->columns()));
            for (std::size_t i = first; i < std::min(keys.size(), first + at_once); ++i) {
                SHELFD_TRY_ASSIGN(item, lost.restored(keys[i]));
                items.append(items.empty() ? "[" : ",").append(item);
            }
        }
        items += "]";
        std::string text;
        SHELFD_TRY_ASSIGN(page, intake.read(items, {}, 0, text));
        SHELFD_TRY(look_up(page));
        SHELFD_TRY(stage(page, Commit::now));
        SHELFD_TRY(write_staged());
    }
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    SHELFD_TRY(drop_unchanged(database, facts, staging->columns()));
    return transaction.commit();
}

}  // namespace shelfd::mirror
