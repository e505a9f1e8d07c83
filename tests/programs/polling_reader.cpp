#include "polling_reader.hpp"

namespace shelfd {

std::string complaint_about(const Error& error)
{
    return error.kind() == ErrorKind::busy ? "" : error.text();
}

PollingReader::PollingReader(std::string path, std::function<std::string(storage::Database&)> look)
    : thread_([this, path = std::move(path), look = std::move(look)] { run(path, look); })
{
}

void PollingReader::run(const std::string& path, const std::function<std::string(storage::Database&)>& look)
{
    constexpr int looks_of_a_reader = 20;
    while (!stopping_) {
        auto reader = storage::Database::open(path, storage::OpenMode::read_only);
        auto found = reader ? "" : complaint_about(reader.error());
        for (int look_number = 0; reader && found.empty() && !stopping_ && look_number < looks_of_a_reader;
             ++look_number) {
            found = look(*reader);
            ++looks_;
        }
        if (!found.empty()) {
            const std::scoped_lock lock(mutex_);
            complaint_ = found;
            return;
        }
    }
}

void PollingReader::stop()
{
    stopping_ = true;
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::string PollingReader::complaint() const
{
    const std::scoped_lock lock(mutex_);
    return complaint_;
}

}  // namespace shelfd
