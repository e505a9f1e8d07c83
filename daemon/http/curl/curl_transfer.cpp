#include "http/curl/curl_transfer.hpp"

#include "http/curl/bare_request.hpp"
#include "http/curl/connection_options.hpp"
#include "http/curl/curl_errors.hpp"
#include "http/target_length.hpp"
#include "http/url.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/task_group.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include <curl/curl.h>
#include <fmt/format.h>

namespace shelfd::http {
namespace {

CurlTransfer& transfer_of(void* self)
{
    return *static_cast<CurlTransfer*>(self);
}

// A token answer, which is sent only once, must not be lost because the process is killed for lack of memory while its
// heap grows. Less than malloc's M_TRIM_THRESHOLD (128 KiB), so the process keeps it; written to, so the kernel really
// provides it.
void make_room_in_heap()
{
    constexpr std::size_t room = 96u << 10;
    constexpr std::size_t page = 4u << 10;
    const std::unique_ptr<volatile char[]> taken(new (std::nothrow) volatile char[room]);
    for (std::size_t i = 0; taken && i < room; i += page) {
        taken[i] = 1;
    }
}

}  // namespace

CurlTransfer::CurlTransfer(Request request)
    : request_(std::move(request)), easy_(curl_easy_init()), error_text_(CURL_ERROR_SIZE, '\0'), answer_(request_)
{
}

CurlTransfer::~CurlTransfer()
{
    curl_easy_cleanup(easy_);
}

Result<std::unique_ptr<CurlTransfer>> CurlTransfer::prepare(Request request, const std::string& user_agent)
{
    if (request.url.size() > max_target) {
        return Error(ErrorKind::usage, fmt::format("an address of {} bytes, longer than the {} that servers accept",
                                                   request.url.size(), max_target))
            .with(Delivery::not_sent);
    }
    const auto url = parse_url(request.url);
    if (!url) {
        return Error(url.error()).with(Delivery::not_sent);
    }
    std::unique_ptr<CurlTransfer> transfer(new CurlTransfer(std::move(request)));
    if (transfer->easy_ == nullptr) {
        return Error(ErrorKind::network, "libcurl has no memory for a transfer").with(Delivery::not_sent);
    }
    transfer->place_ = fmt::format("{}:{}", url->origin.host, url->origin.port);
    set_connection_options(transfer->easy_, transfer->request_);
    curl_easy_setopt(transfer->easy_, CURLOPT_ERRORBUFFER, transfer->error_text_.data());
    SHELFD_TRY(transfer->headers_.fill(transfer->request_));
    if (transfer->is_bare()) {
        curl_easy_setopt(transfer->easy_, CURLOPT_CONNECT_ONLY, 1L);
        transfer->bare_request_ = bare_request(transfer->request_, *url, transfer->headers_, user_agent);
        return transfer;
    }
    transfer->set_transfer();
    curl_easy_setopt(transfer->easy_, CURLOPT_USERAGENT, user_agent.c_str());
    curl_easy_setopt(transfer->easy_, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(transfer->headers_.lines()));
    return transfer;
}

void CurlTransfer::set_transfer()
{
    // libcurl repeats a request by itself when a reused connection turns out dead. For a POST that would be a second
    // action, so a POST always gets a new connection.
    if (request_.connection == Connection::one_shot || request_.method == Method::post) {
        curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE, 1L);
    } else {
        // Less than one second: some servers close after two idle seconds, and a close that crosses a request costs a
        // second request of the budget.
        curl_easy_setopt(easy_, CURLOPT_MAXAGE_CONN, 0L);
    }
    curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, &CurlTransfer::on_request);
    curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
    curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
    curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
    curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
    if (request_.method == Method::post) {
        curl_easy_setopt(easy_, CURLOPT_POST, 1L);
        // Without a size the body would be sent chunked, which some servers do not read.
        curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.reveal().size()));
        curl_easy_setopt(easy_, CURLOPT_READFUNCTION, &CurlTransfer::on_upload);
        curl_easy_setopt(easy_, CURLOPT_READDATA, this);
        curl_easy_setopt(easy_, CURLOPT_SEEKFUNCTION, &CurlTransfer::on_rewind);
        curl_easy_setopt(easy_, CURLOPT_SEEKDATA, this);
    } else {
        curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request_.method == Method::options ? "OPTIONS" : nullptr);
        // Pages of lists are large: with libcurl's default of 16 KiB one takes ten rounds of poll and recv (measured).
        curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, 128L * 1024);
    }
}

// libcurl guarantees for CURLOPT_PREREQFUNCTION: it is called after the connection, TLS and any proxy tunnel are up and
// before the request is sent, for each attempt, including repeats. So without a call, no byte of it has left.
int CurlTransfer::on_request(void* self, char* peer, char*, int peer_port, int local_port) noexcept
{
    auto& transfer = transfer_of(self);
    transfer.active_ = true;
    if (transfer.has_unread(peer, peer_port, local_port)) {
        transfer.is_spoiled_ = true;
        return CURL_PREREQFUNC_ABORT;
    }
    ++transfer.times_sent_;
    if (transfer.request_.connection == Connection::one_shot) {
        make_room_in_heap();
    }
    return CURL_PREREQFUNC_OK;
}

// libcurl 7.88 uses an open connection again although bytes wait on it: those beyond the length of the last answer, or
// a second answer to the last request. (Not seen are those that TLS holds already, because they came in one record with
// the end of a large answer: libcurl does not tell that there are any.)
bool CurlTransfer::has_unread(const char* peer, int peer_port, int local_port) const
{
    long new_connections = 1;
    curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &new_connections);
    return new_connections == 0 && connections_ != nullptr && connections_->has_unread({peer, peer_port, local_port});
}

void CurlTransfer::demand_new_connection()
{
    is_spoiled_ = false;
    curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
}

std::size_t CurlTransfer::on_header(char* data, std::size_t, std::size_t size, void* self) noexcept
{
    auto& transfer = transfer_of(self);
    transfer.active_ = true;
    try {
        return transfer.answer_.take_line({data, size}) ? size : 0;
    } catch (...) {
        return transfer.not_taken(std::current_exception());
    }
}

std::size_t CurlTransfer::not_taken(const std::exception_ptr& why) noexcept
{
    not_taken_ = why;
    return 0;
}

std::size_t CurlTransfer::on_body(char* data, std::size_t, std::size_t size, void* self) noexcept
{
    auto& transfer = transfer_of(self);
    transfer.active_ = true;
    try {
        if (!transfer.answer_.has_room_for(size, transfer.length())) {
            transfer.waiting_piece_ = size;
            transfer.waits_since_ = SystemClock().boot_now();
            return CURL_WRITEFUNC_PAUSE;
        }
        return transfer.answer_.take_piece({data, size}, transfer.length()) ? size : 0;
    } catch (...) {
        return transfer.not_taken(std::current_exception());
    }
}

// Of the whole body, as its head states it; 0 = it does not.
std::uint64_t CurlTransfer::length() const
{
    curl_off_t length = -1;
    curl_easy_getinfo(easy_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return static_cast<std::uint64_t>(std::max<curl_off_t>(length, 0));
}

// libcurl delivers the piece again, perhaps from within curl_easy_pause.
void CurlTransfer::go_on()
{
    active_ = true;
    const auto waited = SystemClock().boot_now() - waits_since_;
    if (answer_.has_room_for(waiting_piece_, length(), waited)) {
        waiting_piece_ = 0;
        curl_easy_pause(easy_, CURLPAUSE_CONT);
    }
}

std::size_t CurlTransfer::on_upload(char* into, std::size_t, std::size_t room, void* self) noexcept
{
    auto& transfer = transfer_of(self);
    transfer.active_ = true;
    const auto rest = transfer.request_.body.reveal().substr(transfer.body_sent_);
    const auto size = std::min(room, rest.size());
    std::copy_n(rest.data(), size, into);
    transfer.body_sent_ += size;
    return size;
}

// A body can be read once: rewinding it would mean sending the request a second time.
int CurlTransfer::on_rewind(void*, std::int64_t, int) noexcept
{
    return CURL_SEEKFUNC_FAIL;
}

Delivery CurlTransfer::delivery() const
{
    if (answer_.status() != 0) {
        return Delivery::answered;
    }
    return is_under_way() ? Delivery::perhaps_sent : Delivery::not_sent;
}

// Adds how often the request was sent, which the service counts even if it failed here.
Error CurlTransfer::with_facts(Error error) const
{
    error.delivery = delivery();
    error.requests_sent = std::max(times_sent_, 1u);
    return error;
}

Result<Response> CurlTransfer::finish_in_silence()
{
    if (answer_.is_complete(Ending::silence)) {
        return response();
    }
    if (!is_bare() && answer_.is_whole()) {
        return too_short();
    }
    return with_facts(
        {ErrorKind::timeout, fmt::format("{} was silent for {}", place_, describe_limit(request_.timeouts.idle))});
}

// Of a body that is less than its headers announce.
Error CurlTransfer::too_short() const
{
    return with_facts(
        {ErrorKind::protocol,
         fmt::format("the answer of {} is a whole object or array, but by its headers more must follow", place_)});
}

// "" = the answer could be taken so far.
std::string CurlTransfer::fault() const
{
    using Excess = IncomingAnswer::Excess;
    if (not_taken_) {
        return fmt::format("the answer of {} could not be received: {}", place_, describe_exception(not_taken_));
    }
    switch (answer_.excess()) {
    case Excess::none: return "";
    case Excess::body: return fmt::format("the answer of {} is larger than {} bytes", place_, request_.max_body);
    case Excess::headers:
        return fmt::format("the headers of {} are larger than {} bytes", place_, IncomingAnswer::max_header_bytes);
    }
    std::abort();
}

Response CurlTransfer::response()
{
    auto response = answer_.take_response();
    response.requests_sent = std::max(times_sent_, 1u);
    return response;
}

int CurlTransfer::socket() const
{
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy_, CURLINFO_ACTIVESOCKET, &socket);
    return socket;
}

void CurlTransfer::begin_exchange()
{
    make_room_in_heap();
    times_sent_ = 1;
    bare_.emplace(easy_, std::move(bare_request_), answer_);
}

BareExchange::State CurlTransfer::advance() noexcept
{
    try {
        return bare_->advance();
    } catch (...) {
        not_taken(std::current_exception());
        return BareExchange::State::over;
    }
}

Result<Response> CurlTransfer::finish_exchange(BareExchange::State ended)
{
    return finish(ended == BareExchange::State::broken ? CURLE_RECV_ERROR
                  : bare_->is_foreign()                ? CURLE_WEIRD_SERVER_REPLY
                                                       : CURLE_OK);
}

Result<Response> CurlTransfer::finish_late()
{
    return finish(CURLE_OPERATION_TIMEDOUT);
}

Result<Response> CurlTransfer::finish(int code)
{
    if (auto why = fault(); !why.empty()) {
        return with_facts({ErrorKind::protocol, std::move(why)});
    }
    if (answer_.is_complete(code == CURLE_OK ? Ending::closed : Ending::broken)) {
        return response();
    }
    if (code == CURLE_PARTIAL_FILE && answer_.is_whole()) {
        return too_short();
    }
    long os_error = 0;
    long tunnel_status = 0;
    long verification = 0;
    curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &os_error);
    curl_easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &tunnel_status);
    curl_easy_getinfo(easy_, CURLINFO_SSL_VERIFYRESULT, &verification);
    CurlFailure failure;
    failure.code = code;
    failure.place = place_;
    failure.words = error_text_.c_str();
    failure.has_unusable_length = answer_.has_unusable_length();
    failure.delivery = delivery();
    failure.os_error = static_cast<int>(os_error);
    failure.tunnel_status = static_cast<int>(tunnel_status);
    failure.verification = verification;
    return with_facts(describe_failure(failure, request_.timeouts, request_.route));
}

}  // namespace shelfd::http
