#include "sim/pages.hpp"

#include "sim/json.hpp"

#include <fmt/format.h>

namespace shelfd::sim {

Reply django_page(int status)
{
    std::string title = fmt::format("{} ({})", reason_of(status), status);
    std::string_view details;
    if (status == 404) {
        title = "Not Found";
        details = "The requested resource was not found on this server.";
    } else if (status == 500) {
        title = "Server Error (500)";
    }
    auto body = fmt::format("\n<!doctype html>\n<html lang=\"en\">\n<head>\n  <title>{0}</title>\n</head>\n<body>\n"
                            "  <h1>{0}</h1><p>{1}</p>\n</body>\n</html>\n",
                            title, details);
    return {.status = status, .content_type = "text/html", .body = std::move(body), .headers = {}};
}

Reply nginx_page(int status)
{
    auto body =
        fmt::format("<html>\r\n<head><title>{0} {1}</title></head>\r\n<body>\r\n<center><h1>{0} {1}</h1></center>"
                    "\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n",
                    status, reason_of(status));
    return {.status = status, .content_type = "text/html", .body = std::move(body), .headers = {}};
}

Reply api_json(int status, std::string body)
{
    return {.status = status,
            .content_type = "application/json",
            .body = std::move(body),
            .headers = {{"Vary", "Accept"}, {"Allow", "GET, HEAD, OPTIONS"}}};
}

Reply refusal(int status, std::string_view detail)
{
    return api_json(status, to_text(Json::object({{"detail", std::string(detail)}})));
}

std::string escape_html(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char byte : text) {
        switch (byte) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#x27;"; break;
        default: out += byte;
        }
    }
    return out;
}

Reply html_page(int status, std::string_view title, std::string_view body)
{
    auto page =
        fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>{0}</title></head>\n<body>\n<h1>{0}</h1>\n"
                    "{1}\n</body>\n</html>\n",
                    escape_html(title), body);
    return {.status = status, .content_type = "text/html; charset=utf-8", .body = std::move(page), .headers = {}};
}

Reply browsable_page(const Reply& json, const Request& request)
{
    const auto path = escape_html(request.path());
    std::string shown = fmt::format("<b>HTTP {} {}</b>\n", json.status, reason_of(json.status));
    for (const auto& header : json.headers) {
        shown += fmt::format("<b>{}:</b> <span class=\"lit\">{}</span>\n", header.name, escape_html(header.value));
    }
    auto body = fmt::format("<div class=\"request-info\"><pre class=\"prettyprint\"><b>{} {}</b></pre></div>\n"
                            "<div class=\"response-info\"><pre class=\"prettyprint\">{}\n{}</pre></div>",
                            escape_html(request.method), path, shown, escape_html(json.body));
    auto page = html_page(json.status, "Django REST framework", body);
    page.headers = json.headers;
    return page;
}

Reply redirect(int status, std::string location)
{
    return {.status = status,
            .content_type = "text/html; charset=utf-8",
            .body = "",
            .headers = {{"Location", std::move(location)}}};
}

}  // namespace shelfd::sim
