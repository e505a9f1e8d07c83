// What a person requests from the service through the daemon, and the results.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct GetRequest {
    std::string library;
    std::string path;  // may have a query
};

// The service's answer, whatever its status.
struct GetReport {
    int status = 0;
    std::string content_type;
    std::string body;
    std::optional<Instant> ask_again = {};  // until when the request limit is used up
};

struct VerifyRequest {
    std::string library;
    std::string resource;
    std::vector<std::string> keys;  // as typed
    std::uint64_t sample = 0;       // without keys: number of rows chosen at random
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
    std::string library;
    std::vector<std::string> paths;  // none = those of the library's resources
};

// The findings about one list.
struct ProbedList {
    std::string path;
    std::vector<std::string> lines;  // the findings, for people
    std::string toml;                // configuration to paste; "" = the list could not be read
    bool readable = false;
    std::string envelope;
    std::optional<std::uint64_t> count;
    std::string key;
    std::optional<bool> newest_first;
    std::string filter;  // "" = none works
    std::optional<bool> refuses_wrong_token;
    std::vector<std::string> personal;
    std::vector<std::string> detail_members;
    std::uint32_t requests = 0;  // sent for the findings
};

// Called on the loop for each list when it is done.
using ProbeSink = std::function<void(const ProbedList&)>;

}  // namespace shelfd::control
