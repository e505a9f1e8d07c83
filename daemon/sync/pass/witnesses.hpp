// The rows that a walk lacked and that are asked for by themselves: which of them need an answer, and what it says.
#pragma once

#include "mirror/pass.hpp"
#include "sync/pass/pass_machine.hpp"
#include "sync/service/page_answer.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace shelfd::sync {

// Pure; one object a pass.
class Witnesses {
public:
    // Enough to tell a filter from deletions; more would cost what other tables need.
    static constexpr std::size_t max_rows = 50;

    void choose(std::vector<mirror::MissingRow> rows) { rows_ = std::move(rows); }
    std::size_t size() const { return rows_.size(); }
    const mirror::MissingRow& row(std::size_t number) const { return rows_[number]; }
    // The row is held, and another one that is held is hidden by the list: this one stays held, whatever the service
    // says about it.
    bool is_settled(std::size_t number) const;

    struct Verdict {
        PassEvent event;
        std::optional<mirror::Witness> evidence;  // about the row; nothing: the question is not answered
    };
    Verdict heard(std::size_t number, RowAnswer answer);

private:
    std::vector<mirror::MissingRow> rows_;
    bool held_is_there_ = false;
};

}  // namespace shelfd::sync
