// What a person requests from the service through the daemon, and the results.
#pragma once

#include "base/instant.hpp"
#include "control/model/actor.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace shelfd::control {

struct GetRequest {
    std::string library;
    std::string path;  // may have a query
    Actor actor = {};
};

// The service's answer, whatever its status.
struct GetReport {
    int status = 0;
    std::string content_type;
    std::string body;
    std::optional<Instant> ask_again = {};  // until when the request limit is used up
    // Those that say how to ask again: limits, redirects, versions; by name.
    std::vector<std::pair<std::string, std::string>> headers = {};
};

struct VerifyRequest {
    std::string library;
    std::string resource;
    std::vector<std::string> keys;  // as typed
    std::uint64_t sample = 0;       // without keys: number of rows chosen at random
    Actor actor = {};
};

struct VerifiedRow {
    struct Difference {
        std::string member;   // as JSON, in quotes
        std::string mirror;   // JSON text
        std::string service;  // "" = the service has no such member
    };
    std::string key;  // JSON text
    std::string address;
    std::string verdict;  // "equal", "differs", "gone", "missing", "not_here", "not_compared"
    std::string why;
    std::vector<Difference> differences;
    std::optional<Instant> as_of;     // of the table
    std::optional<Instant> modified;  // by the service's date
    bool changed_since = false;       // after `as_of`
};

// Called on the loop for each row when it is done.
using VerifySink = std::function<void(const VerifiedRow&)>;

struct ProbeRequest {
    enum class Extent {
        lists,     // explores `paths`; none = those of the library's resources
        survey,    // finds the lists of the service, with a request for each
        thorough,  // finds them and explores each
    };
    std::string library;
    std::vector<std::string> paths;
    Extent extent = Extent::lists;
    Actor actor = {};
};

// Requests that will be sent from now on.
struct ProbePlan {
    std::string purpose;         // "to find the lists"
    std::uint64_t requests = 0;  // at most
};

// An address of the service, and what it answers.
struct FoundList {
    std::string path;
    std::string source;    // what names it
    std::string title;     // "" = none
    std::string verdict;   // "list", "object", "forbidden", "limited", "missing", "unreadable", "untried"
    std::string why;       // unless it is a list
    std::string resource;  // that mirrors it already; "" = none
    std::string envelope;
    std::optional<std::uint64_t> count;  // rows, as counted by the service
    std::uint64_t page_rows = 0;         // in the answer
    bool more = false;                   // there is another page
    std::uint64_t explore_requests = 0;  // at most, to explore it
};

// The findings about one list.
struct ProbedList {
    std::string path;
    std::vector<std::string> lines;  // the findings, for people
    std::string toml;                // configuration to paste; "" = the list could not be read
    bool readable = false;
    bool is_forbidden = false;  // a 403: the token set lacks a scope or a permission
    std::string envelope;
    std::optional<std::uint64_t> count;
    std::string key;
    bool needs_key = false;                   // its rows have none of the usual names of a key
    std::vector<std::string> key_candidates;  // members with unique values, if it needs a key
    std::optional<bool> newest_first;
    std::string filter;  // "" = none works
    std::optional<bool> refuses_wrong_token;
    std::vector<std::string> personal;
    std::vector<std::string> detail_members;
    struct Text {
        std::string member;
        std::string holds;         // "decimals" and the like
        std::string compare_with;  // SQL; "" = no expression
    };
    std::vector<Text> texts;                     // members that do not compare as what they hold
    std::string window_field;                    // of a ledger; "" = the list supports no windows
    std::optional<std::uint64_t> full_requests;  // of a pass over the whole list
    std::uint32_t requests = 0;                  // sent for the findings
};

// A page that names the library of a token, and shows what `identity` could say that it does not.
struct FoundIdentity {
    std::string path;
    std::string field;
    std::string user_field;   // the member with the id of the user; "" = none plainly has it
    bool configured = false;  // `path` and `field` are those of `identity`, which lacks user_field
};

using ProbeEvent = std::variant<ProbePlan, FoundList, FoundIdentity, ProbedList>;
// Called on the loop before requests are sent, for each list when it is done, and for a page of `identity`.
using ProbeSink = std::function<void(const ProbeEvent&)>;

}  // namespace shelfd::control
