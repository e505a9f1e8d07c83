// The header lines of one request in libcurl's form, including Authorization; wiped when destroyed.
#pragma once

#include "http/client.hpp"

#include <cstddef>
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
    // Appends all lines, as libcurl sends them: without those that only remove a default of libcurl.
    void append_to(std::string& text) const;
    std::size_t text_size() const;
    // curl_slist
    void* lines() const { return lines_; }

private:
    Result<void> add(std::string line);

    void* lines_ = nullptr;
};

}  // namespace shelfd::http
