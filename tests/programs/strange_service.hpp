// A service with a layout that nothing here was made for: it describes itself by OpenAPI, its lists are bare arrays
// with a header Link, its keys are codes. It knows an access token that lives for ever, and one token set.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace shelfd {

// Serves on a port of the loopback address until its object dies. Its lists: /shop/v7/tickets, 137 rows, and
// /shop/v7/halls, 3 rows, and /shop/v7/seats, which are halls whose key has a name that is no usual one: number.
class StrangeService {
public:
    static constexpr int tickets = 137;
    static constexpr auto forbidden = "/shop/v7/salaries";  // to everybody
    static constexpr auto token = "strange-access+token/of~length==";

    StrangeService();
    StrangeService(const StrangeService&) = delete;
    StrangeService& operator=(const StrangeService&) = delete;
    ~StrangeService();

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    int requests() const { return requests_; }
    // The token set as its owner has it, for client `client_id`: works once.
    static constexpr auto client_id = "the-application";
    static constexpr auto client_secret = "known-to-nobody-else";
    std::string first_set() const { return set_of(0); }

private:
    void run();
    std::string answer(const std::string& request);
    std::string refresh(const std::string& body);
    static std::string set_of(int generation);
    std::string list(const std::string& path, const std::string& query) const;

    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> stopping_ = false;
    std::atomic<int> requests_ = 0;
    int generation_ = 0;  // of the token set; used by the thread
    std::thread thread_;  // the last member: it uses the others
};

}  // namespace shelfd
