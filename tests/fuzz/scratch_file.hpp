// A file that is given new content for each input; in memory where the system has a place for that.
#pragma once

#include "base/regular_file.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace shelfd::fuzz {

class ScratchFile {
public:
    ScratchFile()
    {
        std::string name = (::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + std::string("/shelfd-fuzz-XXXXXX");
        if (::mkdtemp(name.data()) == nullptr) {
            std::abort();
        }
        directory_ = name;
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile()
    {
        ::unlink(path().c_str());
        ::rmdir(directory_.c_str());
    }

    std::string path() const { return directory_ + "/file"; }
    void fill(std::string_view content) const
    {
        const auto file = open_regular_file(path(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (!file || ::write(file->get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
            std::abort();
        }
    }

private:
    std::string directory_;
};

}  // namespace shelfd::fuzz
