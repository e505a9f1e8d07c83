// The requests to the control socket: paths, rights, bodies and answers, without the wire.
#pragma once

#include "control/api/call.hpp"
#include "control/api/refusal_log.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace shelfd::control {

struct GroupNames {
    std::string readers;
    std::string admins;
};

// Loop only. `operations` and `clock` must outlive it, and it must outlive all coroutines and streams that it returns.
class Api final : public Answerer {
public:
    // `names` is where names of users are looked up; `journal` shows the log.
    Api(Operations& operations, Clock& clock, Log log, Rights rights, GroupNames groups, Lane names = {},
        std::string journal = "journalctl -u shelfd")
        : operations_(operations), clock_(clock), log_(std::move(log)),
          refusals_(std::make_unique<RefusalLog>(clock, log_)), rights_(rights), groups_(std::move(groups)),
          names_(std::move(names)), journal_(std::move(journal))
    {
    }

    asio::awaitable<Reply> answer(Call call) const override;
    // Readers of a single library may look.
    Right right_of(const Peer& peer) const;
    const Rights& rights() const { return rights_; }
    void set_rights(const Rights& rights) { rights_ = rights; }
    Error bug(const std::exception_ptr& thrown) const override;
    // The answer to a user without rights, whatever the request.
    Reply refusal_of(uid_t uid) const;
    // Logs what such a user has asked, with user, verb and library. A call without a path: nothing whole was sent.
    asio::awaitable<void> note_stranger(Call call) const;
    // Which refused calls have a line in the log.
    RefusalLog& refusals() const { return *refusals_; }

private:
    using Handler = std::function<asio::awaitable<Reply>(const Api&, Call)>;
    struct Route;
    template <typename Request>
    using Reader = Result<Request> (*)(Call&);
    // The log line; "" = none.
    template <typename Request>
    using Audit = std::type_identity_t<std::function<std::string(const Request&)>>;
    template <typename Item>
    using ItemSink = std::function<void(const Item&)>;

    template <typename Request, typename Report>
    using Reported = asio::awaitable<Result<Report>> (Operations::*)(Request);
    template <typename Request, typename Item>
    using Streamed = asio::awaitable<Result<void>> (Operations::*)(Request, ItemSink<Item>);

    static const Route* find_route(const Call& call);
    // The two kinds of handlers: an action is answered with one report, a stream with lines while it runs.
    template <typename Request, typename Report>
    static Handler action(Reader<Request> read, Audit<Request> audit, Reported<Request, Report> run);
    template <typename Request, typename Item>
    static Handler stream(Reader<Request> read, Audit<Request> audit, Streamed<Request, Item> run);
    template <typename Request, typename Item>
    asio::awaitable<void> carry_out(Request request, Streamed<Request, Item> run, LineSink sink) const;

    // The first steps of both: reads the request, checks the names in it, and logs who sent it.
    template <typename Request>
    Result<Request> accept(Call& call, Reader<Request> read, const Audit<Request>& audit) const;
    Result<void> check_names(const Call& call, const std::string& library, const std::string& resource) const;
    // Whether there is such a library, which the caller may not look at.
    bool is_hidden(const Call& call, const std::string& library) const;
    Sight sight_of(const Peer& peer) const;
    Status status_for(const Peer& peer) const { return sight_of(peer).limit(operations_.status()); }
    void note(const Call& call, std::string_view action, std::string_view library) const;
    // The same for a call that is refused, unless there were too many.
    void note_refusal(const Call& call, std::string_view action, std::string_view library) const;
    Reply refusal(uid_t uid, Right has) const;
    asio::awaitable<std::string> name_of(uid_t uid) const;

    asio::awaitable<Reply> get_status(Call call) const;
    asio::awaitable<Reply> get_metrics(Call call) const;
    asio::awaitable<Reply> get_alerts(Call call) const;
    asio::awaitable<Reply> post_wait(Call call) const;
    asio::awaitable<Reply> post_reload(Call call) const;
    // Also for libraries that do not run, or for all: the operation checks the name.
    asio::awaitable<Reply> post_silence(Call call) const;

    Operations& operations_;
    Clock& clock_;
    Log log_;
    std::unique_ptr<RefusalLog> refusals_;
    Rights rights_;
    GroupNames groups_;
    Lane names_;
    std::string journal_;
};

}  // namespace shelfd::control
