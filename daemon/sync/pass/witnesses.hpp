// The missing rows that are requested by themselves: which of them need an answer, and what a classified
// answer (page_answer.hpp) means for the pass.
#pragma once

#include "mirror/pass.hpp"
#include "sync/pass/pass_machine.hpp"
#include "sync/service/page_answer.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace shelfd::sync {

// Pure; one object for each pass.
class Witnesses {
public:
    // Enough to tell a filter from deletions; more would cost requests that other tables need.
    static constexpr std::size_t max_rows = 50;

    void choose(std::vector<mirror::MissingRow> rows) { rows_ = std::move(rows); }
    std::size_t size() const { return rows_.size(); }
    const mirror::MissingRow& row(std::size_t number) const { return rows_[number]; }
    // True if the row is held and the list hides another held row: then this one stays held whatever the service says.
    bool is_settled(std::size_t number) const;

    struct Verdict {
        PassEvent event;
        std::optional<mirror::Witness> evidence;  // about the row; empty: the request was not answered
    };
    Verdict heard(std::size_t number, RowAnswer answer);

private:
    std::vector<mirror::MissingRow> rows_;
    bool held_is_there_ = false;
};

}  // namespace shelfd::sync
