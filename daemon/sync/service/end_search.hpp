// Finds out whether a page that names no next page is the last one, by requesting more rows in every way that lists
// support.
#pragma once

#include "sync/service/end_habit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// No I/O. One object for each walk. For each page it returns the next query, if a further request is useful.
//
// A list that was never tested is asked for its second page, for rows after an offset, for a longer page and for the
// opposite order, until one of these returns new rows or all were tried. If none has any effect, the list may be cut,
// and is treated as such, unless it is one of many and another one was longer. Once it is known how a list ends, an
// answer is taken as whole if it is shorter than one that was shown to be whole and lacks no row of the mirror; one as
// long as that may be a full page, see judge_end. (If the service introduces a limit, rows are missing, so the limit is
// noticed before any row is deleted; a limit that hides only new rows is found by the weekly test.)
//
// An answer that says that no page follows, and counts no more than its own rows, is believed unless it lacks rows of
// the mirror, or has a usual page length in a walk that tests how the list ends: then it is tested, too, and believed
// if no way returns more.
//
// A page without rows ends the list. But a service that filters the rows of each page may have none to show on one of
// them: in a test, and where rows are missing, an empty page after a full one is followed by a request for one more.
class EndSearch {
public:
    struct Names {
        std::string page_param;
        std::string page_size_param;
        std::uint64_t page_size = 0;  // rows requested for each page
        std::string reversed_query;   // page 1 in the opposite order; "" = cannot be requested
        bool is_one_of_many = false;  // lists by parent and windows share a habit: one that is shorter than another
                                      // one's answer is not cut
        bool is_whole_table = false;  // all rows of the table are requested
    };
    struct Answer {
        std::uint64_t items = 0;
        std::uint64_t new_keys = 0;          // of these, seen for the first time in this walk
        bool falling = false;                // integer keys descend
        std::uint64_t distinct = 0;          // keys of the walk so far
        std::optional<std::uint64_t> count;  // rows in the list, as reported by the service
        bool says_end = false;               // the answer says that no page follows
        bool is_doubted = false;             // nevertheless: it lacks rows, and only its own word says so
        bool meets_known = false;            // some rows are in the table, with the same content

        // The same rows again, apart from rows that moved meanwhile.
        bool is_repeated() const { return items > 0 && new_keys * 2 < items; }
    };
    struct Step {
        std::optional<std::string> next = {};  // the next query; empty = the list ends here
        bool is_aside = false;  // the page is not part of the walk: it was a test and returned no new rows
        bool may_lack = false;  // the list has more rows than it returns, or nothing can show that it has not
    };

    EndSearch(Names names, EndHabit habit, bool looks_anew);

    // Call with each page that names no next one; `query` is its query. `lacks` returns whether the walk misses rows of
    // the mirror.
    Step page(const std::string& query, const Answer& answer, const std::function<bool()>& lacks);
    // Call when the request of `Step::next` returned no page. `is_missing`: the page does not exist (404, 410);
    // `tells`: the status says something about the request (not 5xx).
    Step refused(bool is_missing, bool tells);
    // True if the service may have cut its answer at this number of rows.
    bool may_be_cut(std::uint64_t rows) const { return sync::may_be_cut(rows, names_.page_size); }
    // True if a service that cuts its lists may have cut this one, at a page that says that it is the last: in a walk
    // that tests how the list ends if the length is a usual one, and wherever others of the same kind were cut.
    bool may_be_full_page(std::uint64_t rows) const
    {
        const bool is_usual = is_usual_length(rows, names_.page_size);
        return is_paged(habit_) ? is_usual || rows > habit_.whole_rows : looks_anew_ && is_usual;
    }
    bool is_asking() const { return phase_ != Phase::idle; }
    // The way that this walk has found to work so far.
    Further found() const { return found_; }
    // True if the way is known and has returned more rows: the requests are now a walk, not a test.
    bool is_walking() const
    {
        const bool is_test = phase_ != Phase::walking || is_behind_empty_;
        return !is_test || (is_asking() && found_ == Further::page_size);
    }
    // What is known at the end of the walk.
    const EndHabit& habit() const { return habit_; }
    // True if every way was tried in this walk; the caller then sets `tried_at`.
    bool has_tried() const { return has_tried_; }

private:
    enum class Phase { idle, trying, walking };
    // reversed_first: the opposite order, which is known to be obeyed, before all other ways.
    enum class Way { page, zero, offset, page_size, reversed, reversed_first };
    // Whether requests returned new rows; uneven: a page shorter than another one was not the last.
    enum class More : std::uint8_t { none, even, uneven };
    // What became of the second page, if it was not returned.
    enum class SecondPage : std::uint8_t { unknown, refused, missing };

    using Lacks = std::function<bool()>;
    Step begin(const std::string& query, const Answer& answer, const Lacks& lacks);
    std::optional<Step> without_asking(const Answer& answer, const Lacks& lacks);
    void begin_asking();
    Step hear(const Answer& answer);
    Step on_page(const Answer& answer);
    Step on_zero(const Answer& answer);
    Step on_longer(const Answer& answer);
    Step on_reversed(const Answer& answer);
    Step on_reversed_first(const Answer& answer);
    Step walk_on(const Answer& answer, const Lacks& lacks);
    bool may_pass_over(const Answer& answer, const Lacks& lacks) const;
    Step pass_over();
    Step try_all();
    Step try_next(Way way);
    Step ask();
    Step nothing_brings_more();
    void record_more(const Answer& answer);
    void record_zero(const Answer& answer);
    Step counted_all(const Answer& answer);
    Step ends(bool is_aside);
    bool is_full_page() const;

    Names names_;
    EndHabit habit_;
    bool looks_anew_;
    bool has_tried_ = false;
    bool is_unclear_ = false;  // a test failed for another reason, such as a 5xx
    Phase phase_ = Phase::idle;
    Way way_ = Way::page;
    Further found_ = Further::unknown;  // the way that works in this walk
    std::string query_;                 // query of the page at which the search began
    std::string asked_;
    Answer first_;                   // the answer at which the search began
    bool lacks_ = false;             // it lacks rows of the mirror
    std::uint64_t behind_ = 0;       // offset of the next rows
    std::uint64_t passed_over_ = 0;  // rows that an offset skips and that were not returned
    std::uint64_t longest_ = 0;      // most rows of a page that was followed by more
    std::uint64_t newest_ = 0;       // rows of the newest page
    std::uint64_t before_ = 0;       // rows of the previous page of the walk
    std::uint64_t page_length_ = 0;  // page size requested as a longer page
    More more_ = More::none;
    SecondPage second_page_ = SecondPage::unknown;
    bool is_behind_empty_ = false;  // the page before was empty
};

}  // namespace shelfd::sync
