#include "sync/inquiry/probing.hpp"

#include "config/show.hpp"
#include "config/tree/toml_text.hpp"
#include "sync/inquiry/inquiry.hpp"
#include "sync/inquiry/window_probe.hpp"
#include "sync/service/envelope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace shelfd::sync {
namespace {

// Later than the date of any row.
constexpr Duration far_future = std::chrono::hours(24 * 3650);

std::string cost(const ListFindings& findings, std::optional<std::uint32_t> per_minute)
{
    const auto requests = findings.full_requests();
    if (findings.further == Further::cut) {
        return "a full pass: not possible with this configuration";
    }
    if (!requests) {
        return fmt::format("a full pass: as many requests as it has pages of {} rows; the number of rows is unknown",
                           findings.page_items);
    }
    auto text = fmt::format("a full pass: {} request{}", *requests, *requests == 1 ? "" : "s");
    if (per_minute && *per_minute > 0) {
        const auto minutes = static_cast<double>(*requests) / *per_minute;
        text += minutes < 1 ? fmt::format(", within a minute at {} a minute", *per_minute)
                            : fmt::format(", {:.1f} min at {} a minute", minutes, *per_minute);
    }
    return text;
}

std::string cut_end_of(const ListFindings& findings)
{
    constexpr auto cure =
        "if its parameters have other names, set `page_param` and `page_size_param`; if the documentation of the "
        "service says that it returns all rows at once, set answers = \"whole\"; otherwise split the list with "
        "`window`, `parent` or a filter in `params`";
    if (findings.count.value_or(0) > findings.page_items) {
        return fmt::format("end: the service counts {} rows, but returns {}, and no request returned others: {}",
                           *findings.count, findings.page_items, cure);
    }
    return fmt::format("end: not stated; it returns {} rows, and no request returned others or showed that there are "
                       "none: {}",
                       findings.page_items, cure);
}

// For a list that does not say where it ends.
std::string end_of(const ListFindings& findings)
{
    switch (findings.further) {
    case Further::page:
        return findings.more ? "end: not stated; further pages are requested by number"
                             : "end: not stated; the next page is empty, so the list is complete";
    case Further::page_from_0: return "end: not stated; further pages are requested by number, and the first is 0";
    case Further::offset:
        return findings.more ? "end: not stated; further rows are requested by offset and limit"
                             : "end: not stated; nothing follows at the next offset, so the list is complete";
    case Further::page_size: return "end: not stated; a larger page returns more rows";
    case Further::none: return "end: not stated; every request for more returns the same rows, so the list is complete";
    case Further::cut: return cut_end_of(findings);
    case Further::unknown: break;
    }
    return "";
}

std::string order_of(const ListFindings& findings)
{
    if (findings.envelope == Envelope::cursor) {
        return "order: by cursor; unless the cursors are the keys, newest first, a proof takes two walks";
    }
    if (!findings.newest_first) {
        return "order: this list does not show it";
    }
    return *findings.newest_first ? "order: newest key first, if requested"
                                  : "order: newest key first is ignored, so a proof takes two walks";
}

std::string filter_of(const ListFindings& findings)
{
    if (findings.filter) {
        return fmt::format("filter: {} works; incremental passes are possible", findings.filter->param);
    }
    return findings.ignored_filters.empty() ? "filter: no member shows when a row was changed, so none was tested"
                                            : fmt::format("filter: none of {} works; every pass walks the whole list",
                                                          fmt::join(findings.ignored_filters, ", "));
}

std::string detail_of(const ListFindings& findings)
{
    const auto* by = findings.has_address ? "their member url" : "path and key";
    if (!findings.detail_address) {
        return fmt::format("single items: not available by {}", by);
    }
    return findings.detail_members.empty() ? fmt::format("single items: by {}; no more members than the list", by)
                                           : fmt::format("single items: by {}; more members than the list: {}", by,
                                                         fmt::join(findings.detail_members, ", "));
}

std::string key_of(const ListFindings& findings)
{
    if (!findings.key.empty()) {
        return "key: " + findings.key;
    }
    return findings.key_candidates.empty()
               ? std::string("key: none found; `key` must name the members that form one")
               : fmt::format("key: no member of the rows is known as a key; members with unique values: {}; set `key`",
                             fmt::join(findings.key_candidates, ", "));
}

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

config::Incremental incremental_by(const ListFindings::Filter& filter)
{
    const bool days = filter.format == config::Incremental::Format::date;
    return {filter.param, filter.field, filter.format, std::chrono::hours(days ? 24 : 1)};
}

// How to request single items of the list at `path`, if they have more members than in the list.
std::optional<config::Detail> detail_by(const ListFindings& findings, const std::string& path)
{
    if (findings.detail_members.empty() || (!findings.has_address && findings.key.empty())) {
        return std::nullopt;
    }
    config::Detail detail;
    if (findings.has_address) {
        detail.url_field = "url";
    } else {
        const bool slash = path.ends_with('/');
        detail.path = fmt::format("{}{}{{{}}}{}", path, slash ? "" : "/", findings.key, slash ? "/" : "");
    }
    return detail;
}

// A full pass beyond this many requests takes half of a minute's limit of most services.
constexpr std::uint64_t many_requests = 50;

// A long list that is dated and grows: its old windows need not be walked for every change.
bool prefers_windows(const ListFindings& findings)
{
    return findings.window && findings.full_requests().value_or(0) >= many_requests;
}

std::string window_lines(const ListFindings::Window& window, const std::string& prefix)
{
    using config::quote;
    return fmt::format("{0}window = {{ from = {1}, to = {2}, field = {3}, step = \"{4}\", since = {5} }}{6}\n"
                       "{0}full = {{ at = [\"04:30\"], back = \"{7}\" }}\n"
                       "{0}settle = {{ every = \"30d\" }}\n",
                       prefix, quote(window.from), quote(window.to), quote(window.field), format_duration(window.step),
                       quote(window.since), window.is_oldest ? "" : "  # since: set the day of the first row",
                       format_duration(std::max<Duration>(2 * window.step, std::chrono::hours(24 * 14))));
}

std::string window_of(const ListFindings& findings)
{
    const auto& window = *findings.window;
    return fmt::format(
        "windows: {} and {} select rows by {}; {} {}", window.from, window.to, window.field,
        window.is_oldest ? "the oldest row is of" : "the oldest row is not known; guessed:", window.since);
}

std::string window_comment(const ListFindings& findings)
{
    return "# instead of `incremental` and `full`, if old rows hardly change:\n" + window_lines(*findings.window, "# ");
}

std::string new_block(const ListFindings& findings, const std::string& name)
{
    using config::quote;
    auto toml = fmt::format("[resource.{}]\npath = {}\n", name, quote(findings.path));
    if (findings.envelope == Envelope::object) {
        toml += "answers = \"object\"\n";
    }
    if (findings.key.empty()) {
        const auto candidates = findings.key_candidates.empty()
                                    ? std::string("no member was found that identifies a row")
                                    : fmt::format("a member that identifies a row; unique values have {}",
                                                  config::array_of(findings.key_candidates));
        toml += findings.page_items == 0 ? "# key = \"id\"  # no row shows its name\n"
                                         : fmt::format("# key = …  # {}\n", candidates);
    } else if (findings.key != "id") {
        toml += fmt::format("key = {}\n", quote(findings.key));
    }
    const bool in_windows = prefers_windows(findings);
    if (in_windows) {
        toml += "every = \"15m\"\n" + window_lines(*findings.window, "");
    } else if (findings.filter) {
        const auto filter = incremental_by(*findings.filter);
        const bool days = filter.format == config::Incremental::Format::date;
        toml += fmt::format("every = \"15m\"\nincremental = {{ param = {}, field = {}, format = \"{}\", overlap = "
                            "\"{}\" }}\nfull = {{ at = [\"03:30\"] }}\n",
                            quote(filter.param), quote(filter.field), days ? "date" : "datetime",
                            format_duration(filter.overlap));
    } else {
        const auto requests = findings.full_requests();
        toml += fmt::format("every = \"{}\"\n", requests && *requests <= 10 ? "1h" : "1d");
    }
    if (findings.window && !in_windows) {
        toml += window_comment(findings);
    }
    if (const auto detail = detail_by(findings, findings.path)) {
        const bool by_row = detail->path.empty();
        toml += fmt::format("detail = {{ {} = {} }}\n", by_row ? "url_field" : "path",
                            quote(by_row ? detail->url_field : detail->path));
    }
    return toml;
}

// Adds what was found and is not configured, if it is compatible.
config::Resource completed(config::Resource resource, const ListFindings& findings)
{
    const bool is_plain = !resource.incremental && !resource.window && !resource.detail;
    if (findings.envelope == Envelope::object && is_plain) {
        resource.answers = config::Answers::object;
    }
    if (resource.answers == config::Answers::object) {
        return resource;
    }
    if (findings.filter && !resource.incremental && !resource.window) {
        resource.incremental = incremental_by(*findings.filter);
    }
    const bool has_url = findings.has_address && !contains(resource.exclude, "url");
    const bool has_key = !findings.has_address && contains(resource.row_key(), findings.key);
    if (!resource.detail && (has_url || has_key)) {
        resource.detail = detail_by(findings, resource.path);
    }
    return resource;
}

std::string block_instead(const ListFindings& findings, const std::string& name, const config::Resource& known)
{
    auto toml = fmt::format(
        "# replaces the present [resource.{0}]; includes its values from defaults, vars and the library's own table\n"
        "[resource.{0}]\n"
        "{1}",
        name, config::show(completed(known, findings)));
    if (!findings.key.empty() && !contains(known.key, findings.key)) {
        toml += fmt::format("# key = {}  # also identifies a row\n", config::quote(findings.key));
    }
    if (findings.window && !known.window && known.answers != config::Answers::object) {
        toml += window_comment(findings);
    }
    return toml;
}

}  // namespace

asio::awaitable<Result<ListFindings>> probe_list(LibraryContext& context, std::string path,
                                                 const config::Resource* known)
{
    Inquiry inquiry(context, "", budget::Reason::probe);
    const auto params = known != nullptr ? known->params : std::map<std::string, std::string>();
    const auto future = context.clock.now() + far_future;
    ListProbe probe(context.library.service, std::move(path), future, params);
    for (auto question = probe.next(); question; question = probe.next()) {
        const auto token = question->wrong_token ? Inquiry::Token::wrong : Inquiry::Token::ours;
        auto outcome = co_await inquiry.ask(question->target, token);
        if (!outcome && (probe.findings().requests == 0 || inquiry.gave_up())) {
            co_return outcome.error();
        }
        auto hear = [&] { probe.hear(outcome); };
        co_await context.lane.run(hear);
    }
    auto findings = probe.findings();
    WindowProbe windows(context.library.service, findings, context.clock.now(), future, params);
    // What was found about the list counts without its windows, too.
    for (auto target = windows.next(); target && !inquiry.gave_up(); target = windows.next()) {
        const auto outcome = co_await inquiry.ask(*target);
        auto hear = [&] { windows.hear(outcome); };
        co_await context.lane.run(hear);
    }
    findings.window = windows.window();
    findings.requests += windows.requests();
    co_return findings;
}

std::vector<std::string> describe(const ListFindings& findings, std::optional<std::uint32_t> per_minute)
{
    if (!findings.trouble.empty()) {
        return {findings.trouble};
    }
    std::vector<std::string> lines;
    lines.push_back(fmt::format("kind: {}, {}", findings.envelope ? to_string(*findings.envelope) : "",
                                findings.count  ? fmt::format("{} rows", *findings.count)
                                : findings.more ? fmt::format("more than {} rows", findings.page_items)
                                                : fmt::format("{} rows", findings.page_items)));
    lines.push_back(key_of(findings));
    if (auto end = end_of(findings); !end.empty()) {
        lines.push_back(std::move(end));
    }
    lines.push_back(cost(findings, per_minute));
    if (findings.envelope != Envelope::array && findings.envelope != Envelope::object) {
        lines.push_back(order_of(findings));
        lines.push_back(filter_of(findings));
        if (findings.window) {
            lines.push_back(window_of(findings));
        }
    }
    lines.push_back(detail_of(findings));
    if (findings.refuses_wrong_token) {
        lines.push_back(*findings.refuses_wrong_token
                            ? "a wrong token: refused, so this list can show whether a token works"
                            : "a wrong token: NOT refused; without `identity` on another "
                              "page, nothing proves that the token is valid");
    }
    for (const auto& [member, contents] : findings.text_contents) {
        const auto cast = comparable(contents, member);
        lines.push_back(fmt::format("text: {} holds {}, and compares letter by letter in SQL{}", member,
                                    to_string(contents), cast.empty() ? "" : ": write " + cast));
    }
    lines.push_back(findings.personal.empty()
                        ? "personal data: none, judged by the names of members"
                        : fmt::format("personal data, judged by name: {}", fmt::join(findings.personal, ", ")));
    return lines;
}

bool needs_key(const ListFindings& findings)
{
    return findings.key.empty() && findings.page_items > 0 && findings.envelope != Envelope::object;
}

std::string to_toml(const ListFindings& findings, const std::string& name, const config::Resource* known)
{
    if (!findings.trouble.empty()) {
        return "";
    }
    auto toml = known != nullptr ? block_instead(findings, name, *known) : new_block(findings, name);
    if (!findings.personal.empty() && (known == nullptr || known->exclude.empty())) {
        toml += fmt::format("# exclude = {}  # personal data; excluded members are never written to disk\n",
                            config::array_of(findings.personal));
    }
    return toml;
}

}  // namespace shelfd::sync
