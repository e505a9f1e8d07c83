// Which kind of pass comes next and what it asks for, by what the schedule wants and what the service is known to do.
#pragma once

#include "mirror/discovery.hpp"
#include "sync/library_context.hpp"
#include "sync/pass_report.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

enum class Wanted {
    ordinary,        // what keeps the table fresh
    full,            // the whole list, for its schedule or to look again
    full_by_person,  // the same, asked for: whatever kind of answer comes is taken
};

// What the next pass would be, told before it is made.
struct PassPreview {
    PassKind kind = PassKind::full;
    std::string why;                        // one sentence
    std::string target;                     // of its first request
    bool tries_filter = false;              // with one request before
    std::optional<std::uint64_t> requests;  // that and the canaries left out; nothing = nobody knows yet
};

// Loop only. `context` and `resource` outlive it.
// Two things are tried out before they are relied on, once and then weekly: that the filter of incremental passes
// leaves nothing of an instant that has not come yet, and that the order newest key first is obeyed. What the service
// ignores or refuses is done without; `warning` says so.
class PassChooser {
public:
    PassChooser(LibraryContext& context, const config::Resource& resource) : context_(context), resource_(resource) {}

    // Reads what the mirror knows.
    asio::awaitable<Result<void>> load();
    // May send one request, to try the filter.
    asio::awaitable<PassPlan> choose(Wanted wanted);
    // The same, asking nothing: `requests` is the caller's to fill.
    PassPreview preview(Wanted wanted) const;
    // Keeps what a pass found out.
    asio::awaitable<void> learn(const PassReport& pass);

    // What a person should know though passes go on; "" = nothing.
    std::string warning() const;

private:
    bool is_filter_usable() const { return discovery_.filter == "effective" && discovery_.changes_from.has_value(); }
    bool is_look_due() const;
    bool must_try_filter() const;
    std::string why_full(Wanted wanted) const;
    asio::awaitable<void> try_filter();
    asio::awaitable<void> save();

    LibraryContext& context_;
    const config::Resource& resource_;
    mirror::Discovery discovery_;
    budget::Tally spent_;  // on the newest choice
};

}  // namespace shelfd::sync
