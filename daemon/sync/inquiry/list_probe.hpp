// Examines one list of a service in about ten requests: which parameters work and what the answers mean.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/words/text_contents.hpp"
#include "config/model/model.hpp"
#include "http/client.hpp"
#include "sync/service/end_search.hpp"
#include "sync/service/envelope_kind.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::sync {

struct Page;

struct ListFindings {
    std::string path;
    std::string trouble;                           // why it could not be read; "" = it could
    bool is_forbidden = false;                     // that was a 403: the token set lacks a scope or a permission
    std::optional<Envelope> envelope;              // empty if it could not be read
    std::optional<std::uint64_t> count;            // rows, as counted by the service
    std::uint64_t page_items = 0;                  // rows of the first page
    std::uint64_t page_rows = 0;                   // rows of the other pages
    bool more = false;                             // there is another page
    Further further = Further::unknown;            // if the list does not say where it ends: what returns more rows
    std::string key;                               // the member that identifies a row; "" = none found
    std::vector<std::string> key_candidates = {};  // if none was found: members whose values are unique on the page
    std::optional<bool> refuses_wrong_token;
    std::optional<bool> newest_first;  // the order -KEY is obeyed; empty = unknown
    struct Filter {
        std::string param;
        std::string field;
        config::Incremental::Format format = config::Incremental::Format::datetime;
    };
    std::optional<Filter> filter;              // returns no rows for an instant in the future
    std::vector<std::string> ignored_filters;  // without effect, or refused
    struct EventTime {
        std::string field;
        bool is_day = false;
        std::string earliest;  // on the first page, as sent
        std::string latest;
    };
    std::vector<EventTime> event_times = {};  // members that may date the rows of a ledger, the most likely first
    struct Window {
        std::string from;  // parameter
        std::string to;    // parameter
        std::string field;
        std::string since;       // day
        bool is_oldest = false;  // no row is older than `since`; otherwise a guess
        Duration step{};
    };
    std::optional<Window> window = {};             // both parameters were tested
    bool has_address = false;                      // rows have a `url` at the service's origin
    std::optional<std::string> detail_address;     // an address that returned an item
    std::vector<std::string> detail_members = {};  // members that only the single item has
    std::vector<std::string> personal = {};        // members with personal data, by name: "created_by.email"
    std::vector<std::pair<std::string, TextContents>> text_contents = {};  // members to compare with a cast
    std::uint32_t requests = 0;

    // Requests of a pass over the whole list; empty if the number of rows is unknown.
    std::optional<std::uint64_t> full_requests() const;
};

// No I/O, no clock. Send the request of `next`, pass the outcome to `hear` (takes milliseconds), until `next` is empty.
class ListProbe {
public:
    struct Question {
        std::string target;
        bool wrong_token = false;
    };

    // `path` has no query; `future` is later than the date of any row; `params` are sent in addition to the service's.
    ListProbe(const config::Service& service, std::string path, Instant future,
              std::map<std::string, std::string> params = {});

    std::optional<Question> next() const;
    void hear(const Result<http::Response>& outcome);
    const ListFindings& findings() const { return findings_; }

private:
    enum class Step { list, further, wrong_token, newest_first, oldest_first, filter, detail, done };
    struct Attempt {
        std::string param;
        std::string field;
        config::Incremental::Format format;
    };

    std::string query(std::vector<std::pair<std::string, std::string>> more,
                      std::uint32_t rows) const;  // 0: as many as in a pass
    void advance();
    bool is_worth_asking(Step step) const;
    void on_list(const Result<http::Response>& outcome);
    void on_further(const Result<http::Response>& outcome);
    void search_end(const std::string& query, const Page& page);
    void handle_step(const EndSearch::Step& step);
    void read_items(std::string_view results);
    void on_order(const Result<http::Response>& outcome);
    void on_filter(const Result<http::Response>& outcome);
    void on_detail(const Result<http::Response>& outcome);

    const config::Service& service_;
    Instant future_;
    std::map<std::string, std::string> params_;
    Step step_ = Step::list;
    ListFindings findings_;
    std::optional<EndSearch> end_;
    std::string further_query_;  // of the next request; "" = none
    std::set<std::string> keys_;
    bool default_falls_ = false;  // keys descend in the service's own order
    bool integer_keys_ = false;
    std::vector<std::string> members_;  // of the first item
    std::string detail_target_;
    std::vector<Attempt> attempts_;
    std::size_t attempt_ = 0;
};

}  // namespace shelfd::sync
