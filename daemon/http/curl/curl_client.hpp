// http::Client over libcurl: the real network.
#pragma once

#include "http/client.hpp"
#include "http/curl/open_connections.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

namespace shelfd::http {

class CurlMulti;

// HTTP/1.1 only; certificates are always verified; no redirects, no proxy except the request's, nothing from the
// environment. libcurl may send a GET on a shared connection more than once (the response counts it); a POST never.
// For Coding::as_sent libcurl only connects: what is sent and received there is decided here.
// No limit on concurrent requests. libcurl looks up host names in a thread of its own; numeric addresses and unix
// sockets need none. Loop only; every send() must have ended, or its loop been destroyed, before the client is
// destroyed.
class CurlClient final : public Client {
public:
    static Result<std::unique_ptr<CurlClient>> open(asio::any_io_executor executor, std::string user_agent);
    ~CurlClient() override;

    asio::awaitable<Result<Response>> send(Request request) override;

private:
    CurlClient(std::shared_ptr<CurlMulti> multi, std::string user_agent);
    asio::awaitable<Result<Response>> send_bare(Request request);

    std::shared_ptr<CurlMulti> multi_;
    OpenConnections connections_;
    std::string user_agent_;
};

}  // namespace shelfd::http
