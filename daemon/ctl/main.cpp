#include "base/words/safe_text.hpp"
#include "ctl/program.hpp"
#include "runtime/process_start.hpp"

#include <clocale>
#include <cstdio>
#include <exception>
#include <string>

#include <unistd.h>

namespace {

shelfd::ctl::Environment read_environment()
{
    shelfd::ctl::Environment environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (const auto equals = text.find('='); equals != std::string::npos) {
            environment.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return environment;
}

}  // namespace

int main(int argc, char** argv)
try {
    shelfd::open_standard_descriptors();
    // A program that is started for the person gets this limit again. Secrets that are pasted are in this process.
    const auto core_limit = shelfd::forbid_core_file(shelfd::HardLimit::kept);
    // For the widths of characters; without a locale UTF-8, the encoding of mirrors.
    if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) {
        std::setlocale(LC_CTYPE, "C.UTF-8");
    }
    return shelfd::number_of(shelfd::ctl::run(argc, argv, read_environment(), core_limit));
} catch (const std::exception& error) {
    std::fprintf(stderr, "shelfctl: bug: %s\n", shelfd::escape_line(error.what()).c_str());
    return shelfd::number_of(shelfd::ExitCode::bug);
}
