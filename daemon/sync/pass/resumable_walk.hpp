// The pages of a walk, kept until it ends: one that a crash, a stop or an outage cut short goes on where it was.
#pragma once

#include "config/model/model.hpp"
#include "mirror/file/kept_pages.hpp"
#include "mirror/mirror.hpp"
#include "mirror/pass.hpp"
#include "oauth/status/token_status.hpp"
#include "runtime/async/clock.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/envelope.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::sync {

// A page as it was, with its rows.
struct RecalledPage {
    Page page;  // its `results` point into `rows`
    std::string rows;
};

// Only walks that the request budget makes long are worth it: of several pages, at a service with a limit. What cannot
// be written or read again is forgotten, and the walk loses nothing by it. A pass for changes leaves the pages of a
// walk over the whole list alone: while it brings nothing, that one may go on with them. Made on the loop; every other
// call blocks and is made in the library's lane, but for the const ones.
class ResumableWalk {
public:
    // What the pages are about: the rows, by the plan, and whose they are, by the set that asks for them.
    struct Subject {
        const config::Library& library;
        const config::Resource& resource;
        const PassPlan& plan;
        oauth::TokenStatus set;
    };
    // `clock` and `mirror` outlive it.
    ResumableWalk(const Subject& subject, Clock& clock, mirror::Mirror& mirror);

    // As of when the walk was whose pages an earlier life left for the mirror at `path`; nothing when it left none that
    // a walk about `subject` goes on with.
    static std::optional<Instant> left_by_another(const Subject& subject, const std::string& path, Instant now);

    // The answer to `query` that an earlier walk by the same plan got, in the order it got them. nothing: from now on
    // the service is asked. `start` gets what that walk began with.
    std::unique_ptr<RecalledPage> recall(const std::string& query, mirror::PassStart& start);
    // A page that was asked for with `query` and staged, `items` rows long; every one, in their order. `rows` are made
    // where they are kept only: as the mirror keeps them.
    void keep(const std::string& query, const Page& page, std::uint64_t items,
              const std::function<Result<std::string>()>& rows, const mirror::PassStart& start);
    // Whether `recall` may know the next page.
    bool may_recall() const { return !looked_ || recalling_; }
    void forget();
    // Of a walk that starts over: its first page comes next.
    void begin_anew();

private:
    bool is_long(const Page& page, std::uint64_t items) const;
    bool was_published();
    bool is_of_whole_walk() const;

    Clock& clock_;
    mirror::Mirror& mirror_;
    std::string resource_;
    std::string slice_;  // its name, of a sliced table
    std::string file_;
    std::string plan_;   // a fingerprint of it
    std::string whole_;  // of a pass for changes: the same of the walk over the whole list; "" = it is none
    bool is_limited_;
    std::unique_ptr<mirror::KeptPages> record_;
    bool looked_ = false;     // whether there is one to go on with
    bool recalling_ = false;  // and it has more pages
    bool any_page_ = false;
};

}  // namespace shelfd::sync
