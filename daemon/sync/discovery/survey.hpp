// Finds the lists of a service: where its API describes itself, and which of those addresses answer as lists.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "http/client.hpp"
#include "sync/service/envelope_kind.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::sync {

enum class AddressVerdict {
    list,        // answers with a page of items
    object,      // answers with one object
    forbidden,   // refused: the token's scopes or its user's rights do not suffice
    limited,     // the service asked to wait: the address may be a list, and is worth another try later
    missing,     // 404, 405, 410
    unreadable,  // no JSON, or a failure
    untried,     // one list for each row of another one, or beyond the limit of requests
};

std::string_view to_string(AddressVerdict verdict);

// An address that a document, a root or the configuration names, and its answer.
struct FoundAddress {
    std::string path;
    std::string source;  // "API root /api/v2/", "OpenAPI 3.0.2 at /openapi.json", "configuration", "usual path"
    std::string title;   // "" = none
    std::vector<std::string> needs = {};  // query parameters without which it does not answer, by the document
    AddressVerdict verdict = AddressVerdict::untried;
    std::string why;                     // unless it is a list
    std::optional<Envelope> envelope;    // of a list
    std::optional<std::uint64_t> count;  // rows, as counted by the service
    std::uint64_t page_items = 0;        // rows of the answer
    bool more = false;                   // there is another page
};

// No I/O, no clock. First looks for addresses, then requests each once. Send the request of `next`, pass the outcome to
// `hear` (takes milliseconds), until `next` is empty. Sends only paths below the service's own origin.
class ServiceSurvey {
public:
    // `configured`: paths of lists that are known already.
    ServiceSurvey(const config::Service& service, const std::vector<std::string>& configured);

    static constexpr std::size_t max_search = 20;  // requests that look for addresses
    static constexpr std::size_t max_tried = 80;   // addresses that are requested
    static constexpr std::size_t max_named = 20;   // of those, asked what they are called

    struct Question {
        std::string target;  // "/path?query"
        http::Method method = http::Method::get;
    };
    // Empty when the survey is over.
    std::optional<Question> next() const;
    void hear(const Result<http::Response>& outcome);

    // No more requests: addresses that were not requested say so.
    void stop();

    // Addresses are known; those to be tried are requested from now on.
    bool is_trying() const { return trying_; }
    // How many requests that will take at most; final once `is_trying`.
    std::size_t to_try() const;
    // The address about which nothing more is asked since the last outcome; nullptr if there is none.
    const FoundAddress* last_tried() const { return last_; }
    const std::vector<FoundAddress>& addresses() const { return addresses_; }
    // Documents that describe lists in a form that is not read, or not read whole.
    const std::vector<FoundAddress>& unread() const { return unread_; }

private:
    struct Place {
        enum class Kind { root, nested_root, document } kind;
        std::string path;
    };

    void on_place(const Place& place, const Result<http::Response>& outcome);
    bool read_root(const Place& place, const http::Response& response);
    void read_document(const Place& place, const http::Response& response);
    void on_address(FoundAddress& address, const Result<http::Response>& outcome);
    bool wants_name(const FoundAddress& address) const;
    void on_metadata(FoundAddress& address, const Result<http::Response>& outcome);
    void add(std::string path, const std::string& source, const std::string& title,
             std::vector<std::string> needs = {});
    void skip_places();
    void begin_trying();
    void skip_addresses();

    const config::Service& service_;
    std::vector<Place> places_;
    std::size_t place_ = 0;
    std::size_t searched_ = 0;
    bool root_found_ = false;
    bool document_found_ = false;
    bool trying_ = false;
    std::vector<FoundAddress> addresses_;
    std::set<std::string> known_;  // paths, without a slash at the end
    std::size_t address_ = 0;
    const FoundAddress* last_ = nullptr;
    std::optional<std::size_t> unnamed_;  // the address that is asked with OPTIONS
    bool views_have_names_ = true;        // no answer to OPTIONS shows otherwise
    std::size_t named_ = 0;               // addresses that were asked so
    std::vector<FoundAddress> unread_;
    std::vector<std::string> sources_;  // that described the service: "OpenAPI 3.0.2 at /openapi.json"
};

}  // namespace shelfd::sync
