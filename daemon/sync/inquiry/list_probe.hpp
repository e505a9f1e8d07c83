// Gets to know one list of a service in about ten requests: what to ask, and what the answers mean.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
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
#include <vector>

namespace shelfd::sync {

struct ListFindings {
    std::string path;
    std::string trouble;                 // why it could not be read; "" = it could
    std::optional<Envelope> envelope;    // nothing: it could not be read
    std::optional<std::uint64_t> count;  // rows, by the service
    std::uint64_t page_items = 0;        // rows of the first page
    std::uint64_t page_rows = 0;         // rows of the others
    bool more = false;                   // there is another page
    Further further = Further::unknown;  // of a list that does not say where it ends: what brings more of it
    std::string key;                     // the member that names a row; "" = none was found
    std::optional<bool> refuses_wrong_token;
    std::optional<bool> newest_first;  // whether the order -KEY is obeyed; nothing = cannot be told
    struct Filter {
        std::string param;
        std::string field;
        config::Incremental::Format format = config::Incremental::Format::datetime;
    };
    std::optional<Filter> filter;                  // that leaves nothing of a time to come
    std::vector<std::string> ignored_filters;      // tried, and without effect or refused
    bool has_address = false;                      // rows have a url of our origin
    std::optional<std::string> detail_address;     // that answered with an item
    std::vector<std::string> detail_members = {};  // that only the item by itself has
    std::vector<std::string> personal = {};        // members whose names sound like persons: "created_by.email"
    std::uint32_t requests = 0;

    // Of a pass over the whole list; nothing where nobody counts.
    std::optional<std::uint64_t> full_requests() const;
};

// No I/O, no clock. `next`, then `hear` what came of it, until there is no next. `hear` may take some milliseconds.
class ListProbe {
public:
    struct Question {
        std::string target;
        bool wrong_token = false;
    };

    // `path` without a query; `future` is an instant that no row is younger than; `params`: what the list is asked for
    // with, beside those of the service.
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
                      std::uint32_t rows) const;  // 0: as many as a pass
    void advance();
    bool is_worth_asking(Step step) const;
    void on_list(const Result<http::Response>& outcome);
    void on_further(const Result<http::Response>& outcome);
    void search_end(const std::string& query, std::string_view results);
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
    std::string further_query_;  // what it wants to ask for next; "" = nothing
    std::set<std::string> keys_;
    bool default_falls_ = false;  // keys fall in the order that the service chooses
    bool integer_keys_ = false;
    std::vector<std::string> members_;  // of the first item
    std::string detail_target_;
    std::vector<Attempt> attempts_;
    std::size_t attempt_ = 0;
};

}  // namespace shelfd::sync
