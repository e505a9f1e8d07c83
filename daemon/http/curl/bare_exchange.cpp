#include "http/curl/bare_exchange.hpp"

#include <string_view>

#include <curl/curl.h>

namespace shelfd::http {
namespace {

// The largest record of TLS (RFC 8446 section 5.1).
constexpr std::size_t buffer_size = 16u << 10;

}  // namespace

BareExchange::BareExchange(void* easy, Secret request, IncomingAnswer& answer)
    : easy_(easy), request_(std::move(request)), unsent_(request_.reveal().size()), reader_(answer),
      buffer_(buffer_size, '\0')
{
}

BareExchange::~BareExchange()
{
    Secret::wipe(buffer_);
}

BareExchange::State BareExchange::advance()
{
    send();
    return receive();
}

void BareExchange::send()
{
    while (unsent_ > 0) {
        const auto all = request_.reveal();
        std::size_t taken = 0;
        const auto code = curl_easy_send(easy_, all.data() + (all.size() - unsent_), unsent_, &taken);
        if (code == CURLE_AGAIN) {
            return;
        }
        active_ = true;
        // A server may answer and close before it has read all: what it has said is received even then.
        unsent_ = code == CURLE_OK ? unsent_ - taken : 0;
    }
}

BareExchange::State BareExchange::receive()
{
    for (;;) {
        std::size_t size = 0;
        const auto code = curl_easy_recv(easy_, buffer_.data(), buffer_.size(), &size);
        if (code == CURLE_AGAIN) {
            return State::open;
        }
        if (code != CURLE_OK) {
            return State::broken;
        }
        if (size == 0) {
            return State::closed;
        }
        active_ = true;
        if (!reader_.take(std::string_view(buffer_).substr(0, size))) {
            return State::over;
        }
    }
}

}  // namespace shelfd::http
