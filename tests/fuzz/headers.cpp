// What an answer's headers say of waiting, limits, further pages and its end: lines of "name: value".
#include "budget/answer_facts.hpp"
#include "budget/limit_policies.hpp"
#include "fuzz/input.hpp"
#include "http/answer/body_end.hpp"
#include "http/client.hpp"
#include "http/link_header.hpp"
#include "http/url.hpp"

#include <string>

using namespace shelfd;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text_of(data, size);
    const auto now = Instant::from_seconds(1'704'520'800);
    http::Response response;
    response.status = 200;
    for (const auto line : fuzz::lines_of(text)) {
        const auto colon = line.find(':');
        if (colon != std::string_view::npos) {
            response.headers.push_back({std::string(line.substr(0, colon)), std::string(line.substr(colon + 1))});
        }
    }
    if (const auto wait = http::retry_after(response, now)) {
        promise(*wait >= Duration(0), "nobody waits for the past");
        promise(now + *wait >= now, "a wait has an end");
    }
    http::BodyEnd end(response.status, response.headers);
    end.take(text);
    promise(!end.is_over() || end.is_whole(), "a transfer is ended for a whole object only");
    promise(!end.is_whole() || end.is_complete(http::Ending::broken), "a whole object is an answer");
    const auto facts =
        budget::read_rate_limit([&response](std::string_view name) { return response.header(name); }, now);
    promise(!facts.limit || *facts.limit <= 1'000'000'000, "a limit is a number of requests");  // 0 counts as 1 later
    if (facts.reset) {
        promise(now + *facts.reset >= now, "a limit's reset is not in the past, and has an end");
    }
    for (const auto& policy : budget::read_policies(text)) {
        const auto quota = budget::per_minute(policy);
        promise(!quota || *quota >= 1, "a quota lets one request through");
        promise(!policy.window || *policy.window > 0, "a window has a length");
    }
    if (const auto target = http::link_target(text, "next")) {
        promise(text.find(*target) != std::string_view::npos, "a link's target is as it was written");
        const auto params = http::parse_query(http::query_of(*target));
        promise(http::parse_query(http::format_query(params)) == params, "a query is written and read as the same");
    }
    if (const auto url = http::parse_url(text)) {
        const auto again = http::parse_url(url->text());
        promise(again && *again == *url, "an address is written and read as the same");
    }
    return 0;
}
