// The header lines of one request in libcurl's form, including Authorization; wiped when destroyed.
#pragma once

#include "http/client.hpp"

#include <string>

namespace shelfd::http {

// Must live as long as the transfer that uses it: libcurl reads the list until the handle is destroyed.
class HeaderList {
public:
    HeaderList() = default;
    HeaderList(const HeaderList&) = delete;
    HeaderList& operator=(const HeaderList&) = delete;
    ~HeaderList();

    // The request's headers, defaults for missing ones, and its credentials. Kind usage, not_sent, for a line break.
    Result<void> fill(const Request& request);
    // curl_slist
    void* lines() const { return lines_; }

private:
    Result<void> add(std::string line);

    void* lines_ = nullptr;
};

}  // namespace shelfd::http
