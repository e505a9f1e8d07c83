// What the passes of a dry run would request, for people and programs.
#pragma once

#include "ctl/status/status_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

// Collects the lines of a stream that plan a pass.
class DryRun {
public:
    // `end`: the last line, which says how it ended.
    enum class Line { plan, end, other };
    Line take(std::string_view line);

    // Two lines for each table; libraries whose lines differ in names, numbers and times alone have one of them, with
    // some of their names. Of several passes there is a last line about all; `status` has the limits in force, and is
    // empty if it is not known.
    std::string text(const std::optional<StatusView>& status) const;
    // The last line of a stream before its end: {"event": "total", …}.
    std::string total_json(const std::optional<StatusView>& status) const;

private:
    struct Planned {
        std::string library;
        std::string resource;
        std::string mode;
        std::string why;
        std::string target;
        bool tries_filter = false;
        bool asks_identity = false;
        std::optional<std::uint64_t> requests;
    };
    struct Total {
        std::uint64_t requests = 0;           // of the passes of which it is known, with those that test a filter
        std::uint64_t identity_requests = 0;  // at most
        std::size_t unknown = 0;              // passes
        std::optional<Duration> at_limit;     // at least; empty = no limit, or none that is known
    };

    static std::string alike(const Planned& planned);
    static std::string describe(const std::vector<const Planned*>& group);
    Total total(const std::optional<StatusView>& status) const;

    std::vector<Planned> planned_;
};

}  // namespace shelfd::ctl
