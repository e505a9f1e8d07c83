// shelfd as a process: started, heard through its notify socket, stopped or killed.
#pragma once

#include "base/instant.hpp"
#include "support/notify_socket.hpp"
#include "support/process.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shelfd {

// How much slower than elsewhere everything may be, and how much less a test should ask for.
#ifdef SHELFD_SANITIZED
inline constexpr int slowness = 10;
#else
inline constexpr int slowness = 1;
#endif

struct DaemonStart {
    std::vector<std::string> arguments;   // of shelfd
    std::string log_file;                 // standard error and output; appended to
    std::vector<std::string> under = {};  // a program that becomes shelfd: {"/usr/bin/setpriv", "--reuid=…"}
};

// Killed with its object. Every wait has an end: when a minute has brought nothing, the test fails and shows the log.
class DaemonProcess {
public:
    explicit DaemonProcess(DaemonStart start);
    DaemonProcess(const DaemonProcess&) = delete;
    DaemonProcess& operator=(const DaemonProcess&) = delete;
    ~DaemonProcess();

    pid_t pid() const { return process_.pid(); }
    // Until it serves. A daemon that ends instead fails the test.
    void await_ready();
    // Until `happened` says so; looked at whenever the daemon says something, and now and then between.
    void await(const std::string& what, const std::function<bool()>& happened);
    // False when it still runs after that time.
    bool ends_within(Duration time);

    void signal(int number) const { process_.signal(number); }
    // SIGTERM, and its end.
    ExitStatus stop();
    // SIGKILL, and its end.
    void kill();
    ExitStatus wait();

    // Whether one of the lines it told the service manager begins with `line`: "STOPPING=1".
    bool told(const std::string& line);
    std::string log() const;

private:
    void hear();
    bool watch(const std::function<bool()>& happened, Duration patience);

    std::string log_file_;
    NotifySocket notify_;
    std::string heard_ = "\n";  // every message, one line after the other
    Process process_;
    int process_descriptor_;  // readable once it has ended
};

// For the environment of every program a test starts: nothing of the caller's but what sanitizers are told.
std::map<std::string, std::string> clean_environment();

// "BUILD/shelfd"
std::string built_program(const std::string& name);

}  // namespace shelfd
