#include "storage/joined_transactions.hpp"

#include <utility>

namespace shelfd::storage {

Result<Transaction> JoinedTransactions::next()
{
    if (auto whole = check(); !whole) {
        return std::move(whole).error();
    }
    if (loss_ && database_.left_open_ == loss_) {
        if (database_.in_transaction()) {
            database_.left_open_.reset();
            return Transaction(database_);
        }
        return database_.settle().error();
    }
    return Transaction::begin(database_);
}

void JoinedTransactions::leave_open(Transaction& transaction)
{
    loss_ = std::make_shared<std::optional<Error>>();
    std::exchange(transaction.database_, nullptr)->left_open_ = loss_;
}

Result<void> JoinedTransactions::check() const
{
    return loss_ && *loss_ ? Result<void>(**loss_) : Result<void>();
}

}  // namespace shelfd::storage
