#include "http/curl/curl_client.hpp"

#include "base/scope_exit.hpp"
#include "http/curl/curl_multi.hpp"
#include "http/curl/curl_transfer.hpp"
#include "http/curl/socket_watch.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace shelfd::http {
namespace {

// Silence is counted in slices: an exact measurement would need a timer for every piece received.
constexpr int slices_of_silence = 8;
// An answer may be the only copy of a token set, so its end is noticed soon if its headers do not tell it.
constexpr Duration longest_slice_as_sent = std::chrono::milliseconds(125);

Duration slice_of(const Request& request)
{
    const auto even = request.timeouts.idle / slices_of_silence;
    return request.coding == Coding::as_sent ? std::min(even, longest_slice_as_sent) : even;
}

// Returns libcurl's result (a CURLcode), or an empty optional after too long a silence.
asio::awaitable<std::optional<int>> wait_for_end(CurlTransfer& transfer, asio::steady_timer& alarm,
                                                 const std::optional<int>& ended, Duration slice)
{
    for (Duration silent(0); !ended && (silent == Duration(0) || silent < transfer.patience());) {
        alarm.expires_after(slice);
        boost::system::error_code woken;
        co_await alarm.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) {
            throw boost::system::system_error(asio::error::operation_aborted);
        }
        if (!ended && transfer.is_paused()) {
            transfer.go_on();
        }
        // Before the request is under way, the connect time-out applies instead.
        silent = transfer.take_activity() || !transfer.is_under_way() ? Duration(0) : silent + slice;
    }
    co_return ended;
}

// True after that time. The timer's handler may outlive the coroutine.
class Limit {
public:
    Limit(const asio::any_io_executor& executor, Duration time) : timer_(executor, time)
    {
        auto passed = [is_over = is_over_](const boost::system::error_code& stopped) { *is_over = !stopped; };
        timer_.async_wait(std::move(passed));
    }
    bool is_over() const { return *is_over_; }

private:
    std::shared_ptr<bool> is_over_ = std::make_shared<bool>(false);
    asio::steady_timer timer_;
};

// Returns how the exchange ended: `open` after too long a silence, or at its limit.
asio::awaitable<BareExchange::State> exchange(CurlTransfer& transfer, SocketWatch& socket, const Limit& limit,
                                              Duration slice)
{
    socket.begin(SocketWatch::Side::read, slice);
    transfer.begin_exchange();
    auto state = transfer.advance();
    if (transfer.has_unsent() && transfer.take_activity()) {
        socket.begin(SocketWatch::Side::write, slice);
    }
    Duration silent(0);
    bool is_heard = false;  // since the alarm rang: it is not set anew for each piece
    while (state == BareExchange::State::open && silent < transfer.patience() && !limit.is_over()) {
        const bool is_ready = co_await socket.wait();
        state = transfer.advance();
        const bool was_active = transfer.take_activity();
        const bool rang = !is_ready && !was_active;
        silent = rang && !is_heard ? silent + slice : Duration(0);
        is_heard = !rang;
        // A socket that can be written although nothing could be sent (TLS waits for the server) would never wait.
        const auto side = transfer.has_unsent() && was_active ? SocketWatch::Side::write : SocketWatch::Side::read;
        socket.begin(side, slice);
    }
    if (state == BareExchange::State::closed && socket.has_failed()) {
        state = BareExchange::State::broken;
    }
    co_return state;
}

}  // namespace

Result<std::unique_ptr<CurlClient>> CurlClient::open(asio::any_io_executor executor, std::string user_agent)
{
    SHELFD_TRY_ASSIGN(multi, CurlMulti::open(std::move(executor)));
    return std::unique_ptr<CurlClient>(new CurlClient(std::move(multi), std::move(user_agent)));
}

CurlClient::CurlClient(std::shared_ptr<CurlMulti> multi, std::string user_agent)
    : multi_(std::move(multi)), user_agent_(std::move(user_agent))
{
}

CurlClient::~CurlClient() = default;

asio::awaitable<Result<Response>> CurlClient::send(Request request)
{
    if (request.coding == Coding::as_sent) {
        co_return co_await send_bare(std::move(request));
    }
    const auto slice = slice_of(request);
    SHELFD_CO_TRY_ASSIGN(prepared, CurlTransfer::prepare(std::move(request), user_agent_));
    auto& transfer = *prepared;
    asio::steady_timer alarm(co_await asio::this_coro::executor);
    std::optional<int> ended;
    auto on_end = [&](int code) {
        ended = code;
        if (code == 0) {
            connections_.transfer_ended(transfer.easy());
        }
        alarm.cancel();
    };
    transfer.follow_connections(connections_);
    transfer.call_when_room([&alarm] { alarm.cancel(); });
    SHELFD_CO_TRY(multi_->add(transfer.easy(), on_end));
    // However this coroutine ends: libcurl must not keep a transfer that is gone.
    const ScopeExit remove([multi = multi_, easy = transfer.easy()] { multi->remove(easy); });
    auto code = co_await wait_for_end(transfer, alarm, ended, slice);
    if (transfer.is_spoiled()) {
        multi_->remove(transfer.easy());
        transfer.demand_new_connection();
        ended.reset();
        SHELFD_CO_TRY(multi_->add(transfer.easy(), on_end));
        code = co_await wait_for_end(transfer, alarm, ended, slice);
    }
    co_return code ? transfer.finish(*code) : transfer.finish_in_silence();
}

asio::awaitable<Result<Response>> CurlClient::send_bare(Request request)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto slice = slice_of(request);
    const Limit limit(executor, request.timeouts.total);
    // Of its own: libcurl takes a connection for an idle one while others speak on it, and closes idle ones.
    SHELFD_CO_TRY_ASSIGN(multi, CurlMulti::open(executor));
    SHELFD_CO_TRY_ASSIGN(prepared, CurlTransfer::prepare(std::move(request), user_agent_));
    auto& transfer = *prepared;
    asio::steady_timer alarm(executor);
    std::optional<int> connected;
    auto on_end = [&alarm, &connected](int code) {
        connected = code;
        alarm.cancel();
    };
    SHELFD_CO_TRY(multi->add(transfer.easy(), on_end));
    const ScopeExit remove([multi, easy = transfer.easy()] { multi->remove(easy); });
    const auto code = co_await wait_for_end(transfer, alarm, connected, slice);
    if (!code || *code != 0) {
        co_return code ? transfer.finish(*code) : transfer.finish_in_silence();
    }
    SHELFD_CO_TRY_ASSIGN(socket, SocketWatch::open(executor, transfer.socket()));
    auto exchanging = exchange(transfer, *socket, limit, slice);
    const auto state = co_await std::move(exchanging);
    if (state != BareExchange::State::open) {
        co_return transfer.finish_exchange(state);
    }
    co_return limit.is_over() ? transfer.finish_late() : transfer.finish_in_silence();
}

}  // namespace shelfd::http
