// The client of the control socket.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "ctl/context/context.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// Every call blocks until the answer is complete. An error in a Result means that no daemon answered (exit code 3), and
// its `delivery` whether the request may have reached one; an error from the daemon is an Answer.
class DaemonClient {
public:
    struct Answer {
        int status = 0;
        std::string body;

        // The daemon's error, with its own text and kind; no error for a 2xx.
        Result<void> check() const;
    };
    using LineSink = std::function<void(std::string_view line)>;

    // `config_file`: as it was named on the command line, for errors that say how to start the daemon; "" = it was not.
    explicit DaemonClient(std::string socket, std::string config_file = "")
        : socket_(std::move(socket)), config_file_(std::move(config_file))
    {
    }

    Result<Answer> get(const std::string& path);
    Result<Answer> post(const std::string& path, Secret body);
    // Passes each line of a 200 to `on_line` as it arrives, without its line end; the answer's body is then empty. No
    // time limit as long as lines arrive. `limit`: the time that the daemon was told to take at most; one that does not
    // keep it is left after five seconds more, with an error of kind timeout.
    Result<Answer> stream(const std::string& path, Secret body, const LineSink& on_line,
                          std::optional<Duration> limit = std::nullopt);

private:
    std::string socket_;
    std::string config_file_;
};

// A client for the daemon of this command.
DaemonClient client_of(const Context& context);

// Converts {"kind": …, "text": …} to the error that the daemon sent.
Error error_from_json(std::string_view text);

}  // namespace shelfd::ctl
