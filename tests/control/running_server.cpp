#include "control/running_server.hpp"

#include "runtime/async/task_group.hpp"

#include <boost/asio/post.hpp>

#include <stdexcept>

#include <sys/stat.h>

namespace shelfd::control {

struct RunningServer::Life {
    explicit Life(const asio::any_io_executor& executor) : tasks(executor) {}
    TaskGroup tasks;
};

RunningServer::RunningServer(Change change)
{
    ::chmod(directory_.path().c_str(), 0755);
    if (change) {
        change(operations_);
    }
    Log log([this](const LogRecord& record) {
        std::string text(record.message);
        for (const auto& field : record.fields) {
            text += " " + std::string(field.key) + "=" + field.value;
        }
        logged.note(std::move(text));
    });
    const ServerSettings settings{socket(), "users", "games"};
    auto opened = Server::open(loop_.get_executor(), clock_, log, settings, operations_);
    if (!opened) {
        throw std::runtime_error(opened.error().text());
    }
    server_ = std::move(*opened);
    life_ = std::make_shared<Life>(loop_.get_executor());
    life_->tasks.spawn(server_->run());
    thread_ = std::thread([this] { loop_.run(); });
}

void RunningServer::stop()
{
    if (thread_.joinable()) {
        asio::post(loop_, [life = life_] { life->tasks.cancel(); });
        thread_.join();
        life_.reset();
        server_.reset();
    }
}

}  // namespace shelfd::control
