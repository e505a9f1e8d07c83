// The service's side by the simulator's own token rules, with faults as bytes on a real connection.
#pragma once

#include "keeper_rig.hpp"
#include "sim/token_book.hpp"
#include "support/scripted_server.hpp"

#include <functional>
#include <optional>
#include <string>

namespace shelfd::oauth {

// What happens to one exchange. `wire` makes what the server does to the connection of the answer it would give;
// without it, `answer` is what the client makes of the matter, for what cannot be played on loopback.
struct ExchangeFault {
    const char* name;
    bool acts;  // the service carries the exchange out, whatever becomes of its answer
    std::function<Script(const std::string& body)> wire = {};
    std::optional<http::Answer> answer = {};
    enum class Line { plain, tls, no_tls } line = Line::plain;
};

// Answers for a KeeperRig. The faults given meet the next exchanges, one each.
class BookService {
public:
    BookService(KeeperRig& rig, sim::TokenPolicy policy);

    sim::TokenBook book;
    std::vector<const ExchangeFault*> faults;
    std::size_t posts = 0;

    std::string response() const;
    // Both tokens of the newest generation work.
    bool is_live() const;
    const sim::TokenSet::Generation& newest() { return book.find_set(0, 0)->newest(); }

private:
    http::Answer answer(const http::SeenRequest& request);
    http::Answer exchange(const std::string& form);
    Instant now() const { return Instant::from_micros(rig_.clock.boot_now().micros()); }

    KeeperRig& rig_;
    sim::TokenPair first_;
};

// What libcurl makes of a connection that goes like that.
http::Answer through_the_wire(const Script& script, ExchangeFault::Line line);

}  // namespace shelfd::oauth
