// The command line of shelfsim.
#pragma once

#include "sim/ask.hpp"
#include "sim/server.hpp"
#include "sim/world.hpp"

#include <optional>
#include <string>
#include <variant>

namespace shelfd::sim {

// Run the service …
struct ServeCommand {
    ServerOptions server;
    Consent consent = Consent::form;
    std::string port_file;         // "" for none
    std::string credentials;       // a directory, "" for none
    std::string certificate_file;  // where a self-signed certificate is left for clients
};

// … or ask one that runs elsewhere.
struct AskCommand {
    Question question;
    std::string field;  // "" for the whole answer
};

// Exit status instead of a command: the help was shown, or the command line cannot be.
using Command = std::variant<ServeCommand, AskCommand, int>;

Command parse_command_line(int argc, char** argv);

}  // namespace shelfd::sim
