// Turns a CURLcode into an Error: a kind, how far the request got, and a text without secrets.
#pragma once

#include "http/client.hpp"

#include <string>

namespace shelfd::http {

struct CurlFailure {
    int code = 0;                      // CURLcode
    std::string place;                 // "api.example.com:443"
    std::string words;                 // text of libcurl's error buffer
    bool has_unusable_length = false;  // the answer's Content-Length is no number of bytes, or several that differ
    Delivery delivery = Delivery::perhaps_sent;
    int os_error = 0;
    int tunnel_status = 0;  // status of a proxy's answer to CONNECT
    long verification = 0;  // result of OpenSSL's verification of the certificates; 0 = they are in order
};

Error describe_failure(const CurlFailure& failure, const Timeouts& timeouts, const Route& route);

// "60 s", "250 ms"
std::string describe_limit(Duration limit);

}  // namespace shelfd::http
