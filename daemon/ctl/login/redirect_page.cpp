#include "ctl/login/redirect_page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

std::string page(int status, std::string_view reason, std::string_view text)
{
    const auto body = fmt::format("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>shelfctl</title>\n"
                                  "<p>{}</p></html>\n",
                                  text);
    return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n"
                       "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{}",
                       status, reason, body.size(), body);
}

}  // namespace

RedirectAnswer answer_redirect(std::string_view head, std::string_view path, const Authorization& authorization)
{
    const auto line = head.substr(0, head.find('\r'));
    const auto begin = line.find(' ') + 1;
    const auto target = line.substr(begin, line.rfind(' ') - begin);
    const auto question = std::min(target.find('?'), target.size());
    if (!line.starts_with("GET ") || target.substr(0, question) != path) {
        return {page(404, "Not Found", "There is nothing at this address: shelfctl waits for a login to finish."),
                std::nullopt};
    }
    auto found = authorization.read_redirect(target.substr(std::min(question + 1, target.size())));
    if (!found) {
        return {page(400, "Bad Request",
                     "This belongs to another login. Open the address that shelfctl printed last. If several logins "
                     "run, paste the address of this page where the other login asks for it (shelfctl auth login "
                     "--paste)."),
                std::nullopt};
    }
    const auto* text = *found ? "Done here. The terminal shows the result; you may close this page."
                              : "The service refused the login. The terminal shows why; you may close this page.";
    return {page(200, "OK", text), std::move(found)};
}

}  // namespace shelfd::ctl
