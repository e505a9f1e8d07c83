// What the exploration of a service says about its lists, as the lines of a probe arrive.
#pragma once

#include "ctl/daemon/json_reader.hpp"
#include "ctl/start/step_context.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

// Says each finding that a person waits for.
class FoundLists {
public:
    struct Readable {
        std::string path;
        std::string block;  // of TOML, as the daemon suggests it
    };
    struct Unreadable {
        std::string path;
        std::string why;

        std::string sentence() const;
    };

    // `steps` must outlive it.
    explicit FoundLists(StepContext& steps) : steps_(steps) {}

    // One line: its event, and all of it.
    void take(std::string_view event, const JsonReader& line);

    const std::vector<Readable>& readable() const { return readable_; }
    // Found or asked for, but the token set may not read them, the service is at its limit, or its answer is no list.
    const std::vector<Unreadable>& unreadable() const { return unreadable_; }
    // That may name whose token it is.
    const std::vector<std::string>& pages() const { return pages_; }
    std::vector<std::string> paths() const;

private:
    void on_found(const JsonReader& line);
    void on_list(const JsonReader& line);

    StepContext& steps_;
    std::vector<Readable> readable_;
    std::vector<Unreadable> unreadable_;
    std::vector<std::string> pages_;
};

}  // namespace shelfd::ctl
