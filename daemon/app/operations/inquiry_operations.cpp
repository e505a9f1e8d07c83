#include "app/operations/inquiry_operations.hpp"

#include "base/words/member_text.hpp"
#include "config/bind/resource_names.hpp"
#include "oauth/endpoint/identity_page.hpp"
#include "runtime/async/caught.hpp"
#include "sync/inquiry/inquiry.hpp"
#include "sync/inquiry/probing.hpp"
#include "sync/inquiry/surveying.hpp"
#include "sync/inquiry/verification.hpp"
#include "sync/service/page_answer.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/core.h>

#include <utility>

namespace shelfd::app {
namespace {

// Returns the result of `asking`, unless the unit is stopped first: a stop does not wait for a slow service.
template <typename T>
asio::awaitable<Result<T>> while_running(const LibraryUnit& unit, asio::awaitable<Result<T>> asking)
{
    using namespace asio::experimental::awaitable_operators;
    auto stopping = unit.stopping();
    auto working = caught(std::move(asking));
    auto first = co_await (std::move(working) || std::move(stopping));
    if (first.index() == 1) {
        co_return unit.stopped_error();
    }
    co_return std::get<0>(first).take();
}

// What people need to know to ask again, or to understand a limit.
std::vector<std::pair<std::string, std::string>> telling_headers(const http::Response& response)
{
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto* name : {"Allow",
                             "Content-Range",
                             "Date",
                             "Deprecation",
                             "ETag",
                             "Last-Modified",
                             "Link",
                             "Location",
                             "RateLimit",
                             "RateLimit-Policy",
                             "RateLimit-Limit",
                             "RateLimit-Remaining",
                             "RateLimit-Reset",
                             "Retry-After",
                             "Sunset",
                             "WWW-Authenticate",
                             "X-Pagination",
                             "X-RateLimit-Limit",
                             "X-RateLimit-Remaining",
                             "X-RateLimit-Reset"}) {
        if (auto value = std::string(response.joined(name)); !value.empty()) {
            found.emplace_back(name, std::move(value));
        }
    }
    return found;
}

asio::awaitable<Result<control::GetReport>> ask(LibraryUnit& unit, std::string path)
{
    SHELFD_CO_TRY_ASSIGN(target, sync::checked_target(unit.library().service, path));
    sync::Inquiry inquiry(unit.context(), "", budget::Reason::get);
    SHELFD_CO_TRY_ASSIGN(response, co_await inquiry.ask(std::move(target)));
    const std::string type(response.header("Content-Type"));
    const auto limited_until = sync::is_limited(response) ? unit.context().limiter.status().paused_until : std::nullopt;
    auto headers = telling_headers(response);
    co_return control::GetReport{response.status, type, std::move(response.body), limited_until, std::move(headers)};
}

control::VerifiedRow row_of(const sync::VerifiedItem& item, const std::optional<Instant>& as_of)
{
    control::VerifiedRow row;
    row.key = item.key;
    row.address = item.address;
    row.verdict = to_string(item.verdict);
    row.why = item.why;
    for (const auto& one : item.differences) {
        row.differences.push_back({one.key, one.ours, one.theirs});
    }
    row.as_of = as_of;
    row.modified = item.modified;
    row.changed_since = item.changed_since;
    return row;
}

// A table: rows of a list, or their details.
struct Table {
    const config::Resource& resource;
    std::optional<Instant> as_of;
};

std::optional<Table> find_table(const LibraryUnit& unit, const std::string& name)
{
    const auto* resource = unit.library().find_resource(name);
    if (const auto* worker = unit.tables().find(name); worker != nullptr && resource != nullptr) {
        return Table{*resource, worker->report().summary.as_of};
    }
    for (const auto& details : unit.tables().details()) {
        if (details->name() == name) {
            return Table{details->resource(), details->report().summary.as_of};
        }
    }
    return std::nullopt;
}

asio::awaitable<Result<void>> verify_rows(LibraryUnit& unit, control::VerifyRequest request, control::VerifySink sink)
{
    const auto table = find_table(unit, request.resource);
    if (!table) {
        co_return Error(ErrorKind::not_found,
                        fmt::format("{} has no resource {}", unit.library().name, request.resource));
    }
    auto tell = [&sink, as_of = table->as_of](const sync::VerifiedItem& item) { sink(row_of(item, as_of)); };
    sync::VerifyOrder order{std::move(request.resource), std::move(request.keys), request.sample, table->as_of};
    auto verifying = sync::verify(unit.context(), table->resource, std::move(order), std::move(tell));
    co_return co_await std::move(verifying);
}

// The resource with that path, as configured or as requested for one of its parents.
const config::Resource* find_resource(const LibraryUnit& unit, const std::string& path)
{
    const auto& resources = unit.library().resources;
    for (std::size_t i = 0; i < resources.size(); ++i) {
        if (resources[i].path == path || unit.tables().lists()[i]->list_path() == path) {
            return &resources[i];
        }
    }
    return nullptr;
}

// For lists by parent one suffices: the longest known one.
Result<std::string> path_to_probe(const LibraryUnit& unit, const std::string& typed)
{
    const auto& resources = unit.library().resources;
    for (std::size_t i = 0; i < resources.size(); ++i) {
        if (!resources[i].parent || resources[i].path != typed) {
            continue;
        }
        auto path = unit.tables().lists()[i]->list_path();
        if (path.empty()) {
            return Error(ErrorKind::not_found,
                         fmt::format("{} has one list for each row of {}, which has no rows yet; probe that one first",
                                     typed, resources[i].parent->resource));
        }
        return path;
    }
    return typed;
}

// A configured list keeps its name; another one gets a name that neither the configuration nor another probed list has.
std::string name_for(const std::string& path, const config::Resource* known, config::ResourceNames& taken)
{
    if (known != nullptr) {
        taken.insert(known->name);
        return known->name;
    }
    return config::free_resource_name(path, taken);
}

control::ProbedList probed_list(const LibraryUnit& unit, const sync::ListFindings& findings,
                                const config::Resource* known, const std::string& name)
{
    control::ProbedList list;
    list.path = findings.path;
    list.lines = sync::describe(findings, unit.library().service.requests_per_minute);
    const auto scope = unit.keeper().status().scope;
    list.lines.push_back(scope.empty()
                             ? std::string("scope: the token set does not name its scopes")
                             : "scope: the token set has " + scope + "; set `needs` to the scope of this list");
    list.toml = sync::to_toml(findings, name, known);
    list.readable = findings.trouble.empty();
    list.is_forbidden = findings.is_forbidden;
    list.envelope = findings.envelope ? to_string(*findings.envelope) : "";
    list.count = findings.count;
    list.key = findings.key;
    list.needs_key = sync::needs_key(findings);
    list.key_candidates = findings.key_candidates;
    list.newest_first = findings.newest_first;
    list.filter = findings.filter ? findings.filter->param : "";
    list.refuses_wrong_token = findings.refuses_wrong_token;
    list.personal = findings.personal;
    list.detail_members = findings.detail_members;
    for (const auto& [member, contents] : findings.text_contents) {
        list.texts.push_back({member, std::string(to_string(contents)), comparable(contents, member)});
    }
    list.window_field = findings.window ? findings.window->field : "";
    list.full_requests = findings.full_requests();
    list.requests = findings.requests;
    return list;
}

control::FoundList found_list(const LibraryUnit& unit, const sync::FoundAddress& address)
{
    const auto* known = find_resource(unit, address.path);
    control::FoundList found;
    found.path = address.path;
    found.source = address.source;
    found.title = address.title;
    found.verdict = to_string(address.verdict);
    found.why = address.why;
    found.resource = known == nullptr ? "" : known->name;
    found.envelope = address.envelope ? to_string(*address.envelope) : "";
    found.count = address.count;
    found.page_rows = address.page_items;
    found.more = address.more;
    found.explore_requests = sync::max_probe_requests;
    return found;
}

std::vector<std::string> configured_paths(const LibraryUnit& unit)
{
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < unit.tables().lists().size(); ++i) {
        // A parent without rows has no list.
        if (!unit.tables().lists()[i]->list_path().empty()) {
            paths.push_back(unit.library().resources[i].path);
        }
    }
    return paths;
}

// Lists that answer, in the order in which they were found.
asio::awaitable<Result<std::vector<std::string>>> find_lists(LibraryUnit& unit, const control::ProbeSink& sink)
{
    sync::SurveyListener listener;
    listener.searching = [&sink](std::size_t requests) { sink(control::ProbePlan{"to find the lists", requests}); };
    listener.trying = [&sink](std::size_t requests) {
        sink(control::ProbePlan{"to try each address that was found", requests});
    };
    listener.found = [&](const sync::FoundAddress& address) { sink(found_list(unit, address)); };
    auto surveying = sync::survey_service(unit.context(), configured_paths(unit), std::move(listener));
    auto found = co_await std::move(surveying);
    if (found.stopped) {
        co_return std::move(*found.stopped);
    }
    std::vector<std::string> paths;
    for (const auto& address : found.addresses) {
        if (address.verdict == sync::AddressVerdict::list) {
            paths.push_back(address.path);
        }
    }
    co_return paths;
}

// Whether the page of `identity`, or the usual one, also names the user: one request. An answer that shows nothing is
// left out, and so is none: the search has its result without it.
asio::awaitable<void> look_at_identity(LibraryUnit& unit, const control::ProbeSink& sink)
{
    const auto& service = unit.library().service;
    if (!service.introspection_path.empty() || (service.identity && !service.identity->user_field.empty())) {
        co_return;  // the user is known
    }
    control::FoundIdentity found{usual_identity_page, "id", "", service.identity.has_value()};
    if (service.identity) {
        found.path = service.identity->path;
        found.field = service.identity->field;
    }
    const auto target = sync::checked_target(service, found.path);
    if (!target) {
        co_return;
    }
    sink(control::ProbePlan{"to see whether a page names the user of the token", 1});
    sync::Inquiry inquiry(unit.context(), "", budget::Reason::probe);
    auto asking = inquiry.ask(*target);
    const auto answer = co_await std::move(asking);
    const auto page =
        answer && answer->status == 200 ? oauth::read_identity_page(answer->body, found.field) : oauth::IdentityPage();
    found.user_field = page.user_field;
    if (page.names_library && (!found.configured || !found.user_field.empty())) {
        sink(found);
    }
}

// `names`: those that are in use.
asio::awaitable<Result<void>> probe_lists(LibraryUnit& unit, control::ProbeRequest request, control::ProbeSink sink,
                                          config::ResourceNames names)
{
    using Extent = control::ProbeRequest::Extent;
    auto paths = std::move(request.paths);
    if (request.extent != Extent::lists) {
        auto finding = find_lists(unit, sink);
        SHELFD_CO_TRY_ASSIGN(found, co_await std::move(finding));
        auto looking = look_at_identity(unit, sink);
        co_await std::move(looking);
        if (request.extent == Extent::survey) {
            co_return Result<void>();
        }
        paths = std::move(found);
    } else if (paths.empty()) {
        paths = configured_paths(unit);
    }
    sink(control::ProbePlan{fmt::format("to explore {} list{}", paths.size(), paths.size() == 1 ? "" : "s"),
                            paths.size() * sync::max_probe_requests});
    for (const auto& typed : paths) {
        SHELFD_CO_TRY_ASSIGN(path, path_to_probe(unit, typed));
        SHELFD_CO_TRY_ASSIGN(target, sync::checked_target(unit.library().service, path));
        if (target.find('?') != std::string::npos) {
            co_return Error(ErrorKind::usage, fmt::format("{}: name the list without a query", typed));
        }
        const auto* known = find_resource(unit, typed);
        auto probing = sync::probe_list(unit.context(), std::move(target), known);
        SHELFD_CO_TRY_ASSIGN(findings, co_await std::move(probing));
        sink(probed_list(unit, findings, known, name_for(findings.path, known, names)));
    }
    co_return Result<void>();
}

}  // namespace

asio::awaitable<Result<control::GetReport>> get(LibraryUnit& unit, control::GetRequest request)
{
    return while_running(unit, ask(unit, std::move(request.path)));
}

asio::awaitable<Result<void>> verify(LibraryUnit& unit, control::VerifyRequest request, control::VerifySink sink)
{
    return while_running(unit, verify_rows(unit, std::move(request), std::move(sink)));
}

asio::awaitable<Result<void>> probe(LibraryUnit& unit, control::ProbeRequest request, control::ProbeSink sink,
                                    config::ResourceNames names)
{
    return while_running(unit, probe_lists(unit, std::move(request), std::move(sink), std::move(names)));
}

}  // namespace shelfd::app
