// What goes wrong on the way, as a script: which requests, how often, and what happens to them.
#pragma once

#include "sim/json.hpp"
#include "sim/message.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sim {

// Where the connection dies. `in_header` and `in_body` let `cut_at` bytes of that part through.
enum class Cut { none, before_acting, after_acting, in_header, in_body };
enum class Ending { fin, rst };

// One line of the script. Without `status` and `body` the service's own answer is what arrives (or does not).
struct Fault {
    // Which requests.
    std::string path = "/";                // prefix
    std::string method;                    // "" for any
    std::string library;                   // "" for any; known by bearer token or client id
    std::size_t skip = 0;                  // so many matching requests pass first
    std::optional<std::size_t> times = 1;  // nothing: for ever

    // What happens, in this order.
    std::chrono::milliseconds delay{0};        // before the service acts
    bool acts = true;                          // false: the service never sees the request, only `status` is sent
    std::chrono::milliseconds delay_after{0};  // between acting and answering
    std::optional<int> status;                 // instead of the service's own answer
    std::optional<std::string> body;
    std::string content_type;
    std::vector<Header> headers;
    Cut cut = Cut::none;
    std::size_t cut_at = 0;
    Ending ending = Ending::fin;
    std::size_t drip_bytes = 0;  // so many bytes of the body at a time, when not 0
    std::chrono::milliseconds drip_every{0};
    bool chunked = false;  // as behind a proxy that compresses

    bool replaces_answer() const { return status.has_value() || body.has_value() || !headers.empty(); }
    // The answer that stands in for the service's own `real` one.
    Reply replacement(const Reply& real) const;
};

// {"path": …, "status": 502, "times": "forever", …} → a Fault; an error names the member that cannot be.
// A status without "acts" means that the service did not act.
Result<Fault> fault_from(const Json& text);

// Lines apply in the order given; each request takes the first that matches and has times left. Not thread-safe.
class FaultScript {
public:
    void add(Fault fault) { faults_.push_back(std::move(fault)); }
    void clear() { faults_.clear(); }
    // Those that still wait for a request.
    std::size_t pending() const { return faults_.size(); }

    // Takes one time off the line that matches.
    std::optional<Fault> next_for(const Request& request, const std::string& library);

private:
    std::vector<Fault> faults_;
};

}  // namespace shelfd::sim
