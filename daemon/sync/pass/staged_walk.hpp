// The pages of one walk on their way into the mirror: the frame is read, the rows are staged, then published or
// dropped.
#pragma once

#include "mirror/mirror.hpp"
#include "mirror/values/commit.hpp"
#include "sync/pass/pass_machine.hpp"
#include "sync/pass/resumable_walk.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/envelope.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

// Every call blocks and is made in the library's lane, but for the const ones. What it is given by reference, and what
// `subject` refers to, outlive it.
class StagedWalk {
public:
    StagedWalk(const ResumableWalk::Subject& subject, Clock& clock, mirror::Mirror& mirror)
        : library_(subject.library), resource_(subject.resource), plan_(subject.plan), clock_(clock), mirror_(mirror),
          record_(subject, clock, mirror), envelope_(plan_.envelope), end_(make_search())
    {
    }

    // Stages the answer to `query`, and keeps it for a walk that may have to go on with this one. `start` counts for
    // the first page. Errors: protocol for a page worth asking for again; config where a person has to look; storage
    // and its like from the mirror.
    Result<PageSeen> take(http::Response& response, const Query& query, const mirror::PassStart& start,
                          mirror::Commit commit);
    // Nobody named the page that `query` asked for, and the answer is none, by its status.
    PageSeen handle_refusal(int status);
    // The same of the closing look at page 1, which another walk would have to take anew.
    Result<PageSeen> handle_closing(http::Response& response, const Query& query, const mirror::PassStart& start);
    // Stages the answer to `query` that a walk which was cut short has left; nothing where it left none. `start` gets
    // what that walk began with. Errors as `take`; nothing more is recalled then.
    Result<std::optional<PageSeen>> recall(const Query& query, mirror::PassStart& start);
    bool may_recall() const { return record_.may_recall(); }
    // A sample of the rows that the walk lacked, each with the target that asks for it by itself; those that no token
    // of ours may ask for are left out.
    Result<std::vector<mirror::MissingRow>> missing(std::size_t most);
    // The walk would take rows away.
    bool lacks_rows() const { return lacks_rows_; }
    void add_evidence(const mirror::MissingRow& row, mirror::Witness witness) { pass_->add_evidence(row, witness); }
    // Whether this answer for a missing row shows it outside of the slice that is walked; noted if so.
    bool check_for_move(const mirror::MissingRow& row, std::string_view item);
    Result<mirror::PublishOutcome> publish(const mirror::Proof& proof, const mirror::DateWatch* dates);
    void drop() { pass_.reset(); }
    // No other walk goes on with this one.
    void forget() { record_.forget(); }
    // Another walk by the same plan.
    void begin_anew()
    {
        drop();
        first_items_ = 0;
        end_ = make_search();
        is_named_ = false;
        lacks_rows_ = is_chain_ = counts_pages_ = false;
        record_.begin_anew();
    }

    // The queries of the pages behind the newest one that can be known, nearest first; `query` asked for that one.
    std::vector<std::string> queries_behind(const Query& query) const;
    const std::optional<Envelope>& envelope() const { return envelope_; }
    // nothing: nobody had to ask where the list ends.
    std::optional<EndHabit> end_habit() const;
    // The next page is asked for only to learn whether the list ends here.
    bool is_asking_for_end() const { return end_.is_asking() && !end_.is_walking(); }
    // The newest answer was a page of the list; what was wrong with it, if anything, are its rows.
    bool has_frame() const { return has_frame_; }
    // See first_unsolicited; of all pages.
    const std::string& unsolicited() const { return unsolicited_; }

private:
    Result<Page> read(http::Response& response, const Query& query) const;
    enum class Look { walk, recalled, closing };
    Result<PageSeen> stage(Page page, const Query& query, const mirror::PassStart& start, mirror::Commit commit,
                           Look look = Look::walk);
    EndSearch make_search() const;
    void drop_count_of_page(Page& page, std::uint64_t items);
    std::optional<EndSearch::Step> search_end(const Page& page, const Query& query, const mirror::PageFacts& facts);

    const config::Library& library_;
    const config::Resource& resource_;
    const PassPlan& plan_;
    Clock& clock_;
    mirror::Mirror& mirror_;
    ResumableWalk record_;
    std::unique_ptr<mirror::Pass> pass_;
    std::optional<Envelope> envelope_;
    Page page_;  // the newest, without its rows
    std::uint64_t items_ = 0;
    std::uint64_t first_items_ = 0;  // of its first page
    EndSearch end_;
    bool is_named_ = false;  // a page named the next one
    std::string key_set_;
    std::uint64_t even_items_ = 0;  // of each page but the last, where the service cuts them
    std::string unsolicited_;
    bool has_frame_ = false;
    bool lacks_rows_ = false;
    bool is_short_ = false;      // the pages behind it are longer
    bool counts_pages_ = false;  // what it calls its count may be that of each page
    bool is_chain_ = false;      // an array whose pages follow each other by cursor
};

}  // namespace shelfd::sync
