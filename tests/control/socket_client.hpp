// A client of the control socket that is no library: plain bytes, blocking, also as another user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::control {

struct User {
    uid_t uid;
    gid_t gid;
    std::vector<gid_t> groups;
};

// Connects, sends `bytes`, and reads until the other side closes. "" when there is nobody.
std::string exchange(const std::string& path, const std::string& bytes);
// The same from a child process that has become that user for good; only root can.
std::string exchange_as(const User& user, const std::string& path, const std::string& bytes);

// A process that has become that user for good, and holds so many connections while it lives. Made when all of them
// were tried.
class CrowdOfStrangers {
public:
    CrowdOfStrangers(const User& user, const std::string& path, int connections);
    ~CrowdOfStrangers();
    CrowdOfStrangers(const CrowdOfStrangers&) = delete;
    CrowdOfStrangers& operator=(const CrowdOfStrangers&) = delete;

private:
    pid_t child_ = -1;
};

// A connection that stays open.
class OpenClient {
public:
    explicit OpenClient(const std::string& path);
    ~OpenClient();
    OpenClient(const OpenClient&) = delete;
    OpenClient& operator=(const OpenClient&) = delete;

    void send(const std::string& bytes) const;
    // As much as the socket takes at once.
    void send_without_waiting(const std::string& bytes) const;
    // Whether the other side has not closed, as far as has been seen.
    bool is_open() const;
    // Blocks until `text` has arrived, or the other side has closed; everything so far.
    std::string read_until(const std::string& text);
    std::string read_to_end() { return read_until("\x01 never"); }

private:
    int socket_ = -1;
    std::string seen_;
};

std::string get(const std::string& path);
std::string post(const std::string& path, const std::string& body);

}  // namespace shelfd::control
