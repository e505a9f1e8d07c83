// What users may look at, and the answers to those who only look.
#include "control/api/api.hpp"
#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"
#include "control/api/requests.hpp"
#include "control/api/wait.hpp"

#include <algorithm>
#include <set>

namespace shelfd::control {
namespace {

bool is_reader(const LibraryReaders& library, const Peer& peer)
{
    return std::any_of(library.readers.begin(), library.readers.end(),
                       [&](const Account& account) { return is_account_of(account, peer); });
}

}  // namespace

Right Api::right_of(const Peer& peer) const
{
    const auto right = rights_.of(peer);
    if (right != Right::none) {
        return right;
    }
    const auto& all = operations_.readers();
    const bool reads_one =
        std::any_of(all.begin(), all.end(), [&](const LibraryReaders& library) { return is_reader(library, peer); });
    return reads_one ? Right::look : Right::none;
}

Sight Api::sight_of(const Peer& peer) const
{
    if (rights_.of(peer) != Right::none) {
        return Sight::of_everything();
    }
    std::set<std::string> libraries;
    for (const auto& library : operations_.readers()) {
        if (is_reader(library, peer)) {
            libraries.insert(library.library);
        }
    }
    return Sight::of_libraries(std::move(libraries));
}

// A library that the user may not look at is answered as one that does not exist.
Result<void> Api::check_names(const Call& call, const std::string& library, const std::string& resource) const
{
    const bool concerns_all = library.empty();
    return concerns_all || (call.sight.includes(library) && operations_.knows(library, resource))
               ? Result<void>()
               : control::check_names(call.sight.limit(operations_.status()), library, resource);
}

asio::awaitable<Reply> Api::get_status(Call call) const
{
    co_return json_reply(to_json(call.sight.limit(operations_.status())));
}

asio::awaitable<Reply> Api::get_metrics(Call call) const
{
    co_return metrics_reply(call.sight.limit(operations_.status()), call.sight.limit(operations_.alerts()), call.query);
}

asio::awaitable<Reply> Api::get_alerts(Call call) const
{
    co_return report_reply(call.sight.limit(operations_.alerts()));
}

asio::awaitable<Reply> Api::post_wait(Call call) const
{
    auto request = read_wait(call);
    if (!request) {
        co_return error_reply(request.error());
    }
    if (auto missing = not_there_yet(call.sight.limit(operations_.status()), *request); !missing) {
        co_return error_reply(missing.error());
    }
    // A reload during the wait may change what the user may look at.
    co_return stream_reply([this, wanted = *request, peer = call.peer](LineSink sink) {
        auto look = [this, peer] { return status_for(peer); };
        return wait_until_there(operations_, clock_, wanted, std::move(look), std::move(sink));
    });
}

}  // namespace shelfd::control
