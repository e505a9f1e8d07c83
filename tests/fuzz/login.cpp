// What comes back from a login: as a person pastes it, as a browser's request brings it, and as the code or the error
// in a query that is whole.
#include "base/text.hpp"
#include "ctl/login/authorization.hpp"
#include "ctl/login/redirect_page.hpp"
#include "fuzz/input.hpp"
#include "http/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

using namespace shelfd;
using namespace shelfd::ctl;
using fuzz::promise;

namespace {

constexpr std::string_view path = "/back/";
constexpr std::string_view state = "AAECAwQFBgcICQoLDA0ODw";  // of the bytes 0 to 15

Authorization make_login()
{
    const auto count_up = [](std::span<std::byte> bytes) {
        int next = 0;
        std::generate(bytes.begin(), bytes.end(), [&next] { return static_cast<std::byte>(next++); });
    };
    return Authorization({"https://app.example.com/oauth/authorize/",
                          "a client",
                          "http://127.0.0.1:8123" + std::string(path),
                          {"accounts", "library"}},
                         count_up);
}

bool is_code(std::string_view text)
{
    return !text.empty() && text.size() <= 4096 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; });
}

bool is_same(const Result<Secret>& one, const Result<Secret>& other)
{
    return one && other ? one->equals(*other) : !one && !other && one.error().text() == other.error().text();
}

void check(const Result<Secret>& code, std::string_view text)
{
    if (code) {
        promise(is_code(code->reveal()), "a code can go into a form");
        return;
    }
    promise(!code.error().text().empty(), "what is no code has a reason");
    promise(!fuzz::quotes(code.error().text(), text), "which quotes nothing of it");
}

// The text as a member of a query that a service may send.
void check_member(const Authorization& login, std::string_view text)
{
    const auto ours = "&state=" + std::string(state);
    const auto with_code = "code=" + http::percent_encode(text);
    const auto code = login.read_redirect(with_code + ours);
    promise(code.has_value() == is_code(text), "a redirect brings a code, or none");
    promise(!code || (*code && (*code)->reveal() == text), "which is the one that was sent");
    promise(!login.read_redirect(with_code + "&state=" + std::string(state.substr(1))), "another login's is not taken");
    const auto pasted = login.read_paste("https://app.example.com/code/?" + with_code + ours + "#top");
    promise(pasted.has_value() == is_code(text), "a person may paste the same");
    const auto refused = login.read_redirect("error=" + http::percent_encode(text) + ours + "&code=abc");
    promise(refused && refused->has_value() == text.empty(), "an error is no code");
    check(*refused, text);
}

void check_request(const Authorization& login, std::string_view head)
{
    static std::set<std::string> seen;
    const auto answer = answer_redirect(head, path, login);
    seen.insert(answer.response);
    promise(seen.size() <= 4, "a page says what became of the request, and nothing of what was in it");
    promise(!answer.outcome || answer.response.starts_with("HTTP/1.1 200 "), "who brings an end gets a page");
    const auto body = answer.response.find("\r\n\r\n");
    promise(answer.response.find(fmt::format("Content-Length: {}\r\n", answer.response.size() - body - 4)) < body,
            "a page is as long as it says");
    if (answer.outcome) {
        check(*answer.outcome, head);
        promise(head.starts_with("GET " + std::string(path) + "?"), "only the path of the redirect counts");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto login = make_login();
    const auto text = fuzz::text_of(data, size);
    const auto pasted = login.read_paste(text);
    check(pasted, text);
    promise(!is_code(text) || text.find_first_of("?:=") != text.npos || (pasted && pasted->reveal() == text),
            "a code alone is taken");
    if (const auto redirected = login.read_redirect(text)) {
        check(*redirected, text);
        promise(text.find_first_of("?#") != text.npos || trimmed(text).size() != text.size() ||
                    is_same(login.read_paste("?" + std::string(text)), *redirected),
                "a person and a browser bring the same");
        const auto answer =
            answer_redirect("GET " + std::string(path) + "?" + std::string(text) + " HTTP/1.1\r\n\r\n", path, login);
        promise(text.find('\r') != text.npos || (answer.outcome && is_same(*answer.outcome, *redirected)),
                "the query of a request is read whole");
    }
    check_member(login, text);
    check_request(login, text);
    check_request(login, "GET " + std::string(path) + std::string(text));
    return 0;
}
