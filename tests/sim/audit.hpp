// What the service saw: the witness that tests call.
#pragma once

#include "base/instant.hpp"
#include "sim/json.hpp"

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace shelfd::sim {

// Requests that look alike are one line.
struct AuditKey {
    std::string method;
    std::string path;            // without the query
    std::string library;         // "" when neither token nor client id is known
    std::size_t generation = 0;  // of the bearer token within its set, from 1; 0 without one
    int status = 0;              // as sent; 0 when the connection was cut before a status line

    friend auto operator<=>(const AuditKey&, const AuditKey&) = default;
};

struct AuditReport {
    std::map<AuditKey, std::uint64_t> requests;
    std::uint64_t total = 0;
    std::uint64_t token_posts = 0;      // every POST to the token endpoint that arrived, whatever became of it
    std::uint64_t refreshes = 0;        // sets made by grant_type=refresh_token
    std::uint64_t exchanges = 0;        // sets made by grant_type=authorization_code
    std::uint64_t reuses_of_spent = 0;  // spent refresh tokens presented beyond the grace
    std::uint64_t throttled = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t connections = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t peak_in_flight = 0;
    std::map<std::string, std::uint64_t> busiest_minute;  // by library: most API requests in any 60 s, refused ones too

    // Sum over the lines that fit; "" and 0 fit all.
    std::uint64_t count(std::string_view method, std::string_view path_prefix, std::string_view library = "",
                        std::size_t generation = 0, int status = 0) const;
    Json to_json() const;
};

// Not thread-safe. A request is in flight from its last byte in to the first byte out.
class Audit {
public:
    AuditReport report;

    void request_begins();
    void request_ends(const AuditKey& key, std::uint64_t bytes_sent);
    void api_request(const std::string& library, Instant now);
    // Keeps what is in flight.
    void reset();

private:
    std::map<std::string, std::deque<Instant>> last_minute_;
};

}  // namespace shelfd::sim
