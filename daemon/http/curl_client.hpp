// The network itself: http::Client over libcurl.
#pragma once

#include "http/client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

namespace shelfd::http {

class CurlMulti;

// HTTP/1.1 only; certificates always verified; no redirects, no proxy but the request's, nothing from the environment.
// A GET on a shared connection may be sent more than once by libcurl (the response counts it); a POST never is.
// No limit on requests at once. Host names are looked up in a thread of libcurl's, numeric addresses and unix sockets
// need none. Loop only; every send() must have ended, or its loop be gone, when the client dies.
class CurlClient final : public Client {
public:
    static Result<std::unique_ptr<CurlClient>> open(asio::any_io_executor executor, std::string user_agent);
    ~CurlClient() override;

    asio::awaitable<Result<Response>> send(Request request) override;

private:
    CurlClient(std::shared_ptr<CurlMulti> multi, std::string user_agent);

    std::shared_ptr<CurlMulti> multi_;
    std::string user_agent_;
};

}  // namespace shelfd::http
