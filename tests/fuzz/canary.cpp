// What the canary's answer says of a token. The first byte chooses the status, the second one what the canary knows of
// the library; then lines of "name: value", a blank line and the body.
#include "oauth/endpoint/canary.hpp"
#include "base/text.hpp"
#include "fuzz/input.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"

#include <algorithm>
#include <array>
#include <string>

using namespace shelfd;
using namespace shelfd::oauth;
using fuzz::promise;

namespace {

constexpr std::array<int, 20> statuses = {200, 201, 204, 299, 301, 302, 308, 400, 401, 403,
                                          404, 408, 410, 418, 425, 429, 500, 502, 503, 100};
constexpr std::array<const char*, 4> fields = {"", "id", "library.id", "a.b.c"};
constexpr std::array<const char*, 3> ids = {"", "42", "antwerp"};

CanarySpec spec_of(unsigned byte)
{
    CanarySpec spec;
    spec.url = "https://api.test/library/";
    spec.identity_field = fields[byte % fields.size()];
    spec.library_id = ids[byte / fields.size() % ids.size()];
    spec.setting = "identity.path";
    return spec;
}

http::Response response_of(unsigned byte, std::string_view text)
{
    http::Response response;
    response.status = statuses[byte % statuses.size()];
    const auto blank = text.starts_with('\n') ? 0 : text.find("\n\n");
    for (const auto line : fuzz::lines_of(text.substr(0, blank))) {
        const auto colon = line.find(':');
        if (colon != std::string_view::npos) {
            response.headers.push_back({std::string(line.substr(0, colon)), std::string(line.substr(colon + 1))});
        }
    }
    if (blank != std::string_view::npos) {
        response.body = text.substr(blank + (blank == 0 ? 1 : 2));
    }
    return response;
}

// The member as another reader finds it; nullopt where there is none. That reader does not check UTF-8, so it gets only
// ASCII.
std::optional<std::string> text_at(std::string_view json, std::string_view path)
{
    if (std::any_of(json.begin(), json.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7f; })) {
        return std::nullopt;
    }
    std::vector<mirror::Member> members;
    if (mirror::parse_members(json, members) != nullptr) {
        return std::nullopt;
    }
    const auto name = path.substr(0, path.find('.'));
    std::optional<mirror::Member> found;
    for (const auto& member : members) {
        std::string key;
        if (mirror::unescape(member.key, key) != mirror::Fidelity::exact) {
            return std::nullopt;
        }
        found = key == name ? member : found;
    }
    if (!found) {
        return std::nullopt;
    }
    if (name.size() < path.size()) {
        return text_at(found->value, path.substr(name.size() + 1));
    }
    std::string text;
    if (found->type != mirror::JsonType::string || mirror::unescape(found->inside(), text) != mirror::Fidelity::exact) {
        return std::nullopt;
    }
    return text;
}

// In any of its spellings: X-Retry-After, Retry-After-Ms and so on.
bool has_retry_after(const http::Response& response)
{
    return std::any_of(response.headers.begin(), response.headers.end(),
                       [](const auto& header) { return lower(header.name).find("retry-after") != std::string::npos; });
}

void check_answer(const CanarySpec& spec, const http::Response& response, const CanaryReading& reading)
{
    const auto status = response.status;
    const bool is_success = status >= 200 && status < 300;
    const bool is_named = !spec.identity_field.empty();
    switch (reading.answer) {
    case CanaryAnswer::ours:
        promise(is_success && reading.library_id.empty() == !is_named, "who a token answers as is known");
        promise(!is_named || spec.library_id.empty() || spec.library_id == reading.library_id, "and who it must");
        break;
    case CanaryAnswer::wrong_library:
        promise(is_success && !spec.library_id.empty() && spec.library_id != reading.library_id,
                "another library is another one");
        break;
    case CanaryAnswer::refused:
    case CanaryAnswer::refused_as_invalid: promise(status == 401, "a token is refused by a 401 only"); break;
    case CanaryAnswer::forbidden: promise(status == 403, "and forbidden to ask by a 403"); break;
    case CanaryAnswer::throttled:
        promise(status == 429 || status == 420 || status == 403 || status == 503 ||
                    (status >= 400 && status < 500 && status != 401 && has_retry_after(response)),
                "a limit is used up only where the service says so");
        break;
    case CanaryAnswer::unreachable: break;
    }
    promise(!reading.misconfigured || reading.answer == CanaryAnswer::unreachable, "a wrong address proves nothing");
    promise(!reading.text.empty(), "each answer has a sentence");
    promise(!reading.retry_after || *reading.retry_after >= Duration(0), "nobody waits for the past");
}

void check_challenge(const std::string& header)
{
    const auto challenge = read_challenge(header);
    auto upper = header;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    promise(read_challenge(upper) == challenge, "a challenge means the same in any letters");
    promise(read_challenge("Basic realm=\"x\", " + header) == challenge, "and behind one of another scheme");
    promise(challenge != Challenge::not_bearer || read_challenge("Bearer, " + header) != Challenge::not_bearer,
            "a bearer challenge is one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2) {
        return 0;
    }
    const auto spec = spec_of(data[1]);
    const auto response = response_of(data[0], fuzz::text_of(data + 2, size - 2));
    const auto reading = read_canary(spec, response, Instant::from_seconds(1'704'520'800));
    check_answer(spec, response, reading);
    auto quotable = reading.text;
    if (!reading.library_id.empty()) {
        const auto at = quotable.find(reading.library_id);
        promise(at != std::string::npos, "a sentence names the library");
        quotable.erase(at, reading.library_id.size());
    }
    promise(!fuzz::quotes(quotable, response.body), "a sentence quotes nothing of an answer but the library");
    const auto checked = check_reading(reading);
    promise(checked.has_value() == (reading.answer == CanaryAnswer::ours), "only a set that is ours is taken");
    promise(checked || checked.error().text().find(reading.text) != std::string::npos, "a refusal says why");
    const bool is_success = response.status >= 200 && response.status < 300;
    if (const auto id = text_at(response.body, spec.identity_field); is_success && id && !spec.identity_field.empty()) {
        constexpr std::size_t longest = 200;
        promise(reading.library_id == (id->size() <= longest ? *id : ""),
                "the library is the one that another reader finds, unless nobody would call it so");
    }
    check_challenge(response.joined("WWW-Authenticate"));
    return 0;
}
