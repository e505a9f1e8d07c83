// What users may look at, and the answers to those who only look, or may not even that.
#include "base/words/shell_word.hpp"
#include "control/api/api.hpp"
#include "control/api/lookup.hpp"
#include "control/api/reply_json.hpp"
#include "control/api/requests.hpp"
#include "control/api/wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

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

asio::awaitable<std::string> Api::name_of(uid_t uid) const
{
    auto ask = [uid] { return name_of_user(uid); };
    auto names = names_;
    co_return co_await names.run(std::move(ask));
}

asio::awaitable<void> Api::note_stranger(Call call) const
{
    const bool is_known = find_route(call) != nullptr;
    call.verb = is_known ? verb_of(call.path) : "";
    const auto asked = is_known ? name_act(call) : NamedAct{"", ""};
    call.verb = asked.verb;
    if (!refusals_->admits(call.peer.uid, call.verb)) {
        co_return;
    }
    auto naming = name_of(call.peer.uid);
    call.user = co_await std::move(naming);
    const auto* action = is_known            ? "refused: a user without rights"
                         : call.path.empty() ? "refused: a user without rights, who sent no whole request"
                                             : "refused: a user without rights, who asked for an unknown address";
    note(call, action, asked.library);
}

Reply Api::refusal_of(uid_t uid) const
{
    return refusal(uid, Right::none);
}

Reply Api::refusal(uid_t uid, Right has) const
{
    const auto join = [&](const std::string& group) {
        return group.empty() ? std::string("use root")
                             : fmt::format("use root, or join the group {0} (sudo adduser NAME {0}, then log in again)",
                                           shell_word(group));
    };
    // No group gives the mirror of a library to others than those that it names.
    const auto* own = operations_.readers().empty() ? ""
                                                    : "; for a library that has readers of its own, an admin adds your "
                                                      "name to readers of [library.NAME], then: shelfctl reload";
    const auto text = has == Right::none
                          ? fmt::format("uid {} may not use this daemon: {}{}", uid, join(groups_.readers), own)
                          : fmt::format("uid {} may read the status of this daemon but not change anything: {}", uid,
                                        join(groups_.admins));
    return error_reply(Error(ErrorKind::permission, text));
}

bool Api::is_hidden(const Call& call, const std::string& library) const
{
    return !library.empty() && !call.sight.includes(library) && operations_.knows(library, "");
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
