#include "sync/probing.hpp"

#include "sync/envelope.hpp"
#include "sync/inquiry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace shelfd::sync {
namespace {

// No row was changed later than that.
constexpr Duration far_future = std::chrono::hours(24 * 3650);

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out + '"';
}

std::string list_of(const std::vector<std::string>& words)
{
    std::vector<std::string> all;
    for (const auto& word : words) {
        all.push_back(quoted(word));
    }
    return fmt::format("[{}]", fmt::join(all, ", "));
}

// What probing says nothing about.
std::string kept_of(const config::Resource& known)
{
    std::string toml;
    if (!known.params.empty()) {
        std::vector<std::string> all;
        for (const auto& [param, value] : known.params) {
            all.push_back(fmt::format("{} = {}", quoted(param), quoted(value)));
        }
        toml += fmt::format("params = {{ {} }}\n", fmt::join(all, ", "));
    }
    if (!known.needs.empty()) {
        toml += fmt::format("needs = {}\n", quoted(known.needs));
    }
    if (!known.exclude.empty()) {
        toml += fmt::format("exclude = {}\n", list_of(known.exclude));
    }
    return toml;
}

std::string cost(const ListFindings& findings, std::optional<std::uint32_t> per_minute)
{
    const auto requests = findings.full_requests();
    if (!requests) {
        return "a pass over all of it: as many requests as it has pages, which nobody counts";
    }
    auto text = fmt::format("a pass over all of it: {} request{}", *requests, *requests == 1 ? "" : "s");
    if (per_minute && *per_minute > 0) {
        const auto minutes = static_cast<double>(*requests) / *per_minute;
        text += minutes < 1 ? fmt::format(", within a minute at {} a minute", *per_minute)
                            : fmt::format(", {:.1f} min at {} a minute", minutes, *per_minute);
    }
    return text;
}

std::string order_of(const ListFindings& findings)
{
    if (findings.envelope == to_string(Envelope::cursor)) {
        return "order: of no matter, for a cursor keeps its place";
    }
    if (!findings.newest_first) {
        return "order: cannot be told from this list";
    }
    return *findings.newest_first ? "order: newest key first, when asked for"
                                  : "order: the wish for newest key first is not heard, so proof takes two walks";
}

std::string filter_of(const ListFindings& findings)
{
    if (findings.filter) {
        return fmt::format("filter: {} works; passes may ask for changes alone", findings.filter->param);
    }
    return findings.ignored_filters.empty() ? "filter: no member tells when a row was changed, so none was tried"
                                            : fmt::format("filter: none of {} works; every pass walks the whole list",
                                                          fmt::join(findings.ignored_filters, ", "));
}

std::string detail_of(const ListFindings& findings)
{
    const auto* by = findings.has_address ? "their member url" : "path and key";
    if (!findings.detail_address) {
        return fmt::format("single items: not there by {}", by);
    }
    return findings.detail_members.empty()
               ? fmt::format("single items: by {}; they tell nothing more than the list", by)
               : fmt::format("single items: by {}; they tell more than the list: {}", by,
                             fmt::join(findings.detail_members, ", "));
}

}  // namespace

asio::awaitable<Result<ListFindings>> probe_list(LibraryContext& context, std::string path,
                                                 const config::Resource* known)
{
    Inquiry inquiry(context, "", budget::Reason::probe);
    ListProbe probe(context.library.service, std::move(path), context.clock.now() + far_future,
                    known != nullptr ? known->params : std::map<std::string, std::string>());
    for (auto question = probe.next(); question; question = probe.next()) {
        const auto token = question->wrong_token ? Inquiry::Token::wrong : Inquiry::Token::ours;
        auto outcome = co_await inquiry.ask(question->target, token);
        if (!outcome && probe.findings().requests == 0) {
            co_return outcome.error();
        }
        auto hear = [&] { probe.hear(outcome); };
        co_await context.lane.run(hear);
    }
    co_return probe.findings();
}

std::vector<std::string> describe(const ListFindings& findings, std::optional<std::uint32_t> per_minute)
{
    if (!findings.trouble.empty()) {
        return {findings.trouble};
    }
    std::vector<std::string> lines;
    lines.push_back(fmt::format("kind: {}, {}", findings.envelope,
                                findings.count  ? fmt::format("{} rows", *findings.count)
                                : findings.more ? fmt::format("more than {} rows", findings.page_items)
                                                : fmt::format("{} rows", findings.page_items)));
    lines.push_back(findings.key.empty() ? "key: none was found; `key` must name the members that make one"
                                         : "key: " + findings.key);
    lines.push_back(cost(findings, per_minute));
    if (findings.envelope != "array" && findings.envelope != "object") {
        lines.push_back(order_of(findings));
        lines.push_back(filter_of(findings));
    }
    lines.push_back(detail_of(findings));
    if (findings.refuses_wrong_token) {
        lines.push_back(*findings.refuses_wrong_token
                            ? "a wrong token: refused, so this list may serve as canary"
                            : "a wrong token: NOT refused; without `identity` elsewhere nothing proves who we are");
    }
    lines.push_back(findings.personal.empty()
                        ? "personal data: none by the names of members"
                        : fmt::format("personal data, by name: {}", fmt::join(findings.personal, ", ")));
    return lines;
}

std::string to_toml(const ListFindings& findings, const std::string& name, const config::Resource* known)
{
    if (!findings.trouble.empty()) {
        return "";
    }
    const auto* parent = known != nullptr && known->parent ? &*known->parent : nullptr;
    std::string toml = known != nullptr ? fmt::format("# instead of the [resource.{}] that is there\n", name) : "";
    toml += fmt::format("[resource.{}]\npath = {}\n", name, quoted(parent != nullptr ? known->path : findings.path));
    if (known != nullptr) {
        toml += kept_of(*known);
    }
    if (parent != nullptr) {
        toml += fmt::format("parent = {{ resource = {}, key = {}, as = {} }}\n", quoted(parent->resource),
                            quoted(parent->key), quoted(parent->as));
    }
    if (findings.envelope == "object") {
        toml += "answers = \"object\"\n";
    }
    if (findings.key.empty()) {
        toml += findings.page_items == 0 ? "# key = \"id\"  # there is no row that would show what it is called\n"
                                         : "# key = …  # no member was found that names a row\n";
    } else if (findings.key != "id") {
        toml += fmt::format("key = {}\n", quoted(findings.key));
    }
    if (findings.filter) {
        const auto& filter = *findings.filter;
        const bool days = filter.format == config::Incremental::Format::date;
        toml += fmt::format("every = \"15m\"\nincremental = {{ param = {}, field = {}, format = \"{}\", overlap = "
                            "\"{}\" }}\nfull = {{ at = [\"03:30\"] }}\n",
                            quoted(filter.param), quoted(filter.field), days ? "date" : "datetime", days ? "1d" : "1h");
    } else {
        const auto requests = findings.full_requests();
        toml += fmt::format("every = \"{}\"\n", requests && *requests <= 10 ? "1h" : "1d");
    }
    if (!findings.detail_members.empty() && findings.has_address) {
        toml += "detail = { url_field = \"url\" }\n";
    } else if (!findings.detail_members.empty() && !findings.key.empty()) {
        const bool slash = findings.path.ends_with('/');
        toml += fmt::format(
            "detail = {{ path = {} }}\n",
            quoted(fmt::format("{}{}{{{}}}{}", findings.path, slash ? "" : "/", findings.key, slash ? "/" : "")));
    }
    if (!findings.personal.empty() && (known == nullptr || known->exclude.empty())) {
        toml +=
            fmt::format("# exclude = {}  # personal data, never written to disk then\n", list_of(findings.personal));
    }
    return toml;
}

std::string resource_name(const std::string& path)
{
    auto rest = path;
    while (rest.ends_with('/')) {
        rest.pop_back();
    }
    const auto slash = rest.rfind('/');
    std::string name;
    for (const char c : slash == std::string::npos ? rest : rest.substr(slash + 1)) {
        const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : lower ? c : '_';
    }
    if (name.empty() || name.front() < 'a' || name.front() > 'z' || name == "freshness" ||
        name.starts_with("sqlite_")) {
        name = "list_" + name;
    }
    return name.substr(0, 41);
}

}  // namespace shelfd::sync
