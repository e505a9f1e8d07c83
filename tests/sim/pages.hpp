// The fixed bodies: Django's and nginx's HTML pages, DRF's refusals, DRF's browsable page.
#pragma once

#include "sim/message.hpp"

#include <string>
#include <string_view>

namespace shelfd::sim {

// Django's page without DEBUG: 179 bytes for 404, 145 for 500.
Reply django_page(int status);
// What a proxy in front of the application says by itself.
Reply nginx_page(int status);
// {"detail":"…"} with the headers of every DRF answer.
Reply refusal(int status, std::string_view detail);
// JSON of an API view, with the headers of every DRF answer.
Reply api_json(int status, std::string body);
// The same answer for a person with a web browser, who accepts text/html.
Reply browsable_page(const Reply& json, const Request& request);
// A few words in HTML.
Reply html_page(int status, std::string_view title, std::string_view body);
Reply redirect(int status, std::string location);

std::string escape_html(std::string_view text);

}  // namespace shelfd::sim
