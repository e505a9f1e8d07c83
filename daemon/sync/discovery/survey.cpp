#include "sync/discovery/survey.hpp"

#include "http/url.hpp"
#include "mirror/json/object.hpp"
#include "sync/discovery/api_document.hpp"
#include "sync/discovery/api_root.hpp"
#include "sync/discovery/foreign_frame.hpp"
#include "sync/discovery/usual_addresses.hpp"
#include "sync/discovery/view_metadata.hpp"
#include "sync/discovery/yaml_document.hpp"
#include "sync/service/bare_array.hpp"
#include "sync/service/envelope.hpp"
#include "sync/service/page_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// Entries of a root that may be roots themselves are looked at, up to so many.
constexpr std::size_t max_nested = 5;

std::string bare(std::string_view path)
{
    return std::string(path.substr(0, path.find_last_not_of('/') + 1));
}

// "/api/v2/library/recipes/" → "/api/v2/": the first two segments, where the root of an API often is.
std::string root_of(const std::string& path)
{
    const auto first = path.find('/', 1);
    const auto second = first == std::string::npos ? first : path.find('/', first + 1);
    return second == std::string::npos ? "" : path.substr(0, second + 1);
}

bool has_parameter(const std::string& path)
{
    return path.find('{') != std::string::npos;
}

// Why it is not requested whatever else happens; "" = it may be.
std::string why_untried(const FoundAddress& address)
{
    return has_parameter(address.path) ? "one list for each row of another list"
           : address.needs.empty()     ? ""
                                   : fmt::format("it requires {}: probe its path with a table that has params = {{ {} "
                                                 "= … }}",
                                                 fmt::join(address.needs, ", "), address.needs.front());
}

}  // namespace

std::string_view to_string(AddressVerdict verdict)
{
    switch (verdict) {
    case AddressVerdict::list: return "list";
    case AddressVerdict::object: return "object";
    case AddressVerdict::forbidden: return "forbidden";
    case AddressVerdict::limited: return "limited";
    case AddressVerdict::missing: return "missing";
    case AddressVerdict::unreadable: return "unreadable";
    case AddressVerdict::untried: return "untried";
    }
    return "";
}

ServiceSurvey::ServiceSurvey(const config::Service& service, const std::vector<std::string>& configured)
    : service_(service)
{
    const auto add_place = [this](Place::Kind kind, std::string path) {
        const bool is_new = std::none_of(places_.begin(), places_.end(),
                                         [&](const Place& one) { return one.kind == kind && one.path == path; });
        if (is_new && !path.empty()) {
            places_.push_back({kind, std::move(path)});
        }
    };
    for (const auto& path : configured) {
        add(path, "configuration", "");
        if (places_.size() < 2) {
            add_place(Place::Kind::root, root_of(path));
        }
    }
    for (const auto root : usual_roots) {
        add_place(Place::Kind::root, std::string(root));
    }
    for (const auto document : usual_documents) {
        add_place(Place::Kind::document, std::string(document));
    }
}

std::size_t ServiceSurvey::to_try() const
{
    const auto count = [this](const auto& is_wanted) {
        return static_cast<std::size_t>(std::count_if(addresses_.begin(), addresses_.end(), is_wanted));
    };
    const auto tried = count([](const FoundAddress& one) { return why_untried(one).empty(); });
    const auto unnamed = count([](const FoundAddress& one) { return why_untried(one).empty() && one.title.empty(); });
    return std::min(tried, max_tried) + std::min(unnamed, max_named);
}

std::optional<ServiceSurvey::Question> ServiceSurvey::next() const
{
    if (!trying_) {
        return Question{places_[place_].path};
    }
    if (unnamed_) {
        return Question{addresses_[*unnamed_].path, http::Method::options};
    }
    if (address_ == addresses_.size()) {
        return std::nullopt;
    }
    http::Params params;
    for (const auto& [name, value] : service_.params) {
        params.push_back({name, value});
    }
    params = http::merge_params(params, {{service_.page_size_param, "10"}});
    return Question{addresses_[address_].path + "?" + http::format_query(params)};
}

void ServiceSurvey::hear(const Result<http::Response>& outcome)
{
    if (!trying_) {
        ++searched_;
        const auto place = places_[place_++];
        on_place(place, outcome);
        skip_places();
        return;
    }
    if (unnamed_) {
        auto& named = addresses_[*std::exchange(unnamed_, std::nullopt)];
        on_metadata(named, outcome);
        last_ = &named;
        skip_addresses();
        return;
    }
    auto& address = addresses_[address_];
    on_address(address, outcome);
    if (wants_name(address)) {
        unnamed_ = address_++;
        last_ = nullptr;
        return;
    }
    ++address_;
    last_ = &address;
    skip_addresses();
}

// Roots and documents have names; a path that was only configured or guessed has none.
bool ServiceSurvey::wants_name(const FoundAddress& address) const
{
    const bool is_there = address.verdict == AddressVerdict::list || address.verdict == AddressVerdict::forbidden;
    return views_have_names_ && is_there && address.title.empty() && named_ < max_named;
}

void ServiceSurvey::on_metadata(FoundAddress& address, const Result<http::Response>& outcome)
{
    ++named_;
    const bool is_answer = outcome && outcome->status == 200;
    address.title = is_answer ? title_in_metadata(outcome->body) : "";
    // A service that refuses one view may name the others.
    const bool is_refused = outcome && (outcome->status == 401 || outcome->status == 403);
    views_have_names_ = !address.title.empty() || is_refused;
}

void ServiceSurvey::stop()
{
    trying_ = true;
    unnamed_.reset();
    for (; address_ < addresses_.size(); ++address_) {
        const auto why = why_untried(addresses_[address_]);
        addresses_[address_].why = why.empty() ? "not known: the search ended early" : why;
    }
}

void ServiceSurvey::on_place(const Place& place, const Result<http::Response>& outcome)
{
    if (!outcome || outcome->status != 200) {
        return;
    }
    if (place.kind == Place::Kind::document) {
        read_document(place, *outcome);
    } else if (!read_root(place, *outcome)) {
        read_document(place, *outcome);  // some serve the document at the root
    }
}

bool ServiceSurvey::read_root(const Place& place, const http::Response& response)
{
    const auto entries = read_api_root(response.body, place.path, service_.base_url);
    if (entries.empty()) {
        return false;
    }
    const auto source = "API root " + place.path;
    sources_.push_back(source);
    root_found_ = true;
    std::size_t nested = 0;
    std::vector<Place> more;
    for (const auto& entry : entries) {
        add(entry.path, source, entry.name);
        // "/api/v2/library/" of "/api/v2/" may be a list or a root of lists: the answer shows which.
        if (place.kind == Place::Kind::root && entries.size() <= 2 * max_nested && nested < max_nested) {
            more.push_back({Place::Kind::nested_root, entry.path});
            ++nested;
        }
    }
    places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(place_), more.begin(), more.end());
    return true;
}

void ServiceSurvey::read_document(const Place& place, const http::Response& response)
{
    auto document = read_api_document(response.body, service_.base_url);
    const bool is_yaml = !document && looks_like_yaml_document(response.body);
    if (is_yaml) {
        document = read_yaml_document(response.body, service_.base_url);
        if (const auto why = why_unread(document); !why.empty()) {
            auto& unread = unread_.emplace_back();
            unread.path = place.path;
            unread.source = "document in YAML";
            unread.verdict = AddressVerdict::unreadable;
            unread.why = why;
        }
    }
    if (!document) {
        return;
    }
    const auto rest =
        document->omitted == 0 ? "" : fmt::format(" ({} more lists of it are left out)", document->omitted);
    const auto source = fmt::format("{} at {}{}", document->version, place.path, rest);
    sources_.push_back(source);
    document_found_ = true;
    for (const auto& list : document->lists) {
        add(list.path, source, list.title, list.required);
    }
}

void ServiceSurvey::add(std::string path, const std::string& source, const std::string& title,
                        std::vector<std::string> needs)
{
    if (!path.starts_with('/') || path.find_first_of("?#") != std::string::npos || http::has_dot_segment(path)) {
        return;
    }
    if (known_.insert(bare(path)).second) {
        auto& address = addresses_.emplace_back();
        address.path = std::move(path);
        address.source = source;
        address.title = title;
        address.needs = std::move(needs);
        return;
    }
    for (auto& address : addresses_) {
        if (bare(address.path) == bare(path) && address.title.empty()) {
            address.title = title;
        }
    }
}

void ServiceSurvey::skip_places()
{
    const auto is_useless = [this](const Place& place) {
        return place.kind == Place::Kind::document ? document_found_ : place.kind == Place::Kind::root && root_found_;
    };
    while (place_ < places_.size() && (searched_ >= max_search || is_useless(places_[place_]))) {
        ++place_;
    }
    if (place_ == places_.size()) {
        begin_trying();
    }
}

void ServiceSurvey::begin_trying()
{
    trying_ = true;
    if (!root_found_ && !document_found_) {
        for (const auto list : usual_lists) {
            add(std::string(list), "usual path", "");
        }
    }
    // A root of lists is none itself.
    std::erase_if(addresses_, [this](const FoundAddress& address) {
        return std::any_of(sources_.begin(), sources_.end(),
                           [&](const std::string& source) { return source == "API root " + address.path; });
    });
    skip_addresses();
}

void ServiceSurvey::skip_addresses()
{
    std::size_t tried = 0;
    for (const auto& address : addresses_) {
        tried += address.verdict == AddressVerdict::untried ? 0 : 1;
    }
    for (; address_ < addresses_.size(); ++address_) {
        auto& address = addresses_[address_];
        const auto why = why_untried(address);
        if (why.empty() && tried < max_tried) {
            return;
        }
        address.why = why.empty() ? fmt::format("only {} addresses are tried", max_tried) : why;
    }
}

void ServiceSurvey::on_address(FoundAddress& address, const Result<http::Response>& outcome)
{
    const auto answer = classify(outcome);
    const int status = outcome ? outcome->status : 0;
    if (answer.kind != AnswerKind::page) {
        address.verdict = answer.kind == AnswerKind::throttled              ? AddressVerdict::limited
                          : status == 401 || status == 403                  ? AddressVerdict::forbidden
                          : status == 404 || status == 405 || status == 410 ? AddressVerdict::missing
                                                                            : AddressVerdict::unreadable;
        address.why = answer.why;
        if (address.verdict == AddressVerdict::limited) {
            address.why += "; this says nothing about the list: try again later";
        }
        return;
    }
    auto body = outcome->body;
    const auto page = read_page(body, config::Answers::list, service_.page_param);
    if (!page) {
        body = outcome->body;
        const auto object = read_page(body, config::Answers::object);
        const auto frame = object ? foreign_frame(object->results) : "";
        address.verdict = object && frame.empty() ? AddressVerdict::object : AddressVerdict::unreadable;
        address.why = !object ? page.error().text() : frame.empty() ? "one object" : frame;
        return;
    }
    address.verdict = AddressVerdict::list;
    address.envelope = page->envelope;
    address.count = page->count;
    address.more = page->next_query.has_value();
    std::vector<mirror::Member> items;
    address.page_items = mirror::parse_elements(page->results, items) == nullptr ? items.size() : 0;
    if (page->envelope == Envelope::array) {
        if (const auto rest = rest_of_array(*outcome)) {
            address.count = rest->total;
            address.more = rest->next_query.has_value() || address.count.value_or(0) > address.page_items;
        }
    }
}

}  // namespace shelfd::sync
