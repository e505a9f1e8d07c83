// A directory of the test's own, gone with everything in it when the test ends.
#pragma once

#include <filesystem>
#include <string>

namespace shelfd {

class TempDirectory {
public:
    TempDirectory();
    ~TempDirectory();
    TempDirectory(const TempDirectory&) = delete;
    TempDirectory& operator=(const TempDirectory&) = delete;

    std::string path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

void write_file(const std::string& path, const std::string& text, unsigned mode = 0600);
std::string read_file(const std::string& path);

}  // namespace shelfd
