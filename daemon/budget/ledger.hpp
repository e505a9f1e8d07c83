// What the requests were for: how many of the budget went where.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace shelfd::budget {

enum class Reason {
    page,        // of a list
    closing,     // page 1 again, to see what moved during the walk
    witness,     // a row that the walk lacked, by its own address
    filter_try,  // whether the filter of incremental passes works
    end_try,     // whether a list that does not say so ends where its page does
    detail,      // one item by itself, for more of it
    canary,      // whose token this is
    verify,      // a row that a person compares with the mirror
    get,         // an address that a person looks at
    probe,       // a list that a person gets to know
    resent,      // any of these again, by the network layer, on a connection that was dead
};
inline constexpr std::size_t reasons = 11;

const char* to_string(Reason reason);

// Requests by reason.
class Tally {
public:
    // One request of ours that the network layer sent `times`.
    void count(Reason reason, std::uint32_t times = 1);
    // So many requests of ours, each sent once.
    void add(Reason reason, std::uint64_t requests);
    void add(const Tally& other);
    std::uint64_t of(Reason reason) const { return counts_[static_cast<std::size_t>(reason)]; }
    std::uint64_t total() const;
    // {"page":12,"closing":1}: those that are not 0; "" when all are.
    std::string to_json() const;

private:
    std::array<std::uint64_t, reasons> counts_{};
};

// The requests of one library since the daemon keeps it, by resource; "" for what serves all of them. Loop only.
class Ledger {
public:
    Tally& of(const std::string& resource) { return tallies_[resource]; }
    const std::map<std::string, Tally>& tallies() const { return tallies_; }

private:
    std::map<std::string, Tally> tallies_;
};

}  // namespace shelfd::budget
