// tests/reference/service.py as a process: the frameworks of services of this kind, which nobody here wrote.
#pragma once

#include "sim/json.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <map>
#include <memory>
#include <string>

namespace shelfd {

// Serves libraries "antwerp" and "bruges" on a port of the loopback address until its object dies.
class ReferenceService {
public:
    using Settings = std::map<std::string, std::string>;  // SERVICE_GRACE, SERVICE_RATE
    static constexpr int rows = 1'250;                    // of each library

    explicit ReferenceService(Settings settings = {});
    ReferenceService(const ReferenceService&) = delete;
    ReferenceService& operator=(const ReferenceService&) = delete;
    ~ReferenceService();

    // False where its packages are not installed.
    static bool is_installed();

    const std::string& url() const { return url_; }
    const std::string& redirect_uri() const { return redirect_uri_; }
    // The set that was issued first, as a person would paste it.
    std::string token_response(const std::string& library) const;
    // One of the verbs of /test/; what it answers.
    sim::Json change(const std::string& verb, const std::string& library, int number = 1) const;
    // Every row of the library as its list shows it now, by id.
    std::map<std::int64_t, std::string> items(const std::string& access_token) const;

private:
    TempDirectory directory_;
    std::string url_;
    std::string redirect_uri_;
    std::map<std::string, std::string> environment_;
    sim::Json sets_;
    std::unique_ptr<Process> server_;
};

}  // namespace shelfd
