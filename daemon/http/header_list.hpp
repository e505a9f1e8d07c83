// The header lines of one request in libcurl's form, Authorization included, wiped when they go.
#pragma once

#include "http/client.hpp"

#include <string>

namespace shelfd::http {

// Lives as long as the transfer that uses it: libcurl reads the list until the handle is gone.
class HeaderList {
public:
    HeaderList() = default;
    HeaderList(const HeaderList&) = delete;
    HeaderList& operator=(const HeaderList&) = delete;
    ~HeaderList();

    // What the request says, the defaults it does not say, and its secret. Kind usage, not_sent, for a line break.
    Result<void> fill(const Request& request);
    // curl_slist
    void* lines() const { return lines_; }

private:
    Result<void> add(std::string line);

    void* lines_ = nullptr;
};

}  // namespace shelfd::http
