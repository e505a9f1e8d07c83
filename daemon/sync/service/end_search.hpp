// Whether a page that does not say so was the last one: asks further in every way that lists obey.
#pragma once

#include "sync/service/end_habit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// No I/O. One object a walk. What it says of a page: the next query, if asking further is worth it.
//
// A list that was never asked is asked for its second page, for rows behind an offset, for a longer page and for the
// other end of the order, until one of these brings rows or all of them brought nothing. A list of a length at which
// services cut that obeys none of this may be cut, and counts as that; so does one that obeys none of this and lacks
// rows of the mirror. Once it is known how a list ends, an answer is believed to be whole when it is no longer than one
// that was shown to be, and lacks no row of the mirror. (A cap that is new shows in rows that are lacking, so no row
// goes because of it; one that only hides new rows shows with the weekly look.)
class EndSearch {
public:
    struct Names {
        std::string page_param;
        std::string page_size_param;
        std::uint64_t page_size = 0;  // rows that a page is asked for
        std::string reversed_query;   // page 1 in the order that begins at the other end; "" = cannot be asked for
        bool is_one_of_many = false;  // lists of one kind share a habit: none is cut at a length that others exceed
    };
    struct Answer {
        std::uint64_t items = 0;
        std::uint64_t new_keys = 0;          // of them, met for the first time in this walk
        bool falling = false;                // integer keys that fall
        std::uint64_t distinct = 0;          // keys of the walk so far
        std::optional<std::uint64_t> count;  // rows in the list, by the service
        bool says_end = false;               // it says that no page follows
    };
    struct Step {
        std::optional<std::string> next = {};  // what to ask for; nothing = the list ends here
        bool is_aside = false;  // the page is none of the walk: it was asked for to learn, and brought nothing
        bool may_lack = false;  // the list is known to hold more than it gives, or nothing can show that it does not
    };

    EndSearch(Names names, EndHabit habit, bool looks_anew);

    // A page was answered to `query` that names no next one. `lacks` tells whether the walk lacks rows of the mirror.
    Step page(const std::string& query, const Answer& answer, const std::function<bool()>& lacks);
    // The page that `Step::next` asked for was answered with no page. `is_missing`: there is none, by its status (404,
    // 410); `tells`: any other status that says something of the question (not 5xx).
    Step refused(bool is_missing, bool tells);
    // So many rows are a length at which services cut.
    bool may_be_cut(std::uint64_t rows) const { return is_suspicious(rows); }
    bool is_asking() const { return phase_ != Phase::idle; }
    // What the list obeys, as far as this walk has found it out.
    Further found() const { return found_; }
    // That is known, and more has come: what follows is a walk, no search.
    bool is_walking() const { return phase_ == Phase::walking || (is_asking() && found_ == Further::page_size); }
    // What is known now, at the end of the walk.
    const EndHabit& habit() const { return habit_; }
    // Everything was tried in this walk: `tried_at` is the caller's to set.
    bool has_tried() const { return has_tried_; }

private:
    enum class Phase { idle, trying, walking };
    enum class Way { page, zero, offset, page_size, reversed };

    Step begin(const std::string& query, const Answer& answer, const std::function<bool()>& lacks);
    std::optional<Step> without_asking(const Answer& answer, const std::function<bool()>& lacks);
    Step hear(const Answer& answer);
    Step on_page(const Answer& answer);
    Step on_zero(const Answer& answer);
    Step on_longer(const Answer& answer);
    Step on_reversed(const Answer& answer);
    Step walk_on(const Answer& answer, const std::function<bool()>& lacks);
    Step try_next(Way way);
    Step ask();
    Step nothing_brings_more();
    void record_more(const Answer& answer);
    Step ends(bool is_aside);
    bool is_suspicious(std::uint64_t rows) const;

    Names names_;
    EndHabit habit_;
    bool looks_anew_;
    bool has_tried_ = false;
    bool is_unclear_ = false;  // a question was answered by trouble
    Phase phase_ = Phase::idle;
    Way way_ = Way::page;
    Further found_ = Further::unknown;  // what is obeyed, in this walk
    std::string query_;                 // of the page at which the search began
    std::string asked_;
    Answer first_;                   // that page
    bool lacks_ = false;             // it lacks rows of the mirror
    std::uint64_t behind_ = 0;       // rows to be passed over by offset
    std::uint64_t longest_ = 0;      // of the pages behind which more came
    std::uint64_t newest_ = 0;       // rows of the newest page
    std::uint64_t before_ = 0;       // of the one before it that belongs to the walk
    std::uint64_t page_length_ = 0;  // asked for as a longer page
    bool brought_ = false;           // asking has brought rows
    bool is_uneven_ = false;         // a page shorter than one before it was not the last
    bool second_is_empty_ = false;
    bool second_is_refused_ = false;
};

}  // namespace shelfd::sync
