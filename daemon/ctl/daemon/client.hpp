// The other end of the control socket.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/context/context.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// Every call blocks until the answer is complete. A Result's error means that no daemon answered (exit 3); what the
// daemon refuses is an answer with an error in it.
class DaemonClient {
public:
    struct Answer {
        int status = 0;
        std::string body;

        // What the daemon said no with: its own sentence and kind. Nothing to say for 2xx.
        Result<void> check() const;
    };
    using LineSink = std::function<void(std::string_view line)>;

    explicit DaemonClient(std::string socket) : socket_(std::move(socket)) {}

    Result<Answer> get(const std::string& path);
    Result<Answer> post(const std::string& path, Secret body);
    // Gives each line of a 200 to `on_line` as it arrives, without its end; the answer's body is empty then. However
    // long that goes on, there is no limit to it.
    Result<Answer> stream(const std::string& path, Secret body, const LineSink& on_line);

private:
    std::string socket_;
};

// The daemon that this command is for.
DaemonClient client_of(const Context& context);

// The error of that JSON object ({"kind": …, "text": …}) as the daemon put it.
Error error_from_json(std::string_view text);

}  // namespace shelfd::ctl
