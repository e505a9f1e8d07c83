// Counts requests by reason: what the budget was spent on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace shelfd::budget {

enum class Reason {
    page,        // a page of a list
    closing,     // page 1 again, to see what moved during the walk
    witness,     // a row that the walk missed, by its own address
    filter_try,  // a test whether the filter of incremental passes works
    end_try,     // a test whether a list without an end mark ends where its page does
    detail,      // one item by itself, for its details
    canary,      // whose token this is
    verify,      // a row that a person compares with the mirror
    get,         // an address that a person looks at
    probe,       // a list that a person explores
    resent,      // any of these, repeated by the network layer on a dead connection
};
inline constexpr std::size_t reasons = 11;

const char* to_string(Reason reason);

// Requests by reason.
class Tally {
public:
    // Counts one request that the network layer sent `times` times.
    void count(Reason reason, std::uint32_t times = 1);
    // Adds `requests` requests, each sent once.
    void add(Reason reason, std::uint64_t requests);
    void add(const Tally& other);
    std::uint64_t of(Reason reason) const { return counts_[static_cast<std::size_t>(reason)]; }
    std::uint64_t total() const;
    // {"page":12,"closing":1}: the counts that are not 0; "" if all are 0.
    std::string to_json() const;

private:
    std::array<std::uint64_t, reasons> counts_{};
};

// Requests of one library since the daemon loaded it, by resource; "" is what serves all resources. Loop only.
class LibraryTally {
public:
    Tally& of(const std::string& resource) { return tallies_[resource]; }
    const std::map<std::string, Tally>& tallies() const { return tallies_; }

private:
    std::map<std::string, Tally> tallies_;
};

}  // namespace shelfd::budget
