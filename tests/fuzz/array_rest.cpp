// What the headers of a bare array say of the rest of its list: lines of "name: value".
#include "base/words/digits.hpp"
#include "fuzz/input.hpp"
#include "http/target_length.hpp"
#include "http/url.hpp"
#include "sync/service/bare_array.hpp"
#include "sync/service/page_queries.hpp"

#include <algorithm>
#include <string>

using namespace shelfd;
using fuzz::promise;

namespace {

http::Response response_of(std::string_view text)
{
    http::Response response;
    response.status = 200;
    for (const auto line : fuzz::lines_of(text)) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) {
            continue;
        }
        // As the network layer does it: a value has no blanks around it.
        auto value = line.substr(colon + 1);
        value.remove_prefix(std::min(value.find_first_not_of(" \t\r"), value.size()));
        value = value.substr(0, value.find_last_not_of(" \t\r") + 1);
        response.headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
    }
    return response;
}

void check_total(const http::Response& response, std::uint64_t total)
{
    const auto digits = std::to_string(total);
    const bool is_sent = std::any_of(response.headers.begin(), response.headers.end(), [&](const http::Header& header) {
        return header.value.find(digits) != std::string::npos;
    });
    promise(is_sent, "a total is one that the service sent");
}

void check_next(const http::Response& response, const std::string& next)
{
    promise(!next.empty() && next.size() < http::max_target, "a next page can be asked for");
    promise(next.find('#') == std::string::npos, "its query has no fragment");
    promise(response.joined("Link").find("?" + next) != std::string::npos, "it stands in Link as it is");
    for (const std::string_view name : {"page", "p"}) {
        const auto behind = http::parse_query(sync::query_behind(next, name));
        const auto is_page = [&](const http::Param& param) { return param.name == name; };
        promise(std::count_if(behind.begin(), behind.end(), is_page) == 1, "the page behind it has one number");
        auto others = http::parse_query(next);
        std::erase_if(others, is_page);
        auto kept = behind;
        std::erase_if(kept, is_page);
        promise(kept == others, "and asks for the same otherwise");
    }
}

// What the reader says, as a service would say it.
void check_again(const sync::ArrayRest& rest)
{
    http::Response response;
    if (rest.next_query) {
        response.headers.push_back({"Link", "</first>; rel=first"});
        response.headers.push_back({"LINK", "</list/?" + *rest.next_query + ">; title=\"a, b; c\"; rel=\"last next\""});
    }
    if (rest.total) {
        response.headers.push_back({"Content-Range", "items 0-9/" + std::to_string(*rest.total)});
    }
    const auto again = sync::rest_of_array(response);
    promise(again && again->next_query == rest.next_query && again->total == rest.total,
            "the rest of a list is written and read as the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto response = response_of(fuzz::text_of(data, size));
    const auto rest = sync::rest_of_array(response);
    if (!rest) {
        promise(rest.error().kind() == ErrorKind::config && !rest.error().text().empty(),
                "a next page that cannot be followed is a matter of the configuration");
        return 0;
    }
    if (rest->total) {
        check_total(response, *rest->total);
    }
    if (const auto total = number_in(response.header("X-Total-Count"))) {
        promise(rest->total == total, "a plain count counts first");
    }
    if (rest->next_query) {
        check_next(response, *rest->next_query);
    }
    check_again(*rest);
    return 0;
}
