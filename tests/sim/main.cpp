#include "sim/files.hpp"
#include "sim/program_options.hpp"
#include "sim/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdio>

namespace shelfd::sim {

namespace {

int complain(const Error& error)
{
    std::fprintf(stderr, "shelfsim: %s\n", error.text().c_str());
    return 1;
}

int run(const AskCommand& command)
{
    auto answer = ask(command.question);
    if (answer && !command.field.empty()) {
        answer = pick_field(*answer, command.field);
    }
    if (!answer) {
        return complain(answer.error());
    }
    std::printf("%s\n", answer->c_str());
    return 0;
}

Result<void> leave_files(const ServeCommand& command, Server& server)
{
    if (!command.credentials.empty()) {
        auto world = server.world();
        if (auto written = write_credentials(*world, server.url(), command.credentials); !written) {
            return written;
        }
    }
    if (!command.certificate_file.empty()) {
        const auto& chain = command.server.tls->chain;
        if (auto written = write_file(command.certificate_file, chain, FileMode::everybody_reads); !written) {
            return written;
        }
    }
    if (!command.port_file.empty()) {
        return write_file(command.port_file, std::to_string(server.port()) + "\n", FileMode::everybody_reads);
    }
    return {};
}

int run(const ServeCommand& command)
{
    boost::asio::io_context loop(1);
    auto started = Server::start(loop, command.server);
    if (!started) {
        return complain(started.error());
    }
    auto server = std::move(*started);
    server->world()->consent = command.consent;
    if (auto left = leave_files(command, *server); !left) {
        return complain(left.error());
    }
    std::printf("%s\n", server->url().c_str());
    std::fflush(stdout);
    boost::asio::signal_set signals(loop, SIGINT, SIGTERM);
    signals.async_wait([&server](const boost::system::error_code&, int) { server.reset(); });
    loop.run();
    return 0;
}

int run(int status)
{
    return status;
}

}  // namespace

}  // namespace shelfd::sim

int main(int argc, char** argv)
{
    const auto command = shelfd::sim::parse_command_line(argc, argv);
    return std::visit([](const auto& what) { return shelfd::sim::run(what); }, command);
}
