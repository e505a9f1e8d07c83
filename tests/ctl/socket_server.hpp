// A daemon of a few lines: answers each connection on a unix socket with the next prepared text.
#pragma once

#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace shelfd::ctl {

// "HTTP/1.1 STATUS …" with that body.
std::string http_answer(int status, const std::string& body);

class SocketServer {
public:
    // Serves as many connections as there are answers, one after the other; "" closes without one.
    SocketServer(const std::string& path, std::deque<std::string> answers);
    ~SocketServer();
    SocketServer(const SocketServer&) = delete;
    SocketServer& operator=(const SocketServer&) = delete;

    // Waits until all answers are given; the requests as they came.
    std::vector<std::string> requests();

private:
    void serve(std::deque<std::string> answers);

    int socket_ = -1;
    std::vector<std::string> requests_;
    std::thread thread_;
};

}  // namespace shelfd::ctl
